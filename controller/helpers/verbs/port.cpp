#include "helpers/verbs/port.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <vector>

namespace spark::helpers {
namespace {

bool carries(const ibv_gid& gid, const IpAddress& ip) {
  return IpAddress::from_bytes(std::span(gid.raw))->unmapped() == ip;
}

}  // namespace

std::string_view name_of(ibv_port_state state) {
  constexpr std::array<std::string_view, 6> kNames{"unknown", "down",   "init",
                                                   "armed",   "active", "active_defer"};
  const auto number = static_cast<std::size_t>(state);
  return number < kNames.size() ? kNames.at(number) : "unknown";
}

std::uint32_t bytes_of(ibv_mtu mtu) {
  constexpr std::uint32_t kHalfOfLeast = 128;  // IBV_MTU_256 is 1
  return kHalfOfLeast << static_cast<unsigned>(mtu);
}

std::optional<ibv_mtu> path_mtu_of(std::uint32_t bytes) {
  for (const auto mtu : {IBV_MTU_256, IBV_MTU_512, IBV_MTU_1024, IBV_MTU_2048, IBV_MTU_4096}) {
    if (bytes_of(mtu) == bytes) return mtu;
  }
  return std::nullopt;
}

Attempt<ibv_port_attr> query_port(ibv_context& device, std::uint8_t number) {
  ibv_port_attr port{};
  if (const int error = ibv_query_port(&device, number, &port); error != 0) {
    return failed("ibv_query_port", error);
  }
  return port;
}

Attempt<ibv_gid_entry> find_gid(ibv_context& device, std::uint8_t number, const ibv_port_attr& port,
                                int link_index, const IpAddress& ip) {
  std::vector<ibv_gid_entry> table(static_cast<std::size_t>(std::max(port.gid_tbl_len, 0)));
  const auto used = ibv_query_gid_table(&device, table.data(), table.size(), 0);
  if (used < 0) return failed("ibv_query_gid_table", static_cast<int>(-used));
  table.resize(static_cast<std::size_t>(used));
  const auto found = std::ranges::find_if(table, [&](const ibv_gid_entry& entry) {
    return entry.port_num == number && entry.gid_type == IBV_GID_TYPE_ROCE_V2 &&
           entry.ndev_ifindex == static_cast<std::uint32_t>(link_index) && carries(entry.gid, ip);
  });
  if (found == table.end()) {
    return failed("find the GID", ENODATA, "no RoCE v2 GID of " + ip.text());
  }
  if (found->gid_index > UINT8_MAX) {
    return failed("find the GID", ERANGE, "its index is beyond what verbs can name");
  }
  return *found;
}

}  // namespace spark::helpers
