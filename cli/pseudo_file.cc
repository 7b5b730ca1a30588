// SPDX-License-Identifier: MIT
#include "cli/pseudo_file.h"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "cli/pseudo_parser.h"

namespace sqfs {
namespace {

constexpr size_t kMaxLine = 16384;
constexpr size_t kPiece = 64u << 10;
constexpr std::string_view kDataMark = "# START OF DATA - DO NOT MODIFY";
constexpr std::string_view kDataHead = "#\n";  // between the mark and the data

// Takes the bytes of a file piece by piece: lines first, then, behind the mark, data.
class FileText {
 public:
  FileText(std::string name, System& system, std::vector<PseudoDefinition>& out)
      : name_(std::move(name)), system_(system), out_(out), first_(out.size()) {}

  // Whether the data has begun: all that follows is data.
  bool is_in_data() const { return is_marked_ && head_.size() == kDataHead.size(); }
  uint64_t consumed() const { return consumed_; }

  // Returns how much of `piece` was text; the rest is data.
  Result<size_t> take(Bytes piece) {
    size_t used = 0;
    for (; used < piece.size() && !is_in_data(); ++used) {
      const auto c = static_cast<char>(piece[used]);
      if (is_marked_) {
        head_ += c;
      } else if (c == '\n') {
        SQFS_CHECKED(end_line());
      } else {
        line_ += c;
        if (line_.size() > kMaxLine) return wrong(0, "the line is longer than 16384 bytes");
      }
    }
    consumed_ += used;
    if (is_in_data() && head_ != kDataHead) {
      return unsupported_error(name_ + ": a line \"#\" is expected in front of the data");
    }
    return used;
  }

  Status finish() {
    if (!line_.empty()) SQFS_CHECKED(end_line());
    if (!parts_.empty()) SQFS_CHECKED(end_definition());
    return ok();
  }

  // Gives the sections their file, in which the data begins at `start` and ends at `end`.
  Status attach(const std::shared_ptr<InputFile>& file, uint64_t start, uint64_t end) {
    for (size_t i = first_; i < out_.size(); ++i) {
      auto* section = std::get_if<PseudoSection>(&out_[i].kind);
      if (section == nullptr) continue;
      if (!is_in_data()) {
        return unsupported_error(out_[i].place + ": R refers to data, but the file has no line \"" +
                                 std::string(kDataMark) + "\"");
      }
      const uint64_t room = end - start;
      if (section->offset > room || section->size > room - section->offset) {
        return unsupported_error(
            out_[i].place + ": the data ends before byte " + std::to_string(section->offset) +
            " + " + std::to_string(section->size) + ", it has " + std::to_string(room) + " bytes");
      }
      section->file = file;
      section->offset += start;
    }
    return ok();
  }

 private:
  // A line that is part of a definition.
  struct Part {
    size_t start;  // in text_
    uint64_t line;
  };

  std::string place(uint64_t line) const { return name_ + ", line " + std::to_string(line); }

  Error wrong(size_t position, const std::string& what) const {
    uint64_t line = line_number_ + 1;
    size_t start = 0;
    for (const Part& part : parts_) {
      if (part.start <= position) line = part.line, start = part.start;
    }
    return unsupported_error(place(line) + ", column " + std::to_string(position - start + 1) +
                             ": " + what);
  }

  Status end_line() {
    if (parts_.empty() && line_ == kDataMark) {
      is_marked_ = true;
      line_.clear();
      return ok();
    }
    ++line_number_;
    parts_.push_back({text_.size(), line_number_});
    const size_t last = line_.find_last_not_of('\\');
    const size_t backslashes = line_.size() - (last == std::string::npos ? 0 : last + 1);
    const bool goes_on = backslashes % 2 == 1;
    if (goes_on) line_.pop_back();
    text_ += line_;
    line_.clear();
    return goes_on ? ok() : end_definition();
  }

  Status end_definition() {
    const size_t start = text_.find_first_not_of(" \t\v\f\r");
    if (start != std::string::npos && text_[start] != '#') {
      auto definition = parse_pseudo_definition(text_, system_, true);
      if (!definition) return wrong(definition.error().offset, definition.error().what);
      definition->place = place(parts_.front().line);
      out_.push_back(std::move(definition).value());
    }
    text_.clear();
    parts_.clear();
    return ok();
  }

  std::string name_;  // as messages have it
  System& system_;
  std::vector<PseudoDefinition>& out_;
  size_t first_;  // of this file in out_

