// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace sqfs {

// Writes a tar archive, header by header, with whatever is asked for in it.
class TarBuilder {
 public:
  struct Entry {
    std::string path;
    char type = '0';
    std::string data = {};
    std::string link = {};
    unsigned mode = 0644;
    uint64_t uid = 0, gid = 0, mtime = 1000;
    std::string user = {}, group = {};
    unsigned major = 0, minor = 0;
  };

  TarBuilder& add(const Entry& entry) {
    std::string header(512, '\0');
    put(header, 0, entry.path);
    put(header, 100, octal(entry.mode, 7));
    put(header, 108, octal(entry.uid, 7));
    put(header, 116, octal(entry.gid, 7));
    put(header, 124, octal(entry.data.size(), 11));
    put(header, 136, octal(entry.mtime, 11));
    header[156] = entry.type;
    put(header, 157, entry.link);
    put(header, 257,
        std::string("ustar\0"
                    "00",
                    8));
    put(header, 265, entry.user);
    put(header, 297, entry.group);
    put(header, 329, octal(entry.major, 7));
    put(header, 337, octal(entry.minor, 7));
    return add_raw(std::move(header), entry.data);
  }
  TarBuilder& file(const std::string& path, const std::string& data = "x") {
    return add({.path = path, .data = data});
  }
  TarBuilder& directory(const std::string& path, unsigned mode = 0755) {
    return add({.path = path, .type = '5', .mode = mode});
  }
  TarBuilder& hard_link(const std::string& path, const std::string& target) {
    return add({.path = path, .type = '1', .link = target});
  }
  TarBuilder& symlink(const std::string& path, const std::string& target) {
    return add({.path = path, .type = '2', .link = target});
  }
  // A record of a PAX header for the next entry.
  TarBuilder& pax(const std::string& key, const std::string& value) {
    const std::string rest = " " + key + "=" + value + "\n";
    size_t size = rest.size() + 1;
    while (std::to_string(size).size() + rest.size() != size) ++size;
    return add({.path = "pax", .type = 'x', .data = std::to_string(size) + rest});
  }
  // A header with the right checksum, whatever else is in it.
  TarBuilder& add_raw(std::string header, const std::string& data = "") {
    put(header, 148, "        ");
    unsigned sum = 0;
    for (const char c : header) sum += static_cast<unsigned char>(c);
    put(header, 148, octal(sum, 6) + std::string("\0 ", 2));
    text_ += header + data + std::string((512 - data.size() % 512) % 512, '\0');
    return *this;
  }

  // With the two blocks of zeros that end an archive.
  Buffer bytes() const {
    const std::string whole = text_ + std::string(1024, '\0');
    const Bytes view = as_bytes(whole);
    return {view.begin(), view.end()};
  }
  size_t size_without_end() const { return text_.size(); }

  static std::string octal(uint64_t value, int digits) {
    char text[32];
    std::snprintf(text, sizeof text, "%0*llo", digits, static_cast<unsigned long long>(value));
    return text;
  }
  static void put(std::string& header, size_t at, std::string_view text) {
    std::ranges::copy(text, header.begin() + static_cast<std::ptrdiff_t>(at));
  }

 private:
  std::string text_;
};

}  // namespace sqfs
