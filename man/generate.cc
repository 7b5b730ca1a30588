// SPDX-License-Identifier: MIT
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "cli/completion.h"
#include "cli/manual.h"

// Writes the files that are made from the option tables:
//   generate mksquashfs PROSE OUTPUT
//   generate sqfstar PROSE OUTPUT
//   generate fsck.squashfs PROSE OUTPUT
//   generate bash|zsh|fish OUTPUT
namespace sqfs {
namespace {

int write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text << std::flush;
  if (out) return 0;
  std::cerr << "generate: cannot write " << path << "\n";
  return 1;
}

int write_page(Tool tool, const std::string& prose_path, const std::string& output) {
  std::ifstream in(prose_path, std::ios::binary);
  if (!in) {
    std::cerr << "generate: cannot read " << prose_path << "\n";
    return 1;
  }
  const std::string prose{std::istreambuf_iterator<char>(in), {}};
  const Result<std::string> page = manual_page(tool, prose);
  if (page) return write_file(output, *page);
  std::cerr << "generate: " << prose_path << ": " << page.error().what << "\n";
  return 1;
}

int run(const std::vector<std::string>& args) {
  if (args.size() == 3 && args[1] == "bash") return write_file(args[2], completion(Shell::kBash));
  if (args.size() == 3 && args[1] == "zsh") return write_file(args[2], completion(Shell::kZsh));
  if (args.size() == 3 && args[1] == "fish") return write_file(args[2], completion(Shell::kFish));
  for (const Tool tool : {Tool::kMksquashfs, Tool::kSqfstar, Tool::kFsck}) {
    if (args.size() == 4 && args[1] == name_of(tool)) return write_page(tool, args[2], args[3]);
  }
  std::cerr << "usage: generate mksquashfs|sqfstar|fsck.squashfs PROSE OUTPUT | generate "
               "bash|zsh|fish OUTPUT\n";
  return 1;
}

}  // namespace
}  // namespace sqfs

int main(int argc, char** argv) { return sqfs::run(std::vector<std::string>(argv, argv + argc)); }
