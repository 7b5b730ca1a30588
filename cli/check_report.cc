// SPDX-License-Identifier: MIT
#include "cli/check_report.h"

#include <array>
#include <cstdio>

#include "base/text.h"
#include "squashfs-format/problem.h"

namespace sqfs {
namespace {

constexpr uint64_t kMaxDifferences = 50;  // lines; the rest are counted

std::string hex(uint64_t value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(value));
  return text.data();
}

std::string_view severity_name(Severity severity) {
  switch (severity) {
    case Severity::kNote: return "note";
    case Severity::kWarning: return "warning";
    case Severity::kError: return "error";
    case Severity::kFatal: return "fatal";
  }
  return "error";
}

std::string_view where_name(Where where) {
  switch (where) {
    case Where::kSuperblock: return "superblock";
    case Where::kTable: return "table";
    case Where::kInode: return "inode";
    case Where::kDirectory: return "directory";
    case Where::kFragment: return "fragment";
    case Where::kXattrSet: return "xattr set";
    case Where::kBlock: return "block";
    case Where::kImage: return "image";
  }
  return "image";
}

std::string place_of(const Finding& finding) {
  std::string out(where_name(finding.where));
  if (finding.where == Where::kSuperblock) return out;
  if (finding.inode_number != 0) {
    out += finding.where == Where::kInode ? " " : " of inode ";
    out += std::to_string(finding.inode_number);
  }
  if (!finding.path.empty()) out += " " + printable(finding.path);
  return out + " at " + hex(finding.image_offset);
}

std::string counted(uint64_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

std::string in_brief(const Verdict& verdict) {
  const std::array<std::pair<uint64_t, std::string_view>, 3> counts{
      std::pair{verdict.fatal, "fatal error"}, std::pair{verdict.errors, "error"},
      std::pair{verdict.warnings, "warning"}};
  std::string out;
  for (const auto& [count, what] : counts) {
    if (count != 0) out += (out.empty() ? "" : ", ") + counted(count, what);
  }
  return out;
}

std::string what_was_checked(const Verdict& verdict) {
  return counted(verdict.inodes, "inode") + " (" + std::to_string(verdict.directories) +
         " directories, " + counted(verdict.files, "file") + "), " +
         counted(verdict.data_blocks, "data block") + ", " +
         counted(verdict.fragments, "fragment block") + ", " +
         counted(verdict.bytes_checked, "byte") + " checked";
}

class TextReport final : public CheckReport {
 public:
  TextReport(const CheckSettings& settings, std::string image, Io& io)
      : settings_(settings), prefix_(printable(image) + ": "), io_(io) {}

  void report(const Finding& finding) override {
    const ProblemInfo& row = info(finding.problem);
    const bool is_wanted = row.severity != Severity::kNote || settings_.verbose;
    if (settings_.quiet || !is_wanted) return;
    std::string line = prefix_ + std::string(severity_name(row.severity)) + "[" +
                       kebab_name(finding.problem) + "]: " + place_of(finding) + ": " +
                       printable(finding.message);
    if (!row.effect.empty()) line += " (kernel: " + std::string(row.effect) + ")";
    io_.out.write(line + "\n");
  }

  void report(const Difference& difference) override {
    if (settings_.quiet || ++differences_ > kMaxDifferences) return;
    std::string line = prefix_ + "difference[" + std::string(difference.field) +
                       "]: " + printable(difference.path) + ": ";
    if (difference.field == "content") {
      line += difference.in_image;
    } else {
      line += printable(difference.in_image) + " in the image, " +
              printable(difference.in_directory) + " in the directory";
    }
    io_.out.write(line + "\n");
  }

  void finish(const Verdict& verdict, uint64_t differences, bool compared) override {
    for (const Verdict::Unreported& rest : verdict.unreported) report_rest(rest);
    std::string line = in_brief(verdict);
    if (differences != 0) line += (line.empty() ? "" : ", ") + counted(differences, "difference");
    const bool is_wanted = !line.empty() || settings_.verbose;
    if (settings_.quiet || !is_wanted) return;
    const bool is_clean = verdict.is_clean() && differences == 0;
    if (is_clean)
      line = (compared ? "clean, equal to the directory" : "clean") +
             (line.empty() ? "" : "; " + line);
    if (verdict.stopped) line += "; what follows was not judged";
    if (settings_.verbose) line += "; " + what_was_checked(verdict);
    io_.out.write(prefix_ + line + "\n");
  }

  void fail(const Error& error) override {
    io_.err.write("fsck.squashfs: " + prefix_ + printable(error.what) + "\n");
  }

 private:
  void report_rest(const Verdict::Unreported& rest) {
    const Severity severity = info(rest.problem).severity;
    const bool is_wanted = severity != Severity::kNote || settings_.verbose;
    if (settings_.quiet || !is_wanted) return;
    io_.out.write(prefix_ + std::string(severity_name(severity)) + "[" + kebab_name(rest.problem) +
                  "]: " + std::to_string(rest.count) + " more of this kind\n");
  }

  const CheckSettings& settings_;
  const std::string prefix_;
  Io& io_;
  uint64_t differences_ = 0;
};

// Length of the UTF-8 sequence at the start of `text`, 0 when there is none.
size_t utf8_length(std::string_view text) {
  const auto at = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = at(0);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xc0) != 0x80) return 0;
  }
  // Overlong forms, surrogates, and what lies above U+10FFFF.
  const bool is_bad = (lead == 0xe0 && at(1) < 0xa0) || (lead == 0xed && at(1) > 0x9f) ||
                      (lead == 0xf0 && at(1) < 0x90) || (lead == 0xf4 && at(1) > 0x8f);
  return is_bad ? 0 : length;
}

