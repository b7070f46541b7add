#include "fake/fake_rdma.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace spark::test {
namespace {

constexpr std::uint8_t kPortDown = 1;
constexpr std::uint8_t kPhysicalDisabled = 3;
constexpr std::uint8_t kPhysicalLinkUp = 5;

/// How often the world was asked to add the address.
std::size_t times_added(const FakeWrites& writes, const IpAddress& ip) {
  const auto text = fmt::format("add address '{}/", ip.text());
  return static_cast<std::size_t>(std::ranges::count_if(
      writes.entries(),
      [&](const FakeWrites::Entry& entry) { return entry.what.starts_with(text); }));
}

}  // namespace

Result<std::vector<host::RdmaPort>> FakeRdma::ports() {
  if (auto readable = writes_.readable("RDMA ports"); !readable) {
    return std::unexpected(readable.error());
  }
  const auto links = netlink_.links();
  if (!links) return std::unexpected(links.error());
  std::vector<host::RdmaPort> ports;
  for (const auto& [device, name] : links_) {
    const auto link = std::ranges::find(*links, name, &host::LinkInfo::name);
    if (link != links->end()) {
      const bool active = link->up && link->carrier;
      ports.push_back({.device = device,
                       .port = 1,
                       .state = active ? host::kRdmaPortActive : kPortDown,
                       .physical_state = active ? kPhysicalLinkUp : kPhysicalDisabled,
                       .link_index = link->index});
    }
  }
  return ports;
}

Result<std::vector<host::RdmaGid>> FakeRdma::gids(const std::string& device, std::uint32_t port) {
  const auto ports = this->ports();
  const auto addresses = netlink_.addresses();
  if (!ports || !addresses) {
    return std::unexpected(ports ? addresses.error() : ports.error());
  }
  const auto found = std::ranges::find(*ports, device, &host::RdmaPort::device);
  if (found == ports->end() || port != 1) {
    return fail(ErrorCode::kNotFound, fmt::format("read GIDs: no RDMA port '{}/{}'", device, port));
  }
  std::vector<host::RdmaGid> gids;
  for (const auto& address : *addresses) {
    const auto lost = lost_.find(address.address.ip);
    if (address.link_index != found->link_index || refused_.contains(address.address.ip) ||
        (lost != lost_.end() && lost->second == times_added(writes_, address.address.ip))) {
      continue;
    }
    const auto placed = placed_.find(address.address.ip);
    auto index =
        placed == placed_.end() ? static_cast<std::uint32_t>(gids.size()) : placed->second - 1;
    for (const auto* type : {host::kRoceV1, host::kRoceV2}) {
      gids.push_back(
          {.index = index++, .ip = address.address.ip, .type = type, .link = links_.at(device)});
    }
  }
  std::ranges::stable_sort(gids, {}, &host::RdmaGid::index);
  return gids;
}

Result<std::optional<host::RdmaGid>> FakeRdma::find_gid(const std::string& device,
                                                        std::uint32_t port, const IpAddress& ip,
                                                        const std::string& link) {
  const auto gids = this->gids(device, port);
  if (!gids) return std::unexpected(gids.error());
  const auto found = std::ranges::find_if(
      *gids, [&](const host::RdmaGid& gid) { return host::is_gid_of(gid, ip, link); });
  return found == gids->end() ? std::nullopt : std::optional(*found);
}

Result<bool> FakeRdma::await_gid(const std::string& device, std::uint32_t port, const IpAddress& ip,
                                 const std::string& link, std::chrono::milliseconds /*deadline*/) {
  const auto gid = find_gid(device, port, ip, link);
  if (!gid) return std::unexpected(gid.error());
  return gid->has_value();
}

Result<std::vector<std::uint32_t>> FakeRdma::users(const std::string& device) {
  if (users_hidden_) {
    return fail(ErrorCode::kUnsupported, "the kernel does not tell");
  }
  return links_.contains(device)
             ? Result<std::vector<std::uint32_t>>(users_[device])
             : fail(ErrorCode::kNotFound, fmt::format("no RDMA device '{}'", device));
}

host::RailCounters FakeRdma::counters(const std::string& /*device*/, std::uint32_t /*port*/,
                                      const std::string& link) {
  return counters_[link];
}

Result<std::optional<std::string>> FakeRdma::cm_mode(const std::string& device,
                                                     std::uint32_t /*port*/) {
  if (!cm_loaded_) {
    return fail(ErrorCode::kNotFound, "rdma_cm is not loaded");
  }
  const auto mode = cm_modes_.find(device);
  return mode == cm_modes_.end() ? std::optional<std::string>() : mode->second;
}

Result<> FakeRdma::set_cm_mode(const std::string& device, std::uint32_t port,
                               const std::string& mode) {
  const auto what = fmt::format("set rdma_cm mode of '{}/{}' to '{}'", device, port, mode);
  if (auto admitted = writes_.admit(what); !admitted) return admitted;
  if (const auto now = cm_mode(device, port); !now) return std::unexpected(now.error());
  cm_modes_[device] = mode;
  writes_.record(FakePort::kRdma, what);
  return {};
}

Result<> FakeRdma::release_cm_mode(const std::string& device) {
  const auto what = fmt::format("remove rdma_cm directory of '{}'", device);
  if (auto admitted = writes_.admit(what); !admitted) return admitted;
  cm_modes_.erase(device);
  writes_.record(FakePort::kRdma, what);
  return {};
}

void FakeRdma::lose_gid(const IpAddress& ip) { lost_[ip] = times_added(writes_, ip); }

}  // namespace spark::test
