// SPDX-License-Identifier: MIT
#include "cli/option_parser.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "cli/help.h"
#include "cli/suggest.h"

namespace sqfs {
namespace {

using Words = std::span<const std::string_view>;

bool is_option(std::string_view word) { return word.size() > 1 && word[0] == '-'; }

const CompressorOption* find_compressor_option(const CompressorInfo& compressor,
                                               std::string_view word) {
  for (const CompressorOption& option : compressor.options) {
    if (option.text.name == word) return &option;
  }
  return nullptr;
}

// Whether the word behind `word` is its value, as far as that can be told before -comp is known.
bool takes_value(Tool tool, std::string_view word) {
  if (const OptionRow* row = find_option(tool, word)) return row->takes_value();
  return std::ranges::any_of(compressors(), [&](const CompressorInfo& compressor) {
    const CompressorOption* option = find_compressor_option(compressor, word);
    return option != nullptr && !option->text.argument.empty();
  });
}

std::vector<std::string_view> known_words(Tool tool, const CompressorInfo* compressor) {
  std::vector<std::string_view> words;
  for (const OptionRow& row : option_rows(tool)) {
    if (row.kind == OptionKind::kHidden) continue;
    words.push_back(row.text.name);
    if (!row.text.alias.empty()) words.push_back(row.text.alias);
  }
  if (compressor == nullptr) return words;
  for (const CompressorOption& option : compressor->options) words.push_back(option.text.name);
  return words;
}

std::string did_you_mean(Tool tool, std::string_view word, const CompressorInfo* compressor) {
  const std::string nearest = nearest_word(word, known_words(tool, compressor));
  return nearest.empty() ? std::string() : ". Did you mean " + nearest + "?";
}

Error missing_value(const OptionText& option) {
  return usage_error(std::string(option.name) + " needs a value: " + std::string(option.name) +
                     " " + std::string(option.argument));
}

// --- mksquashfs and sqfstar
// -------------------------------------------------------------------------

// Calls visit(row, value) for the options of a kind of question before the parse proper; a missing
// value is given as nullopt. Ends where options end.
template <class Visit>
void scan(Tool tool, Words args, Visit visit) {
  for (size_t i = 0; i < args.size(); ++i) {
    const OptionRow* row = find_option(tool, args[i]);
    if (row != nullptr && row->kind == OptionKind::kRest) return;
    if (tool == Tool::kSqfstar && !is_option(args[i])) return;
    const bool has_value = takes_value(tool, args[i]);
    if (row != nullptr) {
      std::optional<std::string_view> value;
      if (has_value && i + 1 < args.size()) value = args[i + 1];
      if (!visit(*row, value)) return;
    }
    if (has_value) ++i;
  }
}

Status scan_print_options(Words args, Settings& settings) {
  Status status = ok();
  scan(settings.tool, args, [&](const OptionRow& row, std::optional<std::string_view> value) {
    if (row.section == Section::kHelp && row.kind == OptionKind::kPlain) {  // says how to print
      status = row.takes_value() && !value ? missing_value(row.text)
                                           : row.apply(settings, value.value_or(""));
      return status.has_value();
    }
    if (row.kind != OptionKind::kPrint || settings.print != Print::kNothing) return true;
    status = row.takes_value() && !value ? missing_value(row.text)
                                         : row.apply(settings, value.value_or(""));
    return status.has_value();
  });
  return status;
}

Status scan_compressor(Words args, Settings& settings) {
  Status status = ok();
  scan(settings.tool, args, [&](const OptionRow& row, std::optional<std::string_view> value) {
    if (row.text.name == "-comp") {
      status = value ? row.apply(settings, *value) : missing_value(row.text);
    }
    return status.has_value();
  });
  return status;
}

Status take_names(Words words, Settings& settings) {
  if (words.empty()) return usage_error("sources and an image have to stand before the options");
  if (words.size() == 1) return usage_error("no image is named: only one word is given");
  settings.make.destination = std::string(words.back());
  if (words[0] == "-") {
    if (words.size() > 2) return usage_error("\"-\" stands for no sources: nothing may follow it");
    settings.make.build.source_kind = SourceKind::kNothing;
    return ok();
  }
  for (const std::string_view word : words.first(words.size() - 1)) {
    if (word == "-") {
      return usage_error("\"-\" has to be the only source; a file of that name is ./-");
    }
    settings.make.build.sources.emplace_back(word);
  }
  return ok();
}

// An option of the compressor. Its errors come without usage lines: they list what there is.
Status take_compressor_option(std::string_view word, std::optional<std::string_view> value,
                              Settings& settings) {
  const CompressorInfo& compressor = *settings.make.build.data.compressor;
  const CompressorOption* option = find_compressor_option(compressor, word);
  if (option == nullptr) {
    std::string text = std::string(compressor.name) + " has no option " + printable(word);
    if (!settings.make.compressor_given) text += ". Is -comp missing?";
    return unsupported_error(text + "\n" + compressor_help(compressor, kNarrowColumns));
  }
  if (!option->text.argument.empty() && !value) {
    Error error = missing_value(option->text);
    error.code = Code::kUnsupported;
    return error;
  }
  Status status = option->apply(settings.make.build.data.config, value.value_or(""));
  if (!status) status.error().code = Code::kUnsupported;
  settings.make.compressor_options.push_back(std::string(word) +
                                             (value ? " " + std::string(*value) : ""));
  return status;
}

// The words from behind -e, or of sqfstar's image, on. `what`: which those are.
void take_excludes(std::string_view what, Words words, Settings& settings) {
  std::string swallowed;
  for (const std::string_view word : words) {
    const OptionRow* other = find_option(settings.tool, word);
    // A second -e is harmless, and common: it only excludes a file called "-e".
    const bool is_repeated = other != nullptr && other->kind == OptionKind::kRest;
    const bool looks_meant = other != nullptr || word.starts_with("-X");
    if (looks_meant && !is_repeated) swallowed += (swallowed.empty() ? "" : " ") + printable(word);
    settings.make.build.filter.excludes.emplace_back(word);
  }
  if (swallowed.empty()) return;
  settings.warnings.push_back("words behind " + std::string(what) +
                              " are excludes, not options: " + swallowed);
}

Error unknown_option(std::string_view word, const Settings& settings) {
  const std::string_view what =
      is_option(word) ? " is no option" : " is no option; sources come before the image";
  return usage_error(printable(word) + std::string(what) +
                     did_you_mean(settings.tool, word, settings.make.build.data.compressor));
}

// Takes options, but not -e, up to the end or to a word that is none; returns how many words those
// were.
Result<size_t> take_options(Words words, Settings& settings) {
  bool has_compressor_option = false;
  size_t i = 0;
  for (; i < words.size() && is_option(words[i]); ++i) {
    const std::string_view word = words[i];
    const OptionRow* row = find_option(settings.tool, word);
    if (row != nullptr && row->kind == OptionKind::kRest) break;
    std::optional<std::string_view> value;
    const bool has_value = takes_value(settings.tool, word);
    if (has_value && i + 1 < words.size()) value = words[i + 1];
    if (word.starts_with("-X") && row == nullptr) {
      SQFS_CHECKED(take_compressor_option(word, value, settings));
      has_compressor_option = true;
    } else if (row == nullptr) {
      return unknown_option(word, settings);
    } else if (has_value && !value) {
      return missing_value(row->text);
    } else if (settings.tool == Tool::kSqfstar && has_compressor_option && word == "-comp") {
      return unsupported_error("-comp has to stand before the options of the compressor");
    } else {
      SQFS_CHECKED(row->apply(settings, value.value_or("")));
    }
    if (has_value) ++i;
  }
  return i;
}

// What has to be known before the options are taken one by one.
Status look_ahead(Words args, Settings& settings) {
  settings.make.build.data.compressor = &default_compressor();
  SQFS_CHECKED(scan_print_options(args, settings));
  const bool prints = settings.print != Print::kNothing;
  if (prints && settings.print != Print::kXhelp) return ok();
  return scan_compressor(args, settings);
}

// -tar changes the default of another option, wherever it stands.
bool reads_tar(Words args) {
  bool is_there = false;
  scan(Tool::kMksquashfs, args, [&](const OptionRow& row, std::optional<std::string_view>) {
    is_there = is_there || row.text.name == "-tar";
    return true;
  });
  return is_there;
}

// Layers may also stand behind sqfstar's image, as sources do behind that of other programs.
// Returns the other words.
Result<std::vector<std::string_view>> take_layers(Words words, Settings& settings) {
  const OptionRow* layer = find_option(Tool::kSqfstar, "-layer");
  std::vector<std::string_view> rest;
  for (size_t i = 0; i < words.size(); ++i) {
    if (find_option(Tool::kSqfstar, words[i]) != layer) {
      rest.push_back(words[i]);
      continue;
    }
    if (++i == words.size()) return missing_value(layer->text);
    SQFS_CHECKED(layer->apply(settings, words[i]));
  }
  return rest;
}

// --- fsck
// ---------------------------------------------------------------------------------------------

struct FsckParser {
  Words args;
  Settings& settings;
  std::vector<std::string_view> operands;
  size_t next = 0;

