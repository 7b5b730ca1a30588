// SPDX-License-Identifier: MIT
#include "writer/pseudo_merge.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/text.h"
#include "squashfs-format/constants.h"
#include "writer/host_file.h"
#include "writer/pseudo_commands.h"

namespace sqfs {
namespace {

constexpr uint16_t kSymlinkMode = 0777;

template <class Kind>
bool is(const PseudoDefinition& definition) {
  return std::holds_alternative<Kind>(definition.kind);
}

size_t depth(const std::string& path) {
  return static_cast<size_t>(std::count(path.begin(), path.end(), '/'));
}

// Finds children by name. A definition file may have a directory's thousands of names one by one.
class NameIndex {
 public:
  explicit NameIndex(const Tree& tree) : tree_(tree) {}

  NodeId find(NodeId directory, std::string_view name) {
    const auto [names, is_new] = directories_.try_emplace(directory);
    if (is_new) {
      for (const NodeId child : std::get<Directory>(tree_.node(directory).kind).children) {
        names->second.emplace(tree_.node(child).name, child);
      }
    }
    const auto found = names->second.find(std::string(name));
    return found == names->second.end() ? kNoNode : found->second;
  }
  // Only after find() has not found it.
  void add(NodeId id) { directories_[tree_.node(id).parent].emplace(tree_.node(id).name, id); }

 private:
  const Tree& tree_;
  std::unordered_map<NodeId, std::unordered_map<std::string, NodeId>> directories_;
};

class Merger {
 public:
  Merger(const BuildOptions& options, const std::string& destination, Env& env, const Warn& warn,
         const std::function<bool()>& cancelled, Tree& tree)
      : options_(options),
        destination_(destination),
        env_(env),
        warn_(warn),
        cancelled_(cancelled),
        tree_(tree),
        names_(tree),
        first_own_(static_cast<NodeId>(tree.size())),
        nodes_(options.pseudo.size(), kNoNode) {}

  Status run() {
    if (options_.source_kind == SourceKind::kNothing) SQFS_CHECKED(make_root());
    for (const size_t index : parents_first()) SQFS_CHECKED(place(index));
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (is<PseudoLink>(options_.pseudo[i]) && is_first(i)) SQFS_CHECKED(place_link(i));
    }
    SQFS_CHECKED(
        run_pseudo_commands(options_, nodes_, destination_, env_, warn_, cancelled_, tree_));
    for (const PseudoDefinition& definition : options_.pseudo) {
      const auto* xattr = std::get_if<PseudoXattr>(&definition.kind);
      if (xattr != nullptr) SQFS_CHECKED(add_xattr(definition, xattr->pair));
    }
    return ok();
  }

 private:
  static Error wrong(const PseudoDefinition& definition, const std::string& what) {
    return unsupported_error(definition.place + ": " + what);
  }

  Status ignore(const PseudoDefinition& definition, const std::string& what) {
    if (options_.data.exit_on_error) return wrong(definition, what);
    warn_(definition.place + ": " + what + ", ignoring the definition");
    return ok();
  }

  // --- attributes

  Attributes attributes_of_definition(const PseudoAttributes& given) const {
    Attributes out;
    out.is_fabricated = true;
    out.mtime = env_.now();
    set_attributes(given, out);
    return out;
  }

  void set_attributes(const PseudoAttributes& given, Attributes& out) const {
    out.mode = given.mode;
    out.uid = given.uid;
    out.gid = given.gid;
    if (given.time) {
      out.mtime = *given.time;
      out.is_fabricated = false;
    }
    if (!options_.pseudo_override) return;
    out.is_owner_final = true;  // so the plan will not add the offset
    out.uid += options_.owners.id_offset;
    out.gid += options_.owners.id_offset;
  }

  // Of several definitions of the root the last one counts. What options say of the root alone goes
  // before a definition in any case.
  Status make_root() {
    std::optional<PseudoAttributes> given = options_.pseudo_parents;
    for (const PseudoDefinition& definition : options_.pseudo) {
      if (definition.path.empty() && is<Directory>(definition)) given = definition.attributes;
    }
    if (!given) {
      return unsupported_error(
          "The source is \"-\", but no definition (-p, -pf) of / and no -pd says what the root "
          "directory is. Is -cpiostyle or -tar missing?");
    }
    if (options_.pseudo_override) {
      const OwnerOptions& owners = options_.owners;
      given->uid = owners.root_uid.value_or(given->uid);
      given->gid = owners.root_gid.value_or(given->gid);
      if (owners.root_mode) given->mode = owners.root_mode->apply(given->mode, true);
    }
    tree_.node(kRootNode).attributes = attributes_of_definition(*given);
    return ok();
  }

