#pragma once
// Who keeps a volume busy.

#include <string>
#include <vector>

namespace spark::host {

/// Processes with a file, a directory or a mapping below `path`, or the block device itself open,
/// and mount namespaces in which `device` ("259:3") stays mounted when ours unmounts it; the first
/// few, each as "process 812 (dd): an open file". Only names are compared, since a lost volume may
/// never answer. `proc` is "/proc" but in tests.
std::vector<std::string> find_volume_users(const std::string& proc, const std::string& path,
                                           const std::string& device);

}  // namespace spark::host
