#pragma once
// LinuxNetlink: the Netlink port on the kernel of this machine.

#include <optional>
#include <string>
#include <vector>

#include "host/linux/netlink/events.hpp"
#include "host/linux/netlink/socket.hpp"
#include "host/netlink.hpp"

namespace spark::host {

/// Works in the network namespace that the calling thread is in when a socket is first needed: one
/// for requests, and with `watch` one for events.
class LinuxNetlink : public Netlink {
 public:
  Result<std::vector<LinkInfo>> links() override;
  Result<std::vector<AddressInfo>> addresses() override;
  Result<std::vector<RouteInfo>> routes() override;
  Result<std::vector<RuleInfo>> rules() override;
  Result<std::vector<NeighbourInfo>> neighbours() override;
  Result<RouteInfo> route_to(const IpAddress& destination,
                             const std::optional<IpAddress>& source) override;
  Result<std::vector<BaseChain>> base_chains() override;
  std::optional<bool> wifi_power_save(int link_index) override;

  Result<> set_up(const std::string& link, bool up) override;
  Result<> set_mtu(const std::string& link, std::uint32_t mtu_bytes) override;
  Result<> set_addr_gen_mode(const std::string& link, std::uint8_t mode) override;
  Result<> add_address(const std::string& link, const AddressInfo& address) override;
  Result<> remove_address(const std::string& link, const IpPrefix& address) override;
  Result<> add_route(const std::string& link, const RouteInfo& route) override;
  Result<> remove_route(const std::string& link, const RouteInfo& route) override;

  Result<> watch() override;
  Result<bool> wait_for_event(std::chrono::milliseconds deadline) override;

 private:
  /// The socket for requests, opened at first use.
  Result<NetlinkSocket*> socket();
  /// Sends one acknowledged request about `link`: `build` makes it from the link's present ifindex,
  /// and `describe` makes the beginning of an error's text.
  template <class Build, class Describe>
  Result<> write(const std::string& link, Build build, Describe describe);

  std::optional<NetlinkSocket> socket_;
  std::optional<NetlinkEvents> events_;
};

}  // namespace spark::host