  // --- names

  // All but links and extended attributes, so that directories come before what is in them. Of two
  // for one name the first one.
  std::vector<size_t> parents_first() {
    std::vector<size_t> order;
    for (size_t i = 0; i < options_.pseudo.size(); ++i) {
      const PseudoDefinition& definition = options_.pseudo[i];
      if (is<PseudoXattr>(definition)) continue;
      if (definition.path.empty()) {
        look_at_root(definition);
      } else if (!first_by_path_.emplace(definition.path, i).second) {
        warn_(definition.place + ": " + printable(definition.path) +
              " is defined already, ignoring the definition");
      } else if (!is<PseudoLink>(definition)) {
        order.push_back(i);
      }
    }
    const auto is_earlier = [this](size_t a, size_t b) {
      return depth(options_.pseudo[a].path) < depth(options_.pseudo[b].path);
    };
    std::stable_sort(order.begin(), order.end(), is_earlier);
    return order;
  }

  void look_at_root(const PseudoDefinition& definition) {
    if (!is<Directory>(definition)) {
      warn_(definition.place + ": / can only be a directory, ignoring the definition");
    } else if (options_.source_kind != SourceKind::kNothing) {
      warn_(definition.place +
            ": the root directory comes from the source, ignoring the definition");
    }
  }

  bool is_first(size_t index) const {
    const auto found = first_by_path_.find(options_.pseudo[index].path);
    return found != first_by_path_.end() && found->second == index;
  }

  bool is_from_old_image(NodeId id) const {
    const Attributes& attributes = tree_.node(id).attributes;
    return attributes.is_owner_final && attributes.is_time_final;
  }

  // The directory that `definition` is to be in; kNoNode: there cannot be one, and it was warned.
  Result<NodeId> find_parent(const PseudoDefinition& definition) {
    NodeId at = kRootNode;
    const std::vector<std::string_view> components = split(definition.path, '/');
    for (size_t i = 0; i + 1 < components.size(); ++i) {
      NodeId next = names_.find(at, components[i]);
      const std::string name = next == kNoNode ? std::string() : tree_.image_path(next);
      if (next == kNoNode && !options_.pseudo_parents) {
        return wrong(definition, "the directory " + printable(std::string(components[i])) +
                                     " above it does not exist; -pd makes such directories");
      }
      if (next == kNoNode) {
        SQFS_CHECKED(check_extendable(definition, at));
        next = add(at, std::string(components[i]), *options_.pseudo_parents, Directory{});
      } else if (!tree_.node(next).is_directory()) {
        if (next < first_own_) return wrong(definition, printable(name) + " is no directory");
        warn_(definition.place + ": " + printable(name) +
              " is defined as something else than a directory, ignoring the definition");
        return kNoNode;
      }
      at = next;
    }
    return at;
  }

  Status check_extendable(const PseudoDefinition& definition, NodeId directory) const {
    if (directory == kRootNode || !is_from_old_image(directory)) return ok();
    return wrong(definition, printable(tree_.image_path(directory)) +
                                 " is in the image already, nothing can be added to it");
  }

  static std::string last_name(const PseudoDefinition& definition) {
    return definition.path.substr(definition.path.rfind('/') + 1);
  }

  // --- nodes

  NodeId add(NodeId parent, std::string name, const PseudoAttributes& attributes, NodeKind kind) {
    Node node;
    node.name = std::move(name);
    node.attributes = attributes_of_definition(attributes);
    if (std::holds_alternative<Symlink>(kind)) node.attributes.mode = kSymlinkMode;
    node.is_made_up = true;
    node.kind = std::move(kind);
    return add(parent, std::move(node));
  }

  NodeId add(NodeId parent, Node node) {
    const NodeId id = tree_.add(parent, std::move(node));
    names_.add(id);
    return id;
  }

  // The directory where a new name goes; kNoNode: the name is taken, or there is no place.
  Result<NodeId> find_place(const PseudoDefinition& definition) {
    SQFS_TRY(const NodeId parent, find_parent(definition));
    if (parent == kNoNode) return kNoNode;
    const NodeId present = names_.find(parent, last_name(definition));
    if (present == kNoNode) {
      SQFS_CHECKED(check_extendable(definition, parent));
      return parent;
    }
    // A directory that was made for what is below it is not in the way: it was the definition's to
    // make, and parents come first.
    SQFS_CHECKED(ignore(definition, printable(definition.path) +
                                        " exists in the source; excluding it would make room"));
    return kNoNode;
  }

