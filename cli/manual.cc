// SPDX-License-Identifier: MIT
#include "cli/manual.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "cli/version.h"

namespace sqfs {
namespace {

// Text for roff: hyphens that are to be typed, backslashes, and no line that looks like a request.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '-') {
      out += "\\-";
    } else if (c == '\\') {
      out += "\\e";
    } else {
      out += c;
    }
  }
  if (out.starts_with('.') || out.starts_with('\'')) out.insert(0, "\\&");
  return out;
}

std::string bold(std::string_view text) { return "\\fB" + escaped(text) + "\\fR"; }

std::string sentence(std::string_view help) {
  std::string out = escaped(help);
  if (!out.empty()) out[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(out[0])));
  return out + ".";
}

// One sentence a line, as roff wants it.
std::string sentences(std::string_view text) {
  std::string out = escaped(text);
  for (size_t at = out.find(". "); at != std::string::npos; at = out.find(". ", at + 1)) {
    out[at + 1] = '\n';
  }
  return out;
}

// "<name=value>..." with the parts between brackets in italics.
std::string argument_text(std::string_view argument) {
  std::string out;
  for (const char c : argument) {
    if (c == '<') {
      out += "\\fI";
    } else if (c == '>') {
      out += "\\fR";
    } else {
      out += escaped({&c, 1});
    }
  }
  return out;
}

std::string entry(const OptionText& text) {
  std::string out = ".TP\n" + bold(text.name);
  if (!text.alias.empty()) out += ", " + bold(text.alias);
  if (!text.argument.empty()) out += " " + argument_text(text.argument);
  out += "\n" + sentence(text.help) + "\n";
  if (!text.manual.empty()) out += sentences(text.manual) + "\n";
  return out;
}

Result<std::string> section_entries(Tool tool, std::string_view name) {
  std::string out;
  for (const SectionText& section : sections(tool)) {
    if (section.name != name) continue;
    for (const OptionRow& row : option_rows(tool)) {
      const bool is_shown = row.section == section.section && row.kind != OptionKind::kHidden;
      if (is_shown) out += entry(row.text);
    }
  }
  if (out.empty()) return usage_error("there is no section \"" + std::string(name) + "\"");
  return out;
}

Result<std::string> all_sections(Tool tool) {
  std::string out;
  for (const SectionText& section : sections(tool)) {
    SQFS_TRY(const std::string entries, section_entries(tool, section.name));
    out += ".SS " + escaped(section.title) + "\n" + entries;
  }
  return out;
}

// Independent of what this build has in it, so that the page is the same everywhere.
std::string compressor_entries() {
  std::string out;
  for (const CompressorInfo& compressor : compressors()) {
    out += ".SS " + std::string(compressor.name) + "\n";
    if (!compressor.kernel_mounts) {
      out += "A legacy format.\nNo Linux kernel mounts such an image; other tools read it.\n";
    }
    if (compressor.options.empty()) out += "There are no options.\n";
    for (const CompressorOption& option : compressor.options) out += entry(option.text);
  }
  return out;
}

std::string title(Tool tool) {
  std::string page(name_of(tool));
  for (char& c : page) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  page += tool == Tool::kFsck ? " 8" : " 1";
  std::string date(kVersionDate);
  for (char& c : date) c = c == '/' ? '-' : c;
  return ".TH " + page + " \"" + date + "\" \"squashkit " + std::string(kVersion) + "\"\n";
}

// Breaks lines of running text at blanks, as the roff linters like them; requests and examples
// stay.
std::string folded(std::string_view page) {
  constexpr size_t kWidth = 78;
  std::string out;
  bool is_example = false;
  for (std::string_view line : split(page, '\n')) {
    if (line == ".EX" || line == ".EE") is_example = line == ".EX";
    while (!is_example && line.size() > kWidth && line[0] != '.') {
      const size_t blank = line.rfind(' ', kWidth);
      // A line must not come to begin with what roff takes for a request.
      const bool is_safe = blank != std::string_view::npos && blank + 1 < line.size() &&
                           line[blank + 1] != '.' && line[blank + 1] != '\'';
      if (!is_safe) break;
      out += std::string(line.substr(0, blank)) + "\n";
      line.remove_prefix(blank + 1);
    }
    out += std::string(line) + "\n";
  }
  if (!out.empty()) out.pop_back();  // split() sees an empty line behind the last newline
  return out;
}

Result<std::string> directive(Tool tool, std::string_view line) {
  constexpr std::string_view kOptions = "@options ";
  if (line == "@title") return title(tool);
  if (line == "@sections") return all_sections(tool);
  if (line == "@compressors") return compressor_entries();
  if (line.starts_with(kOptions)) return section_entries(tool, line.substr(kOptions.size()));
  return usage_error("\"" + std::string(line) + "\" is no directive");
}

}  // namespace

Result<std::string> manual_page(Tool tool, std::string_view prose) {
  std::string out = ".\\\" Made by man/generate.cc from the option tables; change those, or man/" +
                    std::string(name_of(tool)) + ".in.\n";
  while (!prose.empty()) {
    const size_t end = std::min(prose.find('\n'), prose.size());
    const std::string_view line = prose.substr(0, end);
    prose.remove_prefix(std::min(end + 1, prose.size()));
    if (!line.starts_with('@')) {
      out += std::string(line) + "\n";
      continue;
    }
    SQFS_TRY(const std::string text, directive(tool, line));
    out += text;
  }
  return folded(out);
}

}  // namespace sqfs
