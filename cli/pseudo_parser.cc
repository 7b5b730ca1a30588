// SPDX-License-Identifier: MIT
#include "cli/pseudo_parser.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "cli/option_values.h"
#include "squashfs-format/constants.h"
#include "squashfs-format/directory.h"

namespace sqfs {
namespace {

constexpr uint32_t kMaxMode = 07777;
constexpr std::string_view kBlanks = " \t\n\v\f\r";

bool is_blank(char c) { return kBlanks.find(c) != std::string_view::npos; }

// The definition with its words, one after another.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  Error wrong(std::string what) const {
    Error error = unsupported_error(std::move(what));
    error.offset = start_;
    return error;
  }

  // The next word as it stands; empty at the end.
  std::string_view plain() {
    skip_blanks();
    const size_t end = std::min(text_.find_first_of(kBlanks, next_), text_.size());
    const std::string_view word = text_.substr(next_, end - next_);
    next_ = end;
    return word;
  }

  // The next word without its quotes and backslashes; nullopt at the end. "" is a word.
  Result<std::optional<std::string>> quoted() {
    skip_blanks();
    if (next_ == text_.size()) return std::optional<std::string>();
    std::string word;
    bool is_inside = false;
    for (; next_ < text_.size() && (is_inside || !is_blank(text_[next_])); ++next_) {
      const char c = text_[next_];
      if (c == '"') {
        is_inside = !is_inside;
      } else if (c == '\\' && next_ + 1 < text_.size()) {
        word += text_[++next_];
      } else {
        word += c;
      }
    }
    if (is_inside) return wrong("the quotation mark has no counterpart");
    return std::optional(std::move(word));
  }

  // All that follows the blanks.
  std::string_view rest() {
    skip_blanks();
    return text_.substr(std::exchange(next_, text_.size()));
  }

  Status end() {
    const std::string_view word = plain();
    if (word.empty()) return ok();
    return wrong("nothing is expected behind the last word, but there is \"" +
                 printable_start(word) + "\"");
  }

 private:
  void skip_blanks() {
    while (next_ < text_.size() && is_blank(text_[next_])) ++next_;
    start_ = next_;
  }

  std::string_view text_;
  size_t next_ = 0, start_ = 0;  // behind the last word, and where it starts
};

Error missing(const Words& words, std::string_view what) {
  return words.wrong(std::string(what) + " is missing");
}

Result<std::string_view> word_for(Words& words, std::string_view what) {
  const std::string_view word = words.plain();
  if (word.empty()) return missing(words, what);
  return word;
}

// The error of a parser of option values, at the word that it was about.
template <class T>
Result<T> placed(const Words& words, Result<T> result) {
  if (result) return result;
  return words.wrong(std::move(result).error().what);
}

Result<uint64_t> number(Words& words, std::string_view what, uint64_t max) {
  SQFS_TRY(const std::string_view word, word_for(words, what));
  if (const auto value = parse_decimal(word, max)) return *value;
  return words.wrong(std::string(what) + " is a number from 0 to " + std::to_string(max) +
                     ", not \"" + printable_start(word) + "\"");
}

Result<std::string> image_path(Words& words, std::string_view what) {
  SQFS_TRY(const std::optional<std::string> text, words.quoted());
  if (!text) return missing(words, what);
  std::string path;
  for (const std::string_view component : split(*text, '/')) {
    if (component.empty()) continue;
    if (!is_legal_name(component)) {
      return words.wrong("\"" + printable_start(component) +
                         "\" cannot be a name: names have 1 to 255 bytes and are neither . nor ..");
    }
    path += (path.empty() ? "" : "/") + std::string(component);
  }
  return path;
}

Result<PseudoAttributes> attributes(Words& words, System& system, bool has_time) {
  PseudoAttributes out;
  if (has_time) {
    SQFS_TRY(const std::optional<std::string> time, words.quoted());
    if (!time) return missing(words, "TIME");
    SQFS_TRY(out.time, placed(words, parse_time(system, "TIME", *time)));
  }
  SQFS_TRY(const std::string_view mode_word, word_for(words, "MODE"));
  const auto mode = parse_octal(mode_word, kMaxMode);
  if (!mode) {
    return words.wrong("MODE is an octal number up to 7777, not \"" + printable_start(mode_word) +
                       "\"");
  }
  out.mode = static_cast<uint16_t>(*mode);
  SQFS_TRY(const std::string_view user, word_for(words, "UID"));
  SQFS_TRY(out.uid, placed(words, parse_user(system, "UID", user)));
  SQFS_TRY(const std::string_view group, word_for(words, "GID"));
  SQFS_TRY(out.gid, placed(words, parse_group(system, "GID", group)));
  return out;
}

