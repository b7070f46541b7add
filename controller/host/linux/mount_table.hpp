#pragma once
// The mount table of this process, decoded from its text.

#include <string_view>
#include <vector>

#include "host/storage.hpp"

namespace spark::host {

/// From the text of /proc/PID/mountinfo (proc(5)), in its order: of two mounts on one path,
/// processes see the later one. Errors: kInvalid, naming the line.
Result<std::vector<MountInfo>> parse_mountinfo(std::string_view text);

}  // namespace spark::host