  Status place(size_t index) {
    const PseudoDefinition& definition = options_.pseudo[index];
    if (is<PseudoModify>(definition)) return modify(definition);
    SQFS_TRY(const NodeId parent, find_place(definition));
    if (parent == kNoNode) return ok();
    SQFS_TRY(nodes_[index], make(definition, definition, parent));
    return ok();
  }

  // Makes what `definition` says under the name that `named` has.
  Result<NodeId> make(const PseudoDefinition& definition, const PseudoDefinition& named,
                      NodeId parent) {
    std::string name = last_name(named);
    const PseudoAttributes& attributes = definition.attributes;
    if (const auto* host = std::get_if<PseudoHostFile>(&definition.kind)) {
      return add_host_file(definition, *host, parent, std::move(name));
    }
    if (const auto* section = std::get_if<PseudoSection>(&definition.kind)) {
      auto file = file_of_section(*section, printable(definition.path), options_.data.block_size);
      if (!file) return std::move(file).error().with_context(definition.place);
      return add(parent, std::move(name), attributes, std::move(file).value());
    }
    if (is<PseudoCommand>(definition)) {
      return add(parent, std::move(name), attributes, RegularFile{});  // it is filled later
    }
    if (const auto* link = std::get_if<Symlink>(&definition.kind)) {
      return add(parent, std::move(name), attributes, *link);
    }
    if (const auto* device = std::get_if<DeviceNode>(&definition.kind)) {
      return add(parent, std::move(name), attributes, *device);
    }
    if (const auto* ipc = std::get_if<IpcNode>(&definition.kind)) {
      return add(parent, std::move(name), attributes, *ipc);
    }
    return add(parent, std::move(name), attributes, Directory{});
  }

  NodeId resolved(NodeId id) const {
    const auto* link = std::get_if<HardLink>(&tree_.node(id).kind);
    return link == nullptr ? id : link->target;
  }

  Status modify(const PseudoDefinition& definition) {
    SQFS_TRY(const NodeId parent, find_parent(definition));
    if (parent == kNoNode) return ok();
    const NodeId named = names_.find(parent, last_name(definition));
    if (named == kNoNode) {
      return ignore(definition,
                    printable(definition.path) + " is to be modified but does not exist");
    }
    SQFS_TRY(const NodeId id, changeable(definition, named));
    set_attributes(definition.attributes, tree_.node(id).attributes);
    return ok();
  }

  Result<NodeId> changeable(const PseudoDefinition& definition, NodeId named) const {
    const NodeId id = resolved(named);
    if (!is_from_old_image(id)) return id;
    return wrong(definition, printable(tree_.image_path(named)) +
                                 " is in the image already and cannot be changed");
  }

  // --- links

  NodeId add_link(NodeId parent, std::string name, NodeId target) {
    Node node;
    node.name = std::move(name);
    node.kind = HardLink{target};
    node.attributes = tree_.node(target).attributes;
    node.is_made_up = true;
    const NodeId id = add(parent, std::move(node));
    // In case that it outlives the target.
    if (std::string path = tree_.host_path(target); !path.empty()) {
      tree_.set_host_root(id, std::move(path));
    }
    return id;
  }

  Status place_link(size_t index) {
    const PseudoDefinition& definition = options_.pseudo[index];
    const std::string& target = std::get<PseudoLink>(definition.kind).target;
    const auto found = first_by_path_.find(target);
    if (found == first_by_path_.end() || found->second >= index) {
      return wrong(definition, "no definition before it makes " + printable(target));
    }
    const PseudoDefinition& earlier = options_.pseudo[found->second];
    if (is<Directory>(earlier) || is<PseudoModify>(earlier)) {
      return wrong(definition,
                   printable(target) + " is a directory or only modified, neither can have links");
    }
    SQFS_TRY(const NodeId parent, find_place(definition));
    if (parent == kNoNode) return ok();
    NodeId& node = nodes_[found->second];
    if (node != kNoNode) {
      nodes_[index] = add_link(parent, last_name(definition), resolved(node));
      return ok();
    }
    // The target's own name was taken: it comes into being under this one.
    if (is<PseudoLink>(earlier)) {
      return ignore(definition, printable(target) + ", which it is a link to, was ignored");
    }
    SQFS_TRY(node, make(earlier, definition, parent));
    nodes_[index] = node;
    return ok();
  }

