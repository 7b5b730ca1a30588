// SPDX-License-Identifier: MIT
#include "writer/archive_reader.h"

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "base/text.h"

namespace sqfs {
namespace {

struct FreeArchive {
  void operator()(archive* handle) const { archive_read_free(handle); }
};

// A locale whose names are UTF-8, on this thread, for the time of a call: some zip archives have
// names in UTF-8 beside those in another code, which libarchive takes in no other locale.
class Utf8Locale {
 public:
  explicit Utf8Locale(bool is_wanted) {
    if (!is_wanted) return;
    mine_ = newlocale(LC_CTYPE_MASK, "C.UTF-8", locale_t{});
    if (mine_ != locale_t{}) before_ = uselocale(mine_);
  }
  ~Utf8Locale() {
    if (mine_ == locale_t{}) return;
    uselocale(before_);
    freelocale(mine_);
  }
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;

 private:
  locale_t mine_{}, before_{};
};

std::string text_of(const char* text) { return text == nullptr ? std::string() : text; }

std::optional<FileType> type_of(archive_entry* from) {
  switch (archive_entry_filetype(from)) {
    case AE_IFREG: return FileType::kRegular;
    case AE_IFDIR: return FileType::kDirectory;
    case AE_IFLNK: return FileType::kSymlink;
    case AE_IFBLK: return FileType::kBlockDevice;
    case AE_IFCHR: return FileType::kCharDevice;
    case AE_IFIFO: return FileType::kFifo;
    case AE_IFSOCK: return FileType::kSocket;
    default: return std::nullopt;
  }
}

// GNU tar escapes the two characters that would end a name in a PAX header.
std::string unescaped(std::string name) {
  for (size_t at = 0; (at = name.find('%', at)) != std::string::npos; ++at) {
    const std::string_view code = std::string_view(name).substr(at, 3);
    if (code == "%3D") name.replace(at, 3, "=");
    if (code == "%25") name.replace(at, 3, "%");
  }
  return name;
}

// bsdtar writes each attribute twice, in two notations.
XattrSet xattrs_of(archive_entry* from) {
  XattrSet set;
  archive_entry_xattr_reset(from);
  const char* name = nullptr;
  const void* value = nullptr;
  size_t size = 0;
  while (archive_entry_xattr_next(from, &name, &value, &size) == ARCHIVE_OK) {
    if (name == nullptr) continue;
    XattrPair pair{unescaped(name), {}};
    if (size > 0) {
      const Bytes bytes(static_cast<const std::byte*>(value), size);
      pair.value.assign(bytes.begin(), bytes.end());
    }
    set.push_back(std::move(pair));
  }
  std::ranges::stable_sort(set, {}, &XattrPair::name);
  const auto same_name = [](const XattrPair& a, const XattrPair& b) { return a.name == b.name; };
  set.erase(std::unique(set.begin(), set.end(), same_name), set.end());
  return set;
}

class LibarchiveReader final : public ArchiveReader {
 public:
  LibarchiveReader(const std::string& path, ArchiveInput input, const Warn& warn)
      : name_(path == "-" ? "standard input" : printable(path)),
        input_(std::move(input)),
        warn_(warn),
        handle_(archive_read_new()) {}

  Status open(bool ignore_zeros) {
    archive* handle = handle_.get();
    if (handle == nullptr) return Error{Code::kNoMemory, 0, 0, 0, "there is no memory left"};
    archive_read_support_format_tar(handle);
    archive_read_support_format_cpio(handle);
    archive_read_support_format_zip(handle);
    archive_read_support_format_empty(handle);
    archive_read_support_filter_gzip(handle);
    archive_read_support_filter_xz(handle);
    archive_read_support_filter_lzma(handle);
    archive_read_support_filter_zstd(handle);
    archive_read_support_filter_bzip2(handle);
    archive_read_support_filter_lz4(handle);
    if (ignore_zeros) {
      archive_read_set_option(handle, "tar", "read_concatenated_archives", "1");
    }
    archive_read_set_callback_data(handle, this);
    archive_read_set_read_callback(handle, read_callback);
    // With a way to seek, libarchive skips data without noticing that the file ends before it.
    if (input_.is_zip()) archive_read_set_seek_callback(handle, seek_callback);
    if (archive_read_open1(handle) != ARCHIVE_OK || input_error_) return failure();
    return ok();
  }

  Result<bool> next(ArchiveEntry& entry) override {
    const Utf8Locale locale(input_.is_zip());
    for (;;) {
      archive_entry* from = nullptr;
      // Where a name is no text, libarchive ends the program if this says ENOMEM, however old.
      errno = 0;
      const int status = archive_read_next_header(handle_.get(), &from);
      // libarchive may pass over it when it tries what kind of archive this is.
      if (input_error_) return failure();
      if (status == ARCHIVE_EOF) return false;
      if (status != ARCHIVE_OK && status != ARCHIVE_WARN) return failure();
      const char* path = archive_entry_pathname(from);
      if (path == nullptr) return damage("an entry has no name, or one that cannot be read");
      if (status == ARCHIVE_WARN) tell(path);
      const auto type = type_of(from);
      if (!type && archive_entry_hardlink(from) == nullptr) {
        warn_(place_of(path) + " is of a kind that no image can hold, leaving it out");
        continue;
      }
      take(from, path, type.value_or(FileType::kRegular), entry);
      return true;
    }
  }

