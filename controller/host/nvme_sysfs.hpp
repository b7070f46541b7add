#pragma once
// What sysfs says of NVMe over fabrics.

#include <string>
#include <vector>

#include "host/storage.hpp"

namespace spark::host {

/// From `sys`/class/nvme and `sys`/class/nvme-subsystem, sorted by name; `sys` is "/sys" but in
/// tests. Without these directories there is none. What goes away meanwhile is left out.
std::vector<NvmeController> read_nvme_controllers(const std::string& sys);
/// The namespaces that such controllers lead to.
std::vector<NvmeNamespace> read_nvme_namespaces(const std::string& sys);

/// "live" while one of the subsystem's controllers is, else the state of one of them.
std::string state_of(const std::vector<NvmeController>& controllers, const std::string& nqn);

}  // namespace spark::host
