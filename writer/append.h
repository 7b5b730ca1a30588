// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/env.h"
#include "base/result.h"
#include "base/warn.h"
#include "reader/content.h"
#include "reader/image.h"
#include "writer/append_load.h"
#include "writer/append_output.h"
#include "writer/build.h"
#include "writer/data_stage.h"
#include "writer/plan.h"
#include "writer/tree.h"
#include "xattr/pool.h"

namespace sqfs {

// What an existing image means for the build that adds to it. The calls come in the order in which
// they stand here. One thread.
class Appender {
 public:
  // Opens the image at `path`; `file` is what stands there. Sets the options that it decides:
  // compressor, block size, what is compressed, fragments, duplicates, tables, taken_names. Fails,
  // saying so and naming -noappend, where there is no image that can be added to.
  static Result<std::unique_ptr<Appender>> open(const std::string& path, const FileInfo& file,
                                                Env& env, BuildOptions& options);

  BaseImage describe() const;

  // Puts the image's tree beside the new one that `tree` holds. A new name in the root that is
  // taken becomes NAME_1 and so on, with a warning; where the sources are stored under whole paths,
  // it is an error. A root that was made up gets the attributes of the image's.
  Status merge(const BuildOptions& options, const Warn& warn, Tree& tree);
  // Whether the node comes from the image.
  bool owns(NodeId id) const;

  // Finds the extended attributes of an own node, enters them in the pool and the node.
  Status take_xattrs(Node& node, XattrPool& pool);

  // What the data stage is to know; `files` are those that it will store.
  Result<StoredData> stored_data(const DataOptions& options, const Tree& tree,
                                 std::span<const NodeId> files,
                                 const std::function<bool()>& cancelled);

  // Makes room for the new data; afterwards the image's tables are elsewhere.
  Result<AppendOutput*> begin(const BuildOptions& options, const Tree& tree, const Plan& plan,
                              const XattrPool& xattrs);

  bool has_compressor_options() const { return image_->superblock().has(kFlagCompressorOptions); }
  uint64_t file_bytes() const { return loaded_.file_bytes; }

  // Adds what became of the image to an error that ended the build.
  Error undo(Error error);

 private:
  Appender(std::string path, std::unique_ptr<InputFile> reader)
      : path_(std::move(path)), reader_(std::move(reader)) {}

  Status open_image(const FileInfo& info, uint64_t image_offset);
  Status read_what_follows();
  void inherit(BuildOptions& options) const;
  void take_root(const BuildOptions& options, Node& root) const;
  Status make_way(const BuildOptions& options, const Warn& warn, Tree& tree) const;
  Result<StoredData::File> digest_file(const DataOptions& options, const Tree& tree, NodeId id,
                                       FragmentCache& fragments);

  std::string path_;
  std::unique_ptr<OutputFile> file_;
  std::unique_ptr<InputFile> reader_;
  std::unique_ptr<Image> image_;
  BaseLayout layout_;
  std::vector<std::string> names_;  // in its root
  LoadedImage loaded_;
  bool keeps_root_ = false;                        // the new root is the image's
  std::unordered_map<uint32_t, uint32_t> xattrs_;  // numbers of sets, the image's and the pool's
  std::unique_ptr<AppendOutput> output_;
};

}  // namespace sqfs