  Status read_data(const TakeData& take) override {
    uint64_t position = 0;
    for (;;) {
      const void* bytes = nullptr;
      size_t size = 0;
      la_int64_t offset = 0;
      const int status = archive_read_data_block(handle_.get(), &bytes, &size, &offset);
      if (input_error_) return failure();
      if (status == ARCHIVE_EOF) return ok();
      if (status != ARCHIVE_OK) return failure();
      if (size == 0) continue;
      if (offset < 0 || static_cast<uint64_t>(offset) < position) {
        return damage("the pieces of a sparse file overlap");
      }
      position = static_cast<uint64_t>(offset) + size;
      SQFS_CHECKED(
          take(static_cast<uint64_t>(offset), Bytes(static_cast<const std::byte*>(bytes), size)));
    }
  }

  Status drain() override {
    if (input_.is_zip()) return ok();
    for (;;) {
      SQFS_TRY(const Bytes piece, input_.read());
      if (piece.empty()) return ok();
    }
  }

 private:
  static la_ssize_t read_callback(archive* handle, void* self, const void** out) {
    auto& reader = *static_cast<LibarchiveReader*>(self);
    const auto piece = reader.input_.read();
    if (piece) {
      *out = piece->data();
      return static_cast<la_ssize_t>(piece->size());
    }
    reader.input_error_ = piece.error();
    archive_set_error(handle, EIO, "cannot be read");
    return -1;
  }

  static la_int64_t seek_callback(archive*, void* self, la_int64_t offset, int from) {
    ArchiveInput& input = static_cast<LibarchiveReader*>(self)->input_;
    const auto size = static_cast<la_int64_t>(input.size());
    la_int64_t start = 0;
    if (from == SEEK_CUR) start = static_cast<la_int64_t>(input.position());
    if (from == SEEK_END) start = size;
    input.seek(static_cast<uint64_t>(start + std::clamp(offset, -start, size - start)));
    return static_cast<la_int64_t>(input.position());
  }

  static void take(archive_entry* from, const char* path, FileType type, ArchiveEntry& entry) {
    entry = ArchiveEntry();
    entry.path = path;
    entry.type = type;
    entry.mode = static_cast<uint16_t>(archive_entry_perm(from) & 07777);
    entry.uid = archive_entry_uid(from);
    entry.gid = archive_entry_gid(from);
    entry.user = text_of(archive_entry_uname(from));
    entry.group = text_of(archive_entry_gname(from));
    if (archive_entry_mtime_is_set(from)) entry.mtime = archive_entry_mtime(from);
    if (archive_entry_size_is_set(from)) {
      entry.size = static_cast<uint64_t>(std::max<la_int64_t>(archive_entry_size(from), 0));
    }
    entry.symlink_target = text_of(archive_entry_symlink(from));
    if (const char* target = archive_entry_hardlink(from)) entry.link_target = target;
    entry.major = archive_entry_rdevmajor(from);
    entry.minor = archive_entry_rdevminor(from);
    entry.xattrs = xattrs_of(from);
  }

  std::string place_of(const char* path) const { return name_ + ": " + printable(path); }

  // That a name is not text in this locale is no matter: its bytes are taken.
  void tell(const char* path) {
    const std::string text = text_of(archive_error_string(handle_.get()));
    if (text.find("converted") != std::string::npos) return;
    warn_(place_of(path) + ": " + printable(text));
  }

  Error damage(const std::string& what) {
    const auto at =
        static_cast<uint64_t>(std::max<la_int64_t>(archive_read_header_position(handle_.get()), 0));
    Error error{Code::kCorrupt, 0, at, 0, {}};
    error.what =
        name_ + ": " + what + " (in the entry at byte " + std::to_string(at) + " of the archive)";
    return error;
  }

  Error failure() {
    if (input_error_) return *input_error_;
    if (archive_errno(handle_.get()) == ENOMEM) {
      return Error{Code::kNoMemory, 0, 0, 0, name_ + ": there is no memory left"};
    }
    return damage(printable(text_of(archive_error_string(handle_.get()))));
  }

  std::string name_;
  ArchiveInput input_;
  const Warn& warn_;
  std::optional<Error> input_error_;
  std::unique_ptr<archive, FreeArchive> handle_;  // last: it calls back until it is gone
};

}  // namespace

Result<std::unique_ptr<ArchiveReader>> ArchiveReader::make(const std::string& path,
                                                           ArchiveInput input, bool ignore_zeros,
                                                           const Warn& warn) {
  auto reader = std::make_unique<LibarchiveReader>(path, std::move(input), warn);
  SQFS_CHECKED(reader->open(ignore_zeros));
  return reader;
}

}  // namespace sqfs
