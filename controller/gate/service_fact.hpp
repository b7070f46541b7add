#pragma once
// observe_new_service: how much memory a service that starts now may lock, measured and not
// computed.

#include <optional>
#include <string>
#include <string_view>

#include "config/node.hpp"
#include "gate/facts.hpp"
#include "host/host.hpp"
#include "host/view.hpp"

namespace spark::gate {

inline constexpr std::string_view kServiceFact = "SR-GATE-015";

/// Makes systemd start a service that registers memory with the RDMA device: as much as the file
/// says a service may lock, at most 64 MiB, or 4 MiB where it says nothing. Empty: there is no
/// systemd to ask.
std::optional<Fact> observe_new_service(host::Host& host, host::View& view,
                                        const config::Node& node, const std::string& device);

}  // namespace spark::gate