  Status unknown(std::string_view word) {
    return usage_error(printable(word) + " is no option" +
                       did_you_mean(Tool::kFsck, word, nullptr));
  }

  // `attached`: the value that stands in the same word.
  Status apply(const OptionRow& row, std::optional<std::string_view> attached) {
    if (!row.takes_value()) {
      if (attached) return usage_error(std::string(row.text.name) + " takes no value");
      return row.apply(settings, {});
    }
    if (attached) return row.apply(settings, *attached);
    if (next == args.size()) return missing_value(row.text);
    return row.apply(settings, args[next++]);
  }

  Status take_long(std::string_view word) {
    const size_t equals = word.find('=');
    const OptionRow* row = find_option(Tool::kFsck, word.substr(0, equals));
    if (row == nullptr) return unknown(word);
    if (equals == std::string_view::npos) return apply(*row, std::nullopt);
    return apply(*row, word.substr(equals + 1));
  }

  Status take_short(std::string_view word) {
    for (size_t i = 1; i < word.size(); ++i) {
      const std::string name{'-', word[i]};
      const OptionRow* row = find_option(Tool::kFsck, name);
      if (row == nullptr) return unknown(word);
      const std::string_view rest = word.substr(i + 1);
      if (row->takes_value()) {
        return apply(*row, rest.empty() ? std::nullopt : std::optional(rest));
      }
      SQFS_CHECKED(apply(*row, std::nullopt));
    }
    return ok();
  }

