// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace sqfs {

// How an option is spelled and described. Compressor rows and command line rows both hold one, so
// help, man pages and shell completion are generated from one place.
struct OptionText {
  std::string_view name;      // "-noI"
  std::string_view alias;     // "-noInodeCompression"; empty: none
  std::string_view argument;  // "<level>"; empty: the option takes no value
  std::string_view help;      // one line, no trailing dot
  std::string_view manual;    // one or more sentences for the man page; empty: the help line serves
};

}  // namespace sqfs
