// SPDX-License-Identifier: MIT
#include "cli/help.h"

#include <algorithm>

#include "base/extended_regex.h"
#include "base/text.h"
#include "cli/version.h"

namespace sqfs {
namespace {

constexpr unsigned kTextColumn = 26;

bool matches(const ExtendedRegex& regex, std::string_view text) {
  return regex.matches(std::string(text));
}

// Breaks `text` at blanks into lines of at most `width`, all but the first indented.
std::string wrapped(std::string_view text, unsigned indent, unsigned columns) {
  const size_t width = columns > indent + 20 ? columns - indent : 20;
  std::string out;
  size_t line = 0;
  for (const std::string_view word : split(text, ' ')) {
    if (line != 0 && line + 1 + word.size() > width) {
      out += "\n" + std::string(indent, ' ');
      line = 0;
    }
    if (line != 0) out += ' ', ++line;
    out += word;
    line += word.size();
  }
  return out + "\n";
}

std::string option_entry(const OptionText& text, unsigned columns) {
  std::string left = "  " + std::string(text.name);
  if (!text.alias.empty()) left += ", " + std::string(text.alias);
  if (!text.argument.empty()) left += " " + std::string(text.argument);
  if (left.size() + 2 > kTextColumn) {
    left += "\n" + std::string(kTextColumn, ' ');
  } else {
    left.resize(kTextColumn, ' ');
  }
  return left + wrapped(text.help, kTextColumn, columns);
}

std::string section_entry(Tool tool, const SectionText& section, unsigned columns) {
  std::string out = std::string(section.title) + ":\n";
  for (const OptionRow& row : option_rows(tool)) {
    if (row.section != section.section || row.kind == OptionKind::kHidden) continue;
    out += option_entry(row.text, columns);
  }
  return out;
}

std::string all_compressors(unsigned columns) {
  std::string out = "Compressors and their options:\n";
  for (const CompressorInfo& compressor : compressors())
    out += compressor_help(compressor, columns);
  return out;
}

std::string names(Tool tool) {
  std::string out;
  for (const SectionText& section : sections(tool)) {
    out += "  " + std::string(section.name);
    out.append(16 - std::min<size_t>(15, section.name.size()), ' ');
    out += std::string(section.title) + "\n";
  }
  return out;
}

std::string compressor_names() {
  std::string out;
  for (const CompressorInfo& compressor : compressors()) {
    if (!compressor.available()) continue;
    out += "  " + std::string(compressor.name);
    if (compressor.id == default_compressor().id) out += " (default)";
    out += "\n";
  }
  return out;
}

}  // namespace

std::string usage_line(Tool tool) {
  if (tool == Tool::kFsck) return "SYNTAX: fsck.squashfs [OPTION]... IMAGE\n";
  if (tool == Tool::kSqfstar) return "SYNTAX: sqfstar [OPTIONS] FILESYSTEM [exclude...]\n";
  return "SYNTAX: mksquashfs source1 source2 ...  FILESYSTEM [OPTIONS] [-e exclude...]\n";
}

std::string help_summary(Tool tool) {
  std::string out = usage_line(tool);
  if (tool == Tool::kFsck) return out + "\"fsck.squashfs --help\" prints the options.\n";
  return out + "\nSections of options:\n" + names(tool) +
         "\n  -help-section <section>   print the options of a section\n"
         "  -help-option <regex>      print the options whose name matches\n"
         "  -help-comp <compressor>   print the options of a compressor\n"
         "  -help-all                 print all options\n"
         "\nSOURCE_DATE_EPOCH in the environment is the time of the image, and the latest time of "
         "any\n"
         "file in it, unless options say otherwise.\n";
}

std::string help_all(Tool tool, unsigned columns) {
  std::string out = usage_line(tool);
  for (const SectionText& section : sections(tool)) {
    out += "\n" + section_entry(tool, section, columns);
  }
  if (tool != Tool::kFsck) out += "\n" + all_compressors(columns);
  if (tool == Tool::kFsck) {
    out +=
        "\nExit status: 0 no errors, 4 errors found, 8 the image could not be judged, 16 wrong "
        "usage.\n";
  }
  return out;
}

Result<std::string> help_section(Tool tool, std::string_view which, unsigned columns) {
  if (which == "list") return names(tool);
  for (const SectionText& section : sections(tool)) {
    if (section.name == which) return section_entry(tool, section, columns);
  }
  const auto regex = ExtendedRegex::compile(std::string(which));
  std::string out;
  for (const SectionText& section : sections(tool)) {
    if (regex && (matches(*regex, section.name) || matches(*regex, section.title))) {
      out += (out.empty() ? "" : "\n") + section_entry(tool, section, columns);
    }
  }
  if (!out.empty()) return out;
  return unsupported_error("there is no section \"" + printable(which) + "\". There are:\n" +
                           names(tool));
}

Result<std::string> help_option(Tool tool, std::string_view expression, unsigned columns) {
  auto compiled = ExtendedRegex::compile(std::string(expression));
  if (!compiled) {
    compiled.error().code = Code::kUnsupported;
    return std::move(compiled).error();
  }
  const ExtendedRegex& regex = *compiled;
  std::string out;
  for (const OptionRow& row : option_rows(tool)) {
    if (row.kind == OptionKind::kHidden) continue;
    const bool found = matches(regex, row.text.name) ||
                       (!row.text.alias.empty() && matches(regex, row.text.alias));
    if (found) out += option_entry(row.text, columns);
  }
  for (const CompressorInfo& compressor : compressors()) {
    for (const CompressorOption& option : compressor.options) {
      if (!matches(regex, option.text.name)) continue;
      out += std::string(compressor.name) + ":\n" + option_entry(option.text, columns);
    }
  }
  if (!out.empty()) return out;
  return unsupported_error("no option matches \"" + printable(expression) + "\"");
}

Result<std::string> help_compressor(std::string_view which, unsigned columns) {
  if (which == "list") return compressor_names();
  if (which == "all") return all_compressors(columns);
  const CompressorInfo* compressor = find_compressor(which);
  if (compressor != nullptr && compressor->available())
    return compressor_help(*compressor, columns);
  return unsupported_error("there is no compressor \"" + printable(which) + "\". There are:\n" +
                           compressor_names());
}

std::string compressor_help(const CompressorInfo& compressor, unsigned columns) {
  std::string out = " " + std::string(compressor.name);
  if (compressor.id == default_compressor().id) out += " (default)";
  if (!compressor.available()) out += " (not built in)";
  if (!compressor.kernel_mounts) out += " (legacy: no kernel mounts it)";
  out += "\n";
  if (compressor.options.empty()) out += "  has no options\n";
  for (const CompressorOption& option : compressor.options)
    out += option_entry(option.text, columns);
  return out;
}

std::string version_text(Tool tool) {
  const std::string version(kVersion), date(kVersionDate);
  // The first line is parsed: its third word says which options may be passed.
  std::string first = tool != Tool::kFsck ? std::string(name_of(tool)) + " version " +
                                                std::string(kPeerVersion) + "-squashkit-" + version
                                          : "fsck.squashfs version " + version;
  return first + " (" + date + ")\n" + "squashkit " + version +
         ", the SquashFS 4.0 tools with a verifier\n\n"
         "MIT licence. There is no warranty, to the extent permitted by law.\n"
         "A program linked with the LZO library is under the GNU GPL, version 2 or later, as a "
         "whole.\n";
}

}  // namespace sqfs
