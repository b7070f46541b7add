#pragma once
// echo_all: asks peers for an echo all at once.

#include <chrono>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "protocol/echo.hpp"

namespace spark::host {

/// A report for each request, in their order. Returns as soon as every whole packet is back, and at
/// the deadline at the latest; packets are sent again until then, since the first one may wait for
/// the neighbour's hardware address. Errors: kPermission without CAP_NET_RAW where
/// the kernel lets this process's group send no echo (sysctl net.ipv4.ping_group_range, icmp(7)).
Result<std::vector<protocol::EchoReport>> echo_all(std::span<const protocol::EchoRequest> requests,
                                                   std::chrono::milliseconds deadline);

}  // namespace spark::host