  Status run() {
    while (next < args.size()) {
      const std::string_view word = args[next++];
      if (word == "--") {
        operands.insert(operands.end(), args.begin() + static_cast<std::ptrdiff_t>(next),
                        args.end());
        break;
      }
      if (word.starts_with("--")) {
        SQFS_CHECKED(take_long(word));
      } else if (is_option(word)) {
        SQFS_CHECKED(take_short(word));
      } else {
        operands.push_back(word);
      }
    }
    return ok();
  }
};

}  // namespace

Status parse_mksquashfs(std::span<const std::string_view> args, Settings& settings) {
  SQFS_CHECKED(look_ahead(args, settings));
  if (settings.print != Print::kNothing) return ok();
  if (reads_tar(args)) settings.make.build.data.fragments = FragmentPolicy::kTailEnds;
  if (args.empty()) return usage_error("neither sources nor an image are named");
  const auto first_option = std::ranges::find_if(args, is_option);
  const auto names = static_cast<size_t>(first_option - args.begin());
  SQFS_CHECKED(take_names(args.first(names), settings));
  SQFS_TRY(const size_t options, take_options(args.subspan(names), settings));
  const Words rest = args.subspan(names + options);
  if (rest.empty()) return ok();
  if (!is_option(rest[0])) return unknown_option(rest[0], settings);
  if (rest.size() == 1) return usage_error(std::string(rest[0]) + " needs a value");
  take_excludes(rest[0], rest.subspan(1), settings);
  return ok();
}

Status parse_sqfstar(std::span<const std::string_view> args, Settings& settings) {
  BuildOptions& build = settings.make.build;
  build.source_kind = SourceKind::kArchives;
  build.sources = {"-"};
  build.export_table = false;
  build.data.fragments = FragmentPolicy::kTailEnds;
  build.filter.syntax = ExcludeSyntax::kWildcards;
  SQFS_CHECKED(look_ahead(args, settings));
  if (settings.print != Print::kNothing) return ok();
  SQFS_TRY(const size_t options, take_options(args, settings));
  const Words rest = args.subspan(options);
  if (rest.empty() && !build.data.is_stream) return usage_error("no image is named");
  if (rest.empty()) return ok();
  settings.make.destination = std::string(rest[0]);
  SQFS_TRY(const std::vector<std::string_view> excludes, take_layers(rest.subspan(1), settings));
  take_excludes("the image", excludes, settings);
  return ok();
}

Status parse_fsck(std::span<const std::string_view> args, Settings& settings, std::string& image) {
  FsckParser parser{args, settings, {}};
  SQFS_CHECKED(parser.run());
  if (settings.print != Print::kNothing) return ok();
  if (parser.operands.empty()) return usage_error("no image is named");
  if (parser.operands.size() > 1) return usage_error("one image at a time");
  image = std::string(parser.operands[0]);
  return ok();
}

}  // namespace sqfs