// --- what stands behind the attributes -----------------------------------------------------------

Result<PseudoKind> directory(Words&) { return PseudoKind(Directory{}); }
Result<PseudoKind> modify(Words&) { return PseudoKind(PseudoModify{}); }

Result<PseudoKind> device(Words& words, bool is_block) {
  SQFS_TRY(const uint64_t major, number(words, "MAJOR", kMaxMajor));
  SQFS_TRY(const uint64_t minor, number(words, "MINOR", kMaxMinor));
  return PseudoKind(
      DeviceNode{is_block, static_cast<uint32_t>(major), static_cast<uint32_t>(minor)});
}
Result<PseudoKind> block_device(Words& words) { return device(words, true); }
Result<PseudoKind> char_device(Words& words) { return device(words, false); }

Result<PseudoKind> command(Words& words) {
  const std::string_view text = words.rest();
  if (text.empty()) return missing(words, "COMMAND");
  return PseudoKind(PseudoCommand{std::string(text)});
}

Result<PseudoKind> symlink(Words& words) {
  const std::string_view target = words.rest();
  if (target.empty()) return missing(words, "TARGET");
  if (target.size() > kMaxSymlinkLength) {
    return words.wrong("TARGET has " + std::to_string(target.size()) +
                       " bytes; a kernel can follow 1 to 4095");
  }
  return PseudoKind(Symlink{std::string(target)});
}

Result<PseudoKind> ipc(Words& words) {
  SQFS_TRY(const std::string_view type, word_for(words, "s or f"));
  if (type != "s" && type != "f") {
    return words.wrong("s (a socket) or f (a fifo) is expected, not \"" + printable_start(type) +
                       "\"");
  }
  return PseudoKind(IpcNode{.is_socket = type == "s"});
}

Result<PseudoKind> section(Words& words) {
  PseudoSection out;
  SQFS_TRY(out.size, number(words, "LENGTH", ~uint64_t{0}));
  SQFS_TRY(out.offset, number(words, "OFFSET", ~uint64_t{0}));
  // unsquashfs 4.5 does not write it.
  const std::string_view sparse = words.plain();
  if (!sparse.empty() && sparse != "0" && sparse != "1") {
    return words.wrong("SPARSE is 0 or 1, not \"" + printable_start(sparse) + "\"");
  }
  out.is_sparse = sparse != "0";
  return PseudoKind(std::move(out));
}

Result<PseudoKind> xattr(Words& words) {
  const std::string_view text = words.rest();
  if (text.empty()) return missing(words, "NAME=VALUE");
  SQFS_TRY(XattrArgument argument, placed(words, parse_xattr_argument("attribute", text)));
  return PseudoKind(PseudoXattr{{std::move(argument.name), std::move(argument.value)}});
}

Result<PseudoKind> host_file(Words& words, bool follows_symlinks) {
  SQFS_TRY(std::optional<std::string> path, words.quoted());
  if (!path || path->empty()) return missing(words, "FILE");
  return PseudoKind(PseudoHostFile{std::move(*path), follows_symlinks});
}
Result<PseudoKind> plain_host_file(Words& words) { return host_file(words, false); }
Result<PseudoKind> real_host_file(Words& words) { return host_file(words, true); }

Result<PseudoKind> link(Words& words) {
  SQFS_TRY(std::string target, image_path(words, "DEFINED"));
  return PseudoKind(PseudoLink{std::move(target)});
}

// --- letters -------------------------------------------------------------------------------------

enum class AttributeWords : uint8_t { kNone, kUntimed, kTimed };

struct Letter {
  char letter;
  AttributeWords attributes;
  std::string_view arguments;  // behind the attributes
  Result<PseudoKind> (*parse)(Words&);
};

