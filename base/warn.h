// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>

namespace sqfs {

// Takes a whole sentence about something that was not as it should be but did not stop the work.
using Warn = std::function<void(const std::string& sentence)>;

}  // namespace sqfs
