// SPDX-License-Identifier: MIT
#include "tests/support/base_images.h"

#include <algorithm>
#include <cstdio>

namespace sqfs {
namespace {

// Bytes that do not compress, the same in each run.
std::string noise(size_t size, uint32_t seed) {
  std::string out;
  for (uint32_t state = seed * 2654435761u + 1; out.size() < size;) {
    state = state * 1664525u + 1013904223u;
    out += static_cast<char>(state >> 24);
  }
  return out;
}

std::string text(size_t size) {
  std::string out;
  while (out.size() < size) out += "The quick brown fox jumps over the lazy dog. ";
  out.resize(size);
  return out;
}

// One of nearly everything.
TestSpec tree() {
  using enum InodeType;
  TestSpec spec;
  spec.nodes = {
      {"x", kFile, noise(300, 1)},
      {"y", kFile, noise(10000, 2)},
      {"adir", kDir, {}, {{"x.txt", "x"}, {"y.bin", "y"}}},
      {"hard", kLongFile, noise(50, 3)},
      {"pdir", kDir, {}, {{"one", "hard"}}},
      {"qdir", kDir, {}, {{"two", "hard"}}},
      {"leaf", kDir},
      {"inner", kDir, {}, {{"leaf", "leaf"}}},
      {"outer", kDir, {}, {{"inner", "inner"}}},
      {"link", kSymlink, "a_dir/x.txt"},
      {"c", kFile, text(1100)},
      {"dev", kCharDevice},
      {"whole", kFile, noise(8192, 4)},
      {"sparse", kLongFile, std::string(4096, '\0') + noise(4096, 5) + "tail"},
      {"ex", kLongFile, noise(5000, 6), {}, 0},
      {"elink", kLongSymlink, "nowhere", {}, 1},
      {"zdir", kDir},
      {"root",
       kDir,
       {},
       {{"a_dir", "adir"},
        {"b_link", "link"},
        {"c.txt", "c"},
        {"d_dev", "dev"},
        {"e_xattr", "ex"},
        {"f_link", "elink"},
        {"o_dir", "outer"},
        {"p_dir", "pdir"},
        {"q_dir", "qdir"},
        {"s_sparse", "sparse"},
        {"w_whole", "whole"},
        {"z_empty", "zdir"}}},
  };
  spec.xattr_sets = {{{0, "key", "value"}, {1, "big", "a value that is worth a reference"}},
                     {{1, "link", "another"}, {0x101, "more", {}, 1}}};
  return spec;
}

// No fragments, no xattrs, no export table; the directory table is the last but the ids.
TestSpec bare() {
  using enum InodeType;
  TestSpec spec;
  spec.export_table = false;
  spec.nodes = {{"y", kFile, noise(9000, 1), {}, -1, false},
                {"zdir", kDir},
                {"root", kDir, {}, {{"y", "y"}, {"z", "zdir"}}}};
  return spec;
}

// A directory of several metadata blocks, with an index. All names lead to one file.
TestSpec indexed() {
  using enum InodeType;
  TestSpec spec;
  TestNode big{"big", kLongDir};
  for (int i = 0; i < 700; ++i) {
    char name[32];
    std::snprintf(name, sizeof name, "entry-number-%05d", i);
    big.entries.emplace_back(name, "file");
  }
  spec.nodes = {{"file", kLongFile, "content"}, big, {"root", kDir, {}, {{"big", "big"}}}};
  return spec;
}

// Enough inodes and ids for tables of two blocks.
TestSpec many() {
  using enum InodeType;
  TestSpec spec;
  TestNode root{"root", kLongDir};
  for (int i = 0; i < 1100; ++i) {
    char name[16];
    std::snprintf(name, sizeof name, "f%04d", i);
    spec.nodes.push_back({name, kFifo});
    root.entries.emplace_back(name, name);
  }
  spec.nodes.push_back(root);
  return spec;
}

// Data and fragments compressed.
TestSpec packed() {
  using enum InodeType;
  TestSpec spec;
  spec.compress_data = true;
  spec.nodes = {{"z", kFile, text(9000)},
                {"t", kFile, text(100)},
                {"a", kFile, std::string(4096, 'a')},
                {"s", kFile, std::string(100, 's'), {}, -1, false},
                {"root", kDir, {}, {{"a", "a"}, {"s", "s"}, {"t", "t"}, {"z", "z"}}}};
  return spec;
}

// As packed; the block of "a" ends two bytes into a page of the device when it has 60 bytes.
TestSpec page_end() {
  TestSpec spec = packed();
  spec.compress_data = false;
  spec.nodes.insert(spec.nodes.begin(),
                    {"pad", InodeType::kFile, noise(4096 - 96 + 2 - 60, 9), {}, -1, false});
  spec.nodes.back().entries.insert(spec.nodes.back().entries.begin() + 1, {"pad", "pad"});
  std::rotate(spec.nodes.begin() + 1, spec.nodes.begin() + 3, spec.nodes.begin() + 4);
  return spec;
}

// A set of very many small pairs.
TestSpec long_set() {
  using enum InodeType;
  TestSpec spec;
  std::vector<TestXattr> pairs;
  for (int i = 0; i < 6553; ++i) {
    char name[16];
    std::snprintf(name, sizeof name, "%04d", i);
    pairs.push_back({0, name, {}});
  }
  spec.xattr_sets = {pairs};
  spec.nodes = {{"f", kLongFile, "content", {}, 0}, {"root", kDir, {}, {{"f", "f"}}}};
  return spec;
}

struct NamedSpec {
  std::string_view name;
  TestSpec (*make)();
};
constexpr NamedSpec kSpecs[] = {{"tree", tree},        {"bare", bare},     {"indexed", indexed},
                                {"many", many},        {"packed", packed}, {"page-end", page_end},
                                {"long-set", long_set}};

}  // namespace

std::optional<TestSpec> base_image(std::string_view name) {
  for (const NamedSpec& row : kSpecs) {
    if (row.name == name) return row.make();
  }
  return std::nullopt;
}

std::vector<std::string_view> base_image_names() {
  std::vector<std::string_view> names;
  for (const NamedSpec& row : kSpecs) names.push_back(row.name);
  return names;
}

}  // namespace sqfs
