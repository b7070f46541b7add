#pragma once
// read_rail_counters: the counters of a rail in sysfs.

#include <cstdint>
#include <string>

#include "host/rail_counters.hpp"

namespace spark::host {

/// Reads some fifteen small files, and nothing of what is absent. `root` stands before /sys: "" on
/// a real machine. `device` empty: the rail has no RDMA device.
RailCounters read_rail_counters(const std::string& root, const std::string& device,
                                std::uint32_t port, const std::string& link);

}  // namespace spark::host
