#pragma once
// look_at_new_service: what a service that is started now may lock, felt and not computed.

#include <optional>
#include <string>
#include <string_view>

#include "gate/gate.hpp"

namespace spark {

inline constexpr std::string_view kServiceFact = "SR-GATE-015";

/// Has systemd start a service that registers memory with the RDMA device: as much as the file says
/// a service may lock, at most 64 MiB, or 4 MiB where it says nothing. Empty where there is no
/// systemd to ask.
std::optional<Fact> observe_new_service(Host& host, View& view, const Node& node,
                                        const std::string& device);

}  // namespace spark
