#pragma once
// What the loopback on one RDMA port is asked for, and what it reports: the one thing that the
// program and the executable which runs it (helpers/verbs/verbs_probe.cpp) have in common.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/fields.hpp"
#include "base/ip.hpp"

namespace spark::protocol {

struct LoopbackRequest {
  std::string device;           ///< "rocep1s0f0"
  std::uint32_t port = 1;       ///< from 1
  int link_index = 0;           ///< ifindex of the network device whose address it is
  IpAddress ip;                 ///< whose RoCE v2 GID is used, found by content
  bool with_bandwidth = false;  ///< also measure, which takes the port for up to a second
  std::chrono::milliseconds deadline{10'000};
};

/// What was seen of the port, and, as far as it got, of the traffic.
struct LoopbackReport {
  std::string state;                  ///< "active", "down", "init", "armed", …
  std::uint32_t active_mtu = 0;       ///< RDMA path MTU of the port, bytes: 256 to 4096
  std::uint32_t gid_index = 0;        ///< of this moment
  bool registered = false;            ///< memory could be registered, without CAP_IPC_LOCK
  bool bytes_moved = false;           ///< WRITE, READ and SEND came whole
  double latency_p50_us = 0;          ///< an 8-byte WRITE, from posting it to its completion
  double latency_p99_us = 0;          ///< the same WRITE
  double bits_per_second = 0;         ///< 0: not measured
  std::optional<std::string> failed;  ///< the call or the check that ended it
  int error_number = 0;               ///< its errno, or 0
  std::string why;                    ///< in words
};

template <EitherConst<LoopbackReport> T, class Visit>
void each_field(T& report, Visit visit) {
  visit("state", report.state);
  visit("active_mtu", report.active_mtu);
  visit("gid_index", report.gid_index);
  visit("registered", report.registered);
  visit("bytes_moved", report.bytes_moved);
  visit("latency_p50_us", report.latency_p50_us);
  visit("latency_p99_us", report.latency_p99_us);
  visit("bits_per_second", report.bits_per_second);
  visit("failed", report.failed);
  visit("error_number", report.error_number);
  visit("why", report.why);
}

}  // namespace spark::protocol
