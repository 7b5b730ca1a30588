// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "writer/build.h"
#include "writer/data_stage.h"
#include "writer/plan.h"
#include "writer/table_stage.h"
#include "writer/tree.h"

// What a build tells about the tree it wrote. Pure.
namespace sqfs {

// The data blocks of the files, a tail counting as one, by the sizes that the scan saw.
uint64_t block_count(const Tree& tree, std::span<const NodeId> files, uint32_t block_size);

// The event for a name whose inode has been written; nullopt for the first name of a regular file,
// of which the data stage tells.
std::optional<BuildObserver::FileEvent> table_event(const Tree& tree, NodeId name);

// All but the number of warnings.
BuildSummary summarize(const Tree& tree, const Plan& plan, const DataResult& data,
                       const TableResult& tables);

}  // namespace sqfs