  // --- files of the host

  Result<NodeId> add_host_file(const PseudoDefinition& definition, const PseudoHostFile& host,
                               NodeId parent, std::string name) {
    std::string path = host.path;
    if (host.follows_symlinks) {
      auto real = env_.resolve(path);
      if (!real) return because(definition.place + ": cannot resolve", path, real.error());
      path = std::move(real).value();
    }
    auto info = env_.lstat(path);
    if (!info) return because(definition.place + ": cannot stat", path, info.error());
    if (info->type == FileType::kDirectory) {
      return wrong(definition, printable(path) + " is a directory, which cannot have links");
    }
    const auto output = env_.stat(destination_);
    if (output && output->identity() == info->identity()) {
      return wrong(definition, printable(path) + " is the image that is to be written");
    }
    const NodeId present = options_.find_hard_links ? find_in_tree(*info) : kNoNode;
    if (present != kNoNode) return add_link(parent, std::move(name), present);
    auto kind = kind_of_host_file(path, *info, options_.data.block_size, env_);
    if (!kind) return std::move(kind).error().with_context(definition.place);
    Node node;
    node.name = std::move(name);
    node.attributes = attributes_of(*info);
    node.kind = std::move(kind).value();
    const NodeId id = add(parent, std::move(node));
    tree_.set_host_root(id, path);
    if (known_files_) known_files_->emplace(info->identity(), id);
    return id;
  }

  // The node that stands for a file of the host. Regular files carry their identities; the others,
  // which are few, are asked for again.
  NodeId find_in_tree(const FileInfo& info) {
    if (!known_files_) {
      known_files_.emplace();
      for (NodeId id = 0; id < tree_.size(); ++id) know(id);
    }
    const auto found = known_files_->find(info.identity());
    return found == known_files_->end() ? kNoNode : found->second;
  }

  void know(NodeId id) {
    const Node& node = tree_.node(id);
    if (node.is_directory() || std::holds_alternative<HardLink>(node.kind)) return;
    if (!tree_.is_reachable(id)) return;
    FileIdentity identity;
    if (node.is_file()) {
      identity = tree_.file(id).identity;
    } else if (const std::string path = tree_.host_path(id); !path.empty()) {
      if (const auto info = env_.lstat(path)) identity = info->identity();
    }
    if (identity != FileIdentity{}) known_files_->emplace(identity, id);
  }

  // --- extended attributes

  Status add_xattr(const PseudoDefinition& definition, const XattrPair& pair) {
    NodeId at = kRootNode;
    if (!definition.path.empty()) {
      for (const std::string_view component : split(definition.path, '/')) {
        at = tree_.node(at).is_directory() ? names_.find(at, component) : kNoNode;
        if (at == kNoNode) break;
      }
    }
    if (at == kNoNode) {
      return wrong(definition, printable(definition.path) +
                                   " does not exist and cannot have extended attributes");
    }
    SQFS_TRY(const NodeId id, changeable(definition, at));
    const bool is_hidden = !tree_.node(id).is_file() && !tree_.node(id).is_directory() &&
                           pair.name.starts_with("user.");
    if (is_hidden) {
      warn_(definition.place + ": no kernel would show an attribute user.* of " +
            printable(definition.path) + ", leaving it out");
      return ok();
    }
    tree_.given_xattrs(id).added.push_back(pair);
    return ok();
  }

  const BuildOptions& options_;
  const std::string& destination_;
  Env& env_;
  const Warn& warn_;
  const std::function<bool()>& cancelled_;
  Tree& tree_;

  NameIndex names_;
  NodeId first_own_;           // nodes from it on come from definitions
  std::vector<NodeId> nodes_;  // of each definition; kNoNode: it made none
  std::unordered_map<std::string, size_t> first_by_path_;  // not of the root, not of attributes
  std::optional<std::map<FileIdentity, NodeId>> known_files_;
};

}  // namespace

Status merge_pseudo(const BuildOptions& options, const std::string& destination, Env& env,
                    const Warn& warn, const std::function<bool()>& cancelled, Tree& tree) {
  return Merger(options, destination, env, warn, cancelled, tree).run();
}

}  // namespace sqfs