std::string unicode_escape(unsigned code) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "\\u%04x", code);
  return text.data();
}

std::string member(std::string_view name, std::string_view text) {
  return "\"" + std::string(name) + "\": " + json_string(text);
}
std::string member(std::string_view name, uint64_t number) {
  return "\"" + std::string(name) + "\": " + std::to_string(number);
}

std::string_view kernel_name(KernelVerdict verdict) {
  switch (verdict) {
    case KernelVerdict::kAccepts: return "accepts";
    case KernelVerdict::kSilent: return "silent";
    case KernelVerdict::kEio: return "eio";
    case KernelVerdict::kRejects: return "rejects";
    case KernelVerdict::kCrashes: return "crashes";
  }
  return "accepts";
}

class JsonReport final : public CheckReport {
 public:
  JsonReport(const CheckSettings& settings, const std::string& image, Io& io) : io_(io) {
    io_.out.write("{\n  " + member("image", image) + ",\n  " +
                  member("offset", settings.verify.offset) + ",\n  \"findings\": [");
  }

  void report(const Finding& finding) override {
    const ProblemInfo& row = info(finding.problem);
    item(member("problem", kebab_name(finding.problem)) + ", " +
         member("number", static_cast<uint64_t>(finding.problem)) + ", " +
         member("severity", severity_name(row.severity)) + ", " +
         member("where", where_name(finding.where)) + ", " +
         member("image_offset", finding.image_offset) + ", " +
         member("inode", finding.inode_number) + ", " + member("path", finding.path) + ", " +
         member("found", finding.found) + ", " + member("expected", finding.expected) + ", " +
         member("detail", finding.detail) + ", " + member("message", finding.message) + ", " +
         member("kernel", kernel_name(row.kernel)) + ", " + member("effect", row.effect));
  }

  void report(const Difference& difference) override {
    begin_differences();
    item(member("path", difference.path) + ", " + member("field", difference.field) + ", " +
         member("in_image", difference.in_image) + ", " +
         member("in_directory", difference.in_directory));
  }

  void finish(const Verdict& verdict, uint64_t differences, bool compared) override {
    if (compared) begin_differences();
    const bool is_clean = verdict.is_clean() && differences == 0;
    end_list();
    write_unlisted(verdict);
    io_.out.write(
        ",\n  " + member("result", is_clean ? "clean" : "errors") +
        ",\n  \"stopped\": " + (verdict.stopped ? "true" : "false") + ",\n  \"counts\": {" +
        member("fatal", verdict.fatal) + ", " + member("errors", verdict.errors) + ", " +
        member("warnings", verdict.warnings) + ", " + member("notes", verdict.notes) + ", " +
        member("differences", differences) + ", " + member("inodes", verdict.inodes) + ", " +
        member("directories", verdict.directories) + ", " + member("files", verdict.files) + ", " +
        member("data_blocks", verdict.data_blocks) + ", " + member("fragments", verdict.fragments) +
        ", " + member("bytes_checked", verdict.bytes_checked) + "}\n}\n");
  }

  void fail(const Error& error) override {
    end_list();
    io_.out.write(",\n  " + member("result", "not judged") + ",\n  " + member("error", error.what) +
                  "\n}\n");
    io_.err.write("fsck.squashfs: " + printable(error.what) + "\n");
  }

 private:
  void write_unlisted(const Verdict& verdict) {
    io_.out.write(",\n  \"unlisted\": {");
    std::string_view separator;
    for (const Verdict::Unreported& rest : verdict.unreported) {
      io_.out.write(std::string(separator) + member(kebab_name(rest.problem), rest.count));
      separator = ", ";
    }
    io_.out.write("}");
  }
  void item(const std::string& members) {
    io_.out.write((is_first_ ? "\n    {" : ",\n    {") + members + "}");
    is_first_ = false;
  }
  void end_list() { io_.out.write(is_first_ ? "]" : "\n  ]"); }
  void begin_differences() {
    if (has_differences_) return;
    end_list();
    io_.out.write(",\n  \"differences\": [");
    has_differences_ = is_first_ = true;
  }

  Io& io_;
  bool is_first_ = true, has_differences_ = false;
};

}  // namespace

std::unique_ptr<CheckReport> make_text_report(const CheckSettings& settings, std::string image,
                                              Io& io) {
  return std::make_unique<TextReport>(settings, std::move(image), io);
}

std::unique_ptr<CheckReport> make_json_report(const CheckSettings& settings, std::string image,
                                              Io& io) {
  return std::make_unique<JsonReport>(settings, image, io);
}

std::string json_string(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text[0]);
    const size_t length = utf8_length(text);
    if (length == 0) {
      out += unicode_escape(0xdc00u + byte);
    } else if (byte == '"' || byte == '\\') {
      out += {'\\', text[0]};
    } else if (byte < 0x20 || byte == 0x7f) {
      out += unicode_escape(byte);
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out + "\"";
}

}  // namespace sqfs
