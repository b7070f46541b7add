#pragma once
// An RDMA port: its state, its MTU, and the GID of one of its addresses.

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/ip.hpp"
#include "helpers/verbs/verbs.hpp"

namespace spark::helpers {

/// "active", "down", "init", …
std::string_view name_of(ibv_port_state state);

std::uint32_t bytes_of(ibv_mtu mtu);
/// Empty for bytes that no path MTU has.
std::optional<ibv_mtu> path_mtu_of(std::uint32_t bytes);

Attempt<ibv_port_attr> query_port(ibv_context& device, std::uint8_t number);

/// The RoCE v2 GID of that address on the network device of that index, by content: indexes move.
/// The index is one that verbs can name.
Attempt<ibv_gid_entry> find_gid(ibv_context& device, std::uint8_t number, const ibv_port_attr& port,
                                int link_index, const IpAddress& ip);

}  // namespace spark::helpers