constexpr Letter kLetters[] = {
    {'d', AttributeWords::kUntimed, "", directory},
    {'D', AttributeWords::kTimed, "", directory},
    {'m', AttributeWords::kUntimed, "", modify},
    {'M', AttributeWords::kTimed, "", modify},
    {'f', AttributeWords::kUntimed, " COMMAND", command},
    {'F', AttributeWords::kTimed, " COMMAND", command},
    {'s', AttributeWords::kUntimed, " TARGET", symlink},
    {'S', AttributeWords::kTimed, " TARGET", symlink},
    {'b', AttributeWords::kUntimed, " MAJOR MINOR", block_device},
    {'B', AttributeWords::kTimed, " MAJOR MINOR", block_device},
    {'c', AttributeWords::kUntimed, " MAJOR MINOR", char_device},
    {'C', AttributeWords::kTimed, " MAJOR MINOR", char_device},
    {'i', AttributeWords::kUntimed, " s|f", ipc},
    {'I', AttributeWords::kTimed, " s|f", ipc},
    {'x', AttributeWords::kNone, " NAME=VALUE", xattr},
    {'l', AttributeWords::kNone, " FILE", plain_host_file},
    {'h', AttributeWords::kNone, " FILE", real_host_file},
    {'L', AttributeWords::kNone, " DEFINED", link},
    {'R', AttributeWords::kTimed, " LENGTH OFFSET SPARSE", section},
};

constexpr std::string_view form_of(AttributeWords attributes) {
  switch (attributes) {
    case AttributeWords::kNone: return "";
    case AttributeWords::kUntimed: return " MODE UID GID";
    default: return " TIME MODE UID GID";
  }
}

Error with_form(Error error, const std::string& form) {
  error.what += "\nExpected: " + form;
  return error;
}

std::string all_letters() {
  std::string out;
  for (const Letter& letter : kLetters) out += std::string(out.empty() ? "" : " ") + letter.letter;
  return out;
}

Result<const Letter*> letter_of(Words& words) {
  SQFS_TRY(const std::string_view word, word_for(words, "the type, a letter,"));
  const auto* found = std::ranges::find_if(
      kLetters, [&](const Letter& row) { return word.size() == 1 && word[0] == row.letter; });
  if (found != std::end(kLetters)) return found;
  return words.wrong("\"" + printable_start(word) + "\" is none of the types " + all_letters() +
                     "; a name with blanks needs quotation marks");
}

Result<PseudoDefinition> parse_arguments(Words& words, const Letter& letter, System& system,
                                         std::string path) {
  PseudoDefinition out{std::move(path), {}, {}, {}};
  if (letter.attributes != AttributeWords::kNone) {
    const bool has_time = letter.attributes == AttributeWords::kTimed;
    SQFS_TRY(out.attributes, attributes(words, system, has_time));
  }
  SQFS_TRY(out.kind, letter.parse(words));
  SQFS_CHECKED(words.end());
  return out;
}

}  // namespace

Result<PseudoDefinition> parse_pseudo_definition(std::string_view text, System& system,
                                                 bool allows_sections) {
  const std::string general = "NAME TYPE ARGUMENT..., as in \"dev/null c 666 root root 1 3\"";
  Words words(text);
  auto path = image_path(words, "the name");
  if (!path) return with_form(std::move(path).error(), general);
  const auto letter = letter_of(words);
  if (!letter) return with_form(letter.error(), general);
  const Letter& row = **letter;
  if (row.letter == 'R' && !allows_sections) {
    return with_form(words.wrong("R refers to the data in a file of definitions"),
                     "it in a file that -pf names");
  }
  auto out = parse_arguments(words, row, system, *std::move(path));
  if (out) return out;
  return with_form(std::move(out).error(), std::string("NAME ") + row.letter +
                                               std::string(form_of(row.attributes)) +
                                               std::string(row.arguments));
}

Result<PseudoAttributes> parse_pseudo_directory(std::string_view text, System& system) {
  const auto parse = [&]() -> Result<PseudoAttributes> {
    Words words(text);
    SQFS_TRY(const std::string_view letter, word_for(words, "d or D"));
    if (letter != "d" && letter != "D") {
      return words.wrong("d or D is expected, not \"" + printable_start(letter) + "\"");
    }
    SQFS_TRY(const PseudoAttributes out, attributes(words, system, letter == "D"));
    SQFS_CHECKED(words.end());
    return out;
  };
  auto out = parse();
  if (out) return out;
  return with_form(std::move(out).error(), "\"d MODE UID GID\" or \"D TIME MODE UID GID\"");
}

}  // namespace sqfs