  std::string line_;          // that is being read
  uint64_t line_number_ = 0;  // of the last complete one
  std::string text_;          // the definition that is being read
  std::vector<Part> parts_;
  bool is_marked_ = false;
  std::string head_;
  uint64_t consumed_ = 0;
};

Status read_regular_file(const std::string& path, Env& env, FileText& text) {
  SQFS_TRY(std::shared_ptr<InputFile> file, env.open_input(path));
  Buffer buffer(kPiece);
  while (!text.is_in_data()) {
    SQFS_TRY(const size_t got, file->read_at(text.consumed(), buffer));
    if (got == 0) break;
    SQFS_TRY([[maybe_unused]] const size_t used, text.take(Bytes(buffer).first(got)));
  }
  SQFS_CHECKED(text.finish());
  SQFS_TRY(const uint64_t size, file->size());
  return text.attach(file, text.consumed(), size);
}

// What comes but once, piece by piece.
class StreamReader {
 public:
  StreamReader(FileText& text, const std::string& destination, Env& env)
      : text_(text), destination_(destination), env_(env) {}

  Status take(Bytes piece) {
    SQFS_TRY(const size_t used, text_.take(piece));
    if (used == piece.size()) return ok();
    if (spool_ == nullptr) {
      SQFS_TRY(spool_, env_.create_spool(destination_));
    }
    return spool_->append(piece.subspan(used));
  }

  Status finish() {
    SQFS_CHECKED(text_.finish());
    if (spool_ == nullptr && text_.is_in_data()) {
      SQFS_TRY(spool_, env_.create_spool(destination_));  // for files without content
    }
    return text_.attach(spool_, 0, spool_ == nullptr ? 0 : spool_->end());
  }

 private:
  FileText& text_;
  const std::string& destination_;
  Env& env_;
  std::shared_ptr<SpoolFile> spool_;  // shared with the sections
};

Status read_standard_input(StreamReader& reader, Io& io) {
  Buffer buffer(kPiece);
  for (;;) {
    const auto got = io.env.read_standard_input(buffer);
    if (!got && got.error().os_errno == EINTR && !io.system.interrupted()) continue;
    if (!got) return got.error();
    if (*got == 0) return reader.finish();
    SQFS_CHECKED(reader.take(Bytes(buffer).first(*got)));
  }
}

Status check_standard_input(const MakeSettings& make) {
  const auto is_stream = [](const PseudoArgument& argument) {
    return argument.is_file && argument.value == "-";
  };
  const auto readers = std::ranges::count_if(make.pseudo, is_stream);
  if (readers > 1) return unsupported_error("-pf - can be given once: standard input ends once");
  const BuildOptions& build = make.build;
  const bool is_source = build.source_kind == SourceKind::kListedPaths ||
                         (build.source_kind == SourceKind::kArchives &&
                          std::ranges::find(build.sources, "-") != build.sources.end());
  if (readers == 0 || !is_source) return ok();
  return unsupported_error("-pf - and the sources cannot both be read from standard input");
}

Status read_pseudo_text(const std::string& text, Settings& settings) {
  auto definition = parse_pseudo_definition(text, settings.io.system, false);
  const std::string place = "-p \"" + printable_start(text) + "\"";
  if (!definition) {
    const uint64_t column = definition.error().offset + 1;
    return std::move(definition).error().with_context(place + ", column " + std::to_string(column));
  }
  definition->place = place;
  settings.make.build.pseudo.push_back(std::move(definition).value());
  return ok();
}

}  // namespace

Status read_pseudo_file(const std::string& path, const std::string& destination, Io& io,
                        std::vector<PseudoDefinition>& out) {
  const bool is_input = path == "-";
  FileText text(is_input ? "standard input" : printable(path), io.system, out);
  StreamReader reader(text, destination, io.env);
  if (is_input) return read_standard_input(reader, io);
  const auto info = io.env.stat(path);
  if (!info) {
    return io_error(info.error().os_errno, "Could not open the definitions \"" + printable(path) +
                                               "\" because " + errno_text(info.error().os_errno));
  }
  if (info->type == FileType::kRegular) return read_regular_file(path, io.env, text);
  SQFS_CHECKED(io.system.read_stream(path, [&](Bytes piece) { return reader.take(piece); }));
  return reader.finish();
}

Status read_pseudo_arguments(Settings& settings) {
  MakeSettings& make = settings.make;
  SQFS_CHECKED(check_standard_input(make));
  for (const PseudoArgument& argument : make.pseudo) {
    SQFS_CHECKED(argument.is_file ? read_pseudo_file(argument.value, make.destination, settings.io,
                                                     make.build.pseudo)
                                  : read_pseudo_text(argument.value, settings));
  }
  return ok();
}

}  // namespace sqfs
