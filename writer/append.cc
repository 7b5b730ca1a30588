// SPDX-License-Identifier: MIT
#include "writer/append.h"

#include <algorithm>
#include <set>
#include <unordered_set>
#include <utility>

#include "base/text.h"
#include "reader/content.h"
#include "writer/append_room.h"
#include "writer/dedup.h"

namespace sqfs {
namespace {

constexpr size_t kPiece = 1u << 20;
// Bytes that follow an image, to be kept in case that the build fails.
constexpr uint64_t kMaxBehind = 64u << 20;

std::string how_to_replace() { return "will not overwrite it; with -noappend it is replaced"; }

Error no_image(const std::string& path, const Error& why) {
  return unsupported_error("Can't find a SQUASHFS superblock on " + printable(path) + " (" +
                           why.what + "). Failed to read existing filesystem - " +
                           how_to_replace());
}

Error bad_image(const std::string& path, const Error& why) {
  return unsupported_error("Failed to read existing filesystem on " + printable(path) + " (" +
                           why.what + ") - " + how_to_replace());
}

// Sources that share directories with each other by their paths, and so would with the image's.
bool stores_paths(SourceKind kind) {
  return kind == SourceKind::kFilePaths || kind == SourceKind::kListedPaths ||
         kind == SourceKind::kArchives;
}

// The first of NAME_1, NAME_2, … that is free.
std::string next_free_name(const std::string& name, const std::set<std::string>& taken) {
  for (uint32_t number = 1;; ++number) {
    std::string candidate = name + "_" + std::to_string(number);
    if (!taken.contains(candidate)) return candidate;
  }
}

}  // namespace

// --- opening
// --------------------------------------------------------------------------------------

Result<std::unique_ptr<Appender>> Appender::open(const std::string& path, const FileInfo& file,
                                                 Env& env, BuildOptions& options) {
  SQFS_TRY(auto reader, env.open_input(path));
  std::unique_ptr<Appender> out(new Appender(path, std::move(reader)));
  SQFS_CHECKED(out->open_image(file, options.image_offset));
  SQFS_TRY(out->file_, env.open_for_update(path));
  out->inherit(options);
  options.taken_names = out->names_;
  if (!options.root_becomes.empty()) options.taken_names = {options.root_becomes};
  return out;
}

Status Appender::open_image(const FileInfo& info, uint64_t image_offset) {
  auto image = Image::open(*reader_, image_offset);
  if (!image) return no_image(path_, image.error());
  image_ = *std::move(image);
  layout_.superblock = image_->superblock();
  layout_.image_offset = image_offset;
  layout_.is_device = info.type == FileType::kBlockDevice;
  SQFS_TRY(layout_.file_size, reader_->size());
  const uint64_t end = layout_.superblock.bytes_used;
  if (end > layout_.file_size || image_offset > layout_.file_size - end) {
    return bad_image(path_, Error{Code::kCorrupt, 0, 0, 0, "it is cut off"});
  }
  auto names = names_in_root(*image_);
  if (!names) return bad_image(path_, names.error());
  names_ = *std::move(names);
  return read_what_follows();
}

// Zeros, however many, need not be kept: cutting the file and lengthening it brings them back.
Status Appender::read_what_follows() {
  if (layout_.is_device) return ok();
  const uint64_t start = layout_.image_offset + layout_.superblock.bytes_used;
  uint64_t end = layout_.file_size;
  Buffer piece;
  while (end > start) {
    piece.resize(std::min<uint64_t>(kPiece, end - start));
    SQFS_TRY(const size_t got, reader_->read_at(end - piece.size(), piece));
    if (got != piece.size()) return bad_image(path_, io_error(0, "it is being changed"));
    const auto is_set = [](std::byte byte) { return byte != std::byte{0}; };
    const auto last = std::find_if(piece.rbegin(), piece.rend(), is_set);
    end -= static_cast<uint64_t>(last - piece.rbegin());
    if (last != piece.rend()) break;
  }
  if (end - start > kMaxBehind) {
    return bad_image(path_, io_error(0, "the " + std::to_string(end - start) +
                                            " bytes that follow it in the file would be lost"));
  }
  layout_.behind.resize(end - start);
  SQFS_TRY(const size_t got, reader_->read_at(start, layout_.behind));
  if (got != layout_.behind.size()) return bad_image(path_, io_error(0, "it is being changed"));
  return ok();
}

void Appender::inherit(BuildOptions& options) const {
  const Superblock& super = image_->superblock();
  DataOptions& data = options.data;
  data.compressor = &image_->compressor_info();
  data.config = image_->config();
  data.block_size = super.block_size;
  data.raw_data = super.has(kFlagRawData);
  data.raw_fragments = super.has(kFlagRawFragments);
  data.fragments = super.has(kFlagNoFragments)       ? FragmentPolicy::kNone
                   : super.has(kFlagAlwaysFragments) ? FragmentPolicy::kTailEnds
                                                     : FragmentPolicy::kSmallFiles;
  data.find_duplicates = super.has(kFlagDuplicates);
  options.raw_inodes = super.has(kFlagRawInodes);
  options.raw_ids = super.has(kFlagRawIds);
  options.raw_xattrs = super.has(kFlagRawXattrs);
  options.export_table = super.has_export_table();
  options.xattrs.store = !super.has(kFlagNoXattrs) || super.has_xattr_table();
}

BaseImage Appender::describe() const {
  return {image_->superblock(), &image_->compressor_info(), image_->config(),
          has_compressor_options()};
}

// --- the tree
// -------------------------------------------------------------------------------------

Status Appender::merge(const BuildOptions& options, const Warn& warn, Tree& tree) {
  SQFS_CHECKED(make_way(options, warn, tree));
  NodeId base_root = kRootNode;
  if (!options.root_becomes.empty()) {
    Node directory;
    directory.name = options.root_becomes;
    directory.kind = Directory{};
    base_root = tree.add(kRootNode, std::move(directory));
  }
  auto loaded = load_tree(*image_, base_root, tree);
  if (!loaded) return bad_image(path_, loaded.error());
  loaded_ = *std::move(loaded);
  layout_.data_end = loaded_.data_end;
  if (base_root != kRootNode) {
    loaded_.first_node = base_root;
    tree.node(base_root).attributes = loaded_.root;
    tree.node(base_root).xattr_set = loaded_.root_xattrs;
  } else if (tree.node(kRootNode).attributes.is_fabricated) {
    keeps_root_ = tree.find_given_xattrs(kRootNode) == nullptr;
    take_root(options, tree.node(kRootNode));
  }
  auto tables = read_tables(*image_);
  if (tables && tables->start >= layout_.data_end) layout_.tables = *std::move(tables);
  return ok();
}

Status Appender::make_way(const BuildOptions& options, const Warn& warn, Tree& tree) const {
  const std::vector<NodeId> children = tree.directory(kRootNode).children;
  std::set<std::string> taken(options.taken_names.begin(), options.taken_names.end());
  for (const NodeId child : children) taken.insert(tree.node(child).name);
  for (const NodeId child : children) {
    const std::string name = tree.node(child).name;
    if (!std::ranges::binary_search(options.taken_names, name)) continue;
    if (stores_paths(options.source_kind)) {
      return unsupported_error("Source " + printable(name) +
                               " conflicts with name in filesystem: nothing is added to what " +
                               printable(path_) + " holds under that name");
    }
    std::string other = next_free_name(name, taken);
    warn("Source directory entry " + printable(name) + " already used! - trying " +
         printable(other));
    taken.insert(other);
    tree.move(child, kRootNode, std::move(other));
  }
  return ok();
}

// The options that are about the root alone count, those about everything do not.
void Appender::take_root(const BuildOptions& options, Node& root) const {
  const Attributes made_up = root.attributes;
  root.attributes = loaded_.root;
  Attributes& attributes = root.attributes;
  if (made_up.is_owner_final) {  // a definition gave it them
    attributes.mode = made_up.mode;
    attributes.uid = made_up.uid;
    attributes.gid = made_up.gid;
  }
  if (made_up.is_time_final) attributes.mtime = made_up.mtime;
  const OwnerOptions& owners = options.owners;
  if (owners.root_mode) attributes.mode = owners.root_mode->apply(attributes.mode, true);
  attributes.uid = owners.root_uid.value_or(attributes.uid);
  attributes.gid = owners.root_gid.value_or(attributes.gid);
  const TimeChoice& time = options.times.root;
  if (time.kind == TimeChoice::Kind::kFixed) attributes.mtime = time.seconds;
  attributes.is_time_final = time.kind != TimeChoice::Kind::kNewestInode;
  if (keeps_root_) root.xattr_set = loaded_.root_xattrs;
}

bool Appender::owns(NodeId id) const {
  return (id >= loaded_.first_node && id < loaded_.end_node) || (id == kRootNode && keeps_root_);
}

Status Appender::take_xattrs(Node& node, XattrPool& pool) {
  if (node.xattr_set == kNoXattr) return ok();
  const auto [known, is_new] = xattrs_.emplace(node.xattr_set, kNoXattr);
  if (is_new) {
    Inode inode;
    inode.header.type = InodeType::kLongFifo;
    inode.body = IpcBody{1, node.xattr_set};
    auto found = image_->xattrs(inode);
    if (!found) return bad_image(path_, found.error());
    XattrSet set;
    for (ImageXattr& xattr : *found) set.push_back({std::move(xattr.name), std::move(xattr.value)});
    known->second = pool.intern(std::move(set));
  }
  node.xattr_set = known->second;
  return ok();
}

// --- data
// -----------------------------------------------------------------------------------------

Result<StoredData> Appender::stored_data(const DataOptions& options, const Tree& tree,
                                         std::span<const NodeId> files,
                                         const std::function<bool()>& cancelled) {
  StoredData out;
  out.fragments = std::move(loaded_.fragments);
  std::unordered_set<uint64_t> sizes;
  if (options.find_duplicates) {
    for (const NodeId id : files) sizes.insert(tree.file(id).expected_size);
  }
  sizes.erase(0);
  FragmentCache fragments(*image_);
  for (NodeId id = loaded_.first_node; id < loaded_.end_node && !sizes.empty(); ++id) {
    if (!tree.node(id).is_file() || !sizes.contains(tree.file(id).layout.size)) continue;
    if (cancelled()) return Error{Code::kCancelled, 0, 0, 0, "interrupted"};
    auto digested = digest_file(options, tree, id, fragments);
    if (digested) {
      out.files.push_back(*std::move(digested));
    } else if (digested.error().code != Code::kCorrupt) {
      return std::move(digested).error();  // a damaged file is merely equal to none
    }
  }
  return out;
}

Result<StoredData::File> Appender::digest_file(const DataOptions& options, const Tree& tree,
                                               NodeId id, FragmentCache& fragments) {
  const FileLayout& layout = tree.file(id).layout;
  StoredData::File out{id, {}, {}};
  FileDigest digest(layout.size);
  uint64_t position = layout.start;
  Buffer stored, raw;
  for (size_t i = 0; i < layout.block_words.size(); ++i) {
    SQFS_TRY(const BlockWord word, decode_block_word(layout.block_words[i], options.block_size));
    if (word.is_hole()) continue;
    SQFS_CHECKED(read_stored_block(*image_, position, word, stored, raw));
    digest.add(i, options.digest(raw));
    position += word.stored_size;
  }
  if (layout.tail.index != kNoFragment) {
    SQFS_TRY(const Bytes block, fragments.block(layout.tail.index));
    const uint64_t size = layout.size % options.block_size;
    if (layout.tail.offset > block.size() || size > block.size() - layout.tail.offset) {
      return Error{Code::kCorrupt, 0, 0, 0, "a tail does not lie in its fragment"};
    }
    out.tail_digest = options.digest(block.subspan(layout.tail.offset, size));
    digest.add(layout.block_words.size(), out.tail_digest);
  }
  out.digest = digest.value();
  return out;
}

Result<AppendOutput*> Appender::begin(const BuildOptions& options, const Tree& tree,
                                      const Plan& plan, const XattrPool& xattrs) {
  const uint64_t room = room_for(options, tree, plan, xattrs);
  auto output = AppendOutput::begin(std::move(file_), std::move(layout_), room);
  if (!output) return std::move(output).error().with_context("cannot prepare " + printable(path_));
  output_ = *std::move(output);
  return output_.get();
}

Error Appender::undo(Error error) {
  if (output_ == nullptr) return error;
  const Status undone = output_->undo();
  if (!undone) {
    error.code = Code::kIo;
    error.what += "; " + printable(path_) + " could not be made what it was (" +
                  undone.error().what + "), but it still mounts as before";
  }
  return error;
}

}  // namespace sqfs
