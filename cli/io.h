// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/env.h"
#include "base/result.h"

// Everything a tool touches besides its arguments, so that tests can run any tool in process.
namespace sqfs {

// Where text goes. A failed write is remembered, never an error at once: a reader that went away
// must not end a build half way.
class TextSink {
 public:
  virtual ~TextSink() = default;
  virtual void write(std::string_view text) = 0;
  // Whether all that was written has arrived.
  virtual bool is_complete() const = 0;
};

// What the command line asks of the host beyond files: names of users, processors, the terminal,
// date(1), signals.
class System {
 public:
  virtual ~System() = default;

  virtual std::optional<uint32_t> user_id(const std::string& name) = 0;
  virtual std::optional<uint32_t> group_id(const std::string& name) = 0;
  virtual std::optional<std::string> user_name(uint32_t id) = 0;
  virtual std::optional<std::string> group_name(uint32_t id) = 0;

  virtual unsigned processors() = 0;  // that this process may use, at least 1
  virtual uint64_t physical_memory() = 0;
  virtual unsigned terminal_columns() = 0;  // 80 where it cannot be told

  // What `date -d TEXT +%s` prints, without the newline; an error when date(1) refuses the text.
  virtual Result<std::string> date_seconds(const std::string& text) = 0;

  // A whole text file, which may be a pipe.
  virtual Result<std::string> read_text(const std::string& path) = 0;
  // The bytes of a file that can be read but once, such as a pipe, piece by piece; fails with what
  // `take` returns.
  virtual Status read_stream(const std::string& path, const std::function<Status(Bytes)>& take) = 0;
  // A new text file; an error when the path exists.
  virtual Result<std::unique_ptr<TextSink>> create_text(const std::string& path) = 0;
  // The same, but what is in an existing file goes away.
  virtual Result<std::unique_ptr<TextSink>> replace_text(const std::string& path) = 0;

  // Runs a program with `text` as its standard input, and waits for it. False when it cannot be
  // started.
  virtual bool show_with(const std::vector<std::string>& words, std::string_view text) = 0;

  // From now on SIGINT, SIGTERM, SIGHUP and SIGQUIT are only noted.
  virtual void note_signals() = 0;
  // Whether one of the first three has arrived since. Cheap enough to be asked once per block.
  virtual bool interrupted() = 0;
  // Whether SIGQUIT has arrived since this was asked last.
  virtual bool was_asked_for_place() = 0;
};

std::unique_ptr<System> make_posix_system();
// Borrows the descriptor.
std::unique_ptr<TextSink> make_descriptor_sink(int descriptor);

struct Io {
  Env& env;
  System& system;
  TextSink& out;
  TextSink& err;
  bool out_is_terminal = false;
};

}  // namespace sqfs
