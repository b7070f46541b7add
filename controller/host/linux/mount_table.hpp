#pragma once
// The mount table of this process, decoded from its text, and who keeps a volume busy.

#include <string>
#include <string_view>
#include <vector>

#include "host/storage.hpp"

namespace spark::host {

/// From the text of /proc/PID/mountinfo (proc(5)), in its order: of two mounts on one path,
/// processes see the later one. Errors: kInvalid, naming the line.
Result<std::vector<MountInfo>> parse_mountinfo(std::string_view text);

/// Processes with a file, a directory or a mapping below `path`, or the block device itself open,
/// and mount namespaces in which `device` ("259:3") stays mounted when ours unmounts it; the first
/// few, each as "process 812 (dd): an open file". Only names are compared, since a lost volume may
/// never answer. `proc` is "/proc" but in tests.
std::vector<std::string> find_volume_users(const std::string& proc, const std::string& path,
                                           const std::string& device);

}  // namespace spark::host
