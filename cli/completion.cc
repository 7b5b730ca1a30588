// SPDX-License-Identifier: MIT
#include "cli/completion.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "compressors/compressor.h"

namespace sqfs {
namespace {

constexpr std::array<Tool, 3> kTools = {Tool::kMksquashfs, Tool::kSqfstar, Tool::kFsck};
constexpr std::string_view kMadeBy =
    "# Made by man/generate.cc from the option tables; do not change it by hand.\n\n";

// --- parts of all three
// ---------------------------------------------------------------------------

std::string option_words(Tool tool) {
  std::string out;
  for (const OptionRow& row : option_rows(tool)) {
    if (row.kind == OptionKind::kHidden) continue;
    out += (out.empty() ? "" : " ") + std::string(row.text.name);
    if (!row.text.alias.empty()) out += " " + std::string(row.text.alias);
  }
  return out;
}

// The words after which a value of this kind is expected, as alternatives of a case pattern.
std::string words_taking(Tool tool, std::string_view argument) {
  std::string out;
  for (const OptionRow& row : option_rows(tool)) {
    if (row.text.argument != argument) continue;
    out += (out.empty() ? "" : " | ") + std::string(row.text.name);
    if (!row.text.alias.empty()) out += " | " + std::string(row.text.alias);
  }
  return out;
}

std::string compressor_cases() {
  std::string out;
  for (const CompressorInfo& compressor : compressors()) {
    if (compressor.options.empty()) continue;
    out += "        " + std::string(compressor.name) + ") words=\"$words";
    for (const CompressorOption& option : compressor.options) {
      out += " " + std::string(option.text.name);
    }
    out += "\" ;;\n";
  }
  return out;
}

std::string compressor_words() {
  std::string out;
  for (const CompressorInfo& compressor : compressors()) {
    out += (out.empty() ? "" : " ") + std::string(compressor.name);
  }
  return out;
}

std::string section_words(Tool tool) {
  std::string out = "list";
  for (const SectionText& section : sections(tool)) out += " " + std::string(section.name);
  return out;
}

// "_squashkit_mksquashfs"; a dot is no part of a function's name.
std::string function_of(Tool tool) {
  std::string name = "_squashkit_" + std::string(name_of(tool));
  std::ranges::replace(name, '.', '_');
  return name;
}

// The options that the help shows, those of the compressors last, each name once.
std::vector<OptionText> shown_options(Tool tool) {
  std::vector<OptionText> out;
  for (const OptionRow& row : option_rows(tool)) {
    if (row.kind != OptionKind::kHidden) out.push_back(row.text);
  }
  if (tool == Tool::kFsck) return out;
  for (const CompressorInfo& compressor : compressors()) {
    for (const CompressorOption& option : compressor.options) {
      if (std::ranges::find(out, option.text.name, &OptionText::name) == out.end()) {
        out.push_back(option.text);
      }
    }
  }
  return out;
}

// What a value can be: words to choose from, or a path; nothing where neither is known.
struct Choice {
  std::string words;
  bool is_file = false, is_directory = false;
};

Choice choice_of(Tool tool, const OptionText& text) {
  if (text.argument == "<compressor>") return {compressor_words()};
  if (text.argument == "<section>") return {section_words(tool)};
  return {"", text.argument == "<file>", text.argument == "<directory>"};
}

// --- bash
// -----------------------------------------------------------------------------------------

std::string bash_case(const std::string& words, const std::string& action) {
  if (words.empty()) return {};
  return "    " + words + ")\n      mapfile -t COMPREPLY < <(compgen " + action +
         " -- \"$cur\")\n      return ;;\n";
}

// Puts the options of the compressor that is selected behind the others.
std::string bash_compressor_options() {
  return "    for ((i = 1; i < COMP_CWORD; i++)); do\n"
         "      [[ ${COMP_WORDS[i]} != -comp ]] || compressor=${COMP_WORDS[i + 1]}\n"
         "    done\n"
         "    case $compressor in\n" +
         compressor_cases() + "    esac\n";
}

std::string bash_function(Tool tool) {
  const bool is_writer = tool != Tool::kFsck;
  std::string out = function_of(tool) +
                    "() {\n"
                    "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
                    "  local words=\"" +
                    option_words(tool) + "\"\n";
  if (is_writer) out += "  local compressor=" + std::string(default_compressor().name) + " i\n";
  out += "  case $prev in\n";
  out += bash_case(words_taking(tool, "<compressor>"), "-W \"" + compressor_words() + "\"");
  out += bash_case(words_taking(tool, "<section>"), "-W \"" + section_words(tool) + "\"");
  out += bash_case(words_taking(tool, "<directory>"), "-d");
  out += bash_case(words_taking(tool, "<file>"), "-f");
  out += "  esac\n  if [[ $cur == -* ]]; then\n";
  if (is_writer) out += bash_compressor_options();
  return out +
         "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
         "  else\n"
         "    mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
         "  fi\n"
         "}\n\n";
}

std::string bash_completion() {
  std::string out = "# Completion of mksquashfs, sqfstar and fsck.squashfs for bash.\n";
  out += kMadeBy;
  for (const Tool tool : kTools) out += bash_function(tool);
  for (const Tool tool : kTools) {
    out +=
        "complete -o filenames -F " + function_of(tool) + " " + std::string(name_of(tool)) + "\n";
  }
  return out;
}

// --- zsh
// ------------------------------------------------------------------------------------------

// For a word in single quotes in which brackets and colons mean something.
std::string zsh_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return out;
}

std::string zsh_value(Tool tool, const OptionText& text) {
  if (text.argument.empty()) return {};
  const Choice choice = choice_of(tool, text);
  const std::string message = ":" + zsh_text(text.argument) + ":";
  if (!choice.words.empty()) return message + "(" + choice.words + ")";
  if (choice.is_directory) return message + "_files -/";
  return message + (choice.is_file ? "_files" : " ");
}

std::string zsh_function(Tool tool) {
  std::string out = function_of(tool) + "() {\n  _arguments \\\n";
  for (const OptionText& text : shown_options(tool)) {
    for (const std::string_view name : {text.name, text.alias}) {
      if (name.empty()) continue;
      const bool is_rest = text.argument.ends_with("...");  // all words behind it are its values
      out += "    '*" + std::string(name) + "[" + zsh_text(text.help) + "]" +
             (is_rest ? "" : zsh_value(tool, text)) + "' \\\n";
    }
  }
  return out + "    '*:file:_files'\n}\n\n";
}

std::string zsh_completion() {
  std::string out = "#compdef", cases;
  for (const Tool tool : kTools) {
    out += " " + std::string(name_of(tool));
    cases += "  " + std::string(name_of(tool)) + ") " + function_of(tool) + " \"$@\" ;;\n";
  }
  out += "\n# Completion of these programs for zsh.\n";
  out += kMadeBy;
  for (const Tool tool : kTools) out += zsh_function(tool);
  return out + "case $service in\n" + cases + "esac\n";
}

// --- fish
// -----------------------------------------------------------------------------------------

std::string fish_text(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

// "-s b", "-o noappend", "-l stats": a dash and a letter, a dash and a word, two dashes.
std::string fish_name(std::string_view name) {
  if (name.starts_with("--")) return " -l " + std::string(name.substr(2));
  return (name.size() == 2 ? " -s " : " -o ") + std::string(name.substr(1));
}

std::string fish_value(Tool tool, const OptionText& text) {
  if (text.argument.empty()) return {};
  const Choice choice = choice_of(tool, text);
  if (!choice.words.empty()) return " -x -a " + fish_text(choice.words);
  if (choice.is_directory) return " -x -a '(__fish_complete_directories)'";
  return choice.is_file || text.argument.ends_with("...") ? " -r" : " -x";
}

std::string fish_completion() {
  std::string out = "# Completion of mksquashfs, sqfstar and fsck.squashfs for fish.\n";
  out += kMadeBy;
  for (const Tool tool : kTools) {
    for (const OptionText& text : shown_options(tool)) {
      out += "complete -c " + std::string(name_of(tool)) + fish_name(text.name);
      if (!text.alias.empty()) out += fish_name(text.alias);
      out += fish_value(tool, text) + " -d " + fish_text(text.help) + "\n";
    }
  }
  return out;
}

}  // namespace

std::string completion(Shell shell) {
  switch (shell) {
    case Shell::kBash: return bash_completion();
    case Shell::kZsh: return zsh_completion();
    case Shell::kFish: return fish_completion();
  }
  return {};
}

}  // namespace sqfs
