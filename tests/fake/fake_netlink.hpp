#pragma once
// FakeNetlink: the links, addresses and routes of a fake world, which behave as the kernel's do.

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fake/fake_sysctl.hpp"
#include "fake/fake_writes.hpp"
#include "host/netlink.hpp"

namespace spark::test {

/// tests/kernel/netlink_fake_test.cpp does the same to this and to the kernel and compares.
class FakeNetlink : public host::Netlink {
 public:
  FakeNetlink(FakeWrites& writes, FakeSysctl& sysctl) : writes_(writes), sysctl_(sysctl) {
    sysctl.on_write("/addr_gen_mode", [this](const std::string& file, const std::string& text) {
      return write_addr_gen_mode(file, text);
    });
  }

  Result<std::vector<host::LinkInfo>> links() override;
  Result<std::vector<host::AddressInfo>> addresses() override;
  Result<std::vector<host::RouteInfo>> routes() override;
  Result<std::vector<host::RuleInfo>> rules() override;
  Result<std::vector<host::NeighbourInfo>> neighbours() override;
  Result<host::RouteInfo> route_to(const IpAddress& destination,
                                   const std::optional<IpAddress>& source) override;
  Result<std::vector<host::BaseChain>> base_chains() override { return base_chains_; }
  std::optional<bool> wifi_power_save(int link_index) override {
    const auto found = wifi_power_save_.find(link_index);
    return found == wifi_power_save_.end() ? std::nullopt : std::optional(found->second);
  }

  Result<> set_up(const std::string& link, bool up) override;
  Result<> set_mtu(const std::string& link, std::uint32_t mtu_bytes) override;
  Result<> set_addr_gen_mode(const std::string& link, std::uint8_t mode) override;
  Result<> add_address(const std::string& link, const host::AddressInfo& address) override;
  Result<> remove_address(const std::string& link, const IpPrefix& address) override;
  Result<> add_route(const std::string& link, const host::RouteInfo& route) override;
  Result<> remove_route(const std::string& link, const host::RouteInfo& route) override;

  Result<> watch() override;
  /// Time passes only here, and only with a deadline above 0: then duplicate address detection
  /// ends.
  Result<bool> wait_for_event(std::chrono::milliseconds deadline) override;

  // What happens to the world without us: not counted and not refused. A link that is
  // named and not there is the test's mistake: std::invalid_argument.

  /// A device appears, with a cable in it. Gives its index; `link.index` is not read.
  int plug(host::LinkInfo link);
  void unplug(const std::string& link);
  void rename(const std::string& link, const std::string& name);
  void set_cable(const std::string& link, bool plugged);
  void set_master(const std::string& link, const std::string& master);
  /// As `ip address add` by someone else.
  void add_foreign(const std::string& link, const host::AddressInfo& address);
  void remove_foreign(const std::string& link, const IpPrefix& address);
  void add_route(const host::RouteInfo& route);
  void remove_route(const host::RouteInfo& route);
  void add_rule(const host::RuleInfo& rule);
  void add_neighbour(const std::string& link, const IpAddress& ip, const host::MacAddress& mac);
  void add_base_chain(const host::BaseChain& chain) { base_chains_.push_back(chain); }
  void set_wifi_power_save(int link_index, bool is_on) { wifi_power_save_[link_index] = is_on; }
  /// Another machine answers for this address: duplicate address detection finds it.
  void claim_elsewhere(const IpAddress& ip) { claimed_elsewhere_.insert(ip); }

 private:
  host::LinkInfo* find(const std::string& name);
  host::LinkInfo& existing(const std::string& name);
  [[nodiscard]] const host::LinkInfo& link_at(int index) const;
  /// Runs `act` on the link and counts it when it succeeds. Errors: its own; there is no such link;
  /// the test refuses the change.
  template <class Act>
  Result<> change(const std::string& link, const std::string& what, Act act);
  void tell() { event_pending_ = watching_; }

  Result<> change_mtu(host::LinkInfo& link, std::uint32_t mtu_bytes, const std::string& what);
  static Result<> change_mode(host::LinkInfo& link, std::uint8_t mode, const std::string& what);
  /// As addrconf_sysctl_addr_gen_mode, which makes the address too.
  Result<> write_addr_gen_mode(const std::string& file, const std::string& text);
  void update_carrier(host::LinkInfo& link);
  void start_ipv6(const host::LinkInfo& link);
  void drop_ipv6_addresses(int link_index);
  bool end_detection();
  Result<> insert(const host::LinkInfo& link, host::AddressInfo address, const std::string& what);
  Result<> erase(const host::LinkInfo& link, const IpPrefix& address, const std::string& what);
  [[nodiscard]] bool promotes_secondaries(const std::string& link) const;
  [[nodiscard]] std::vector<host::RouteInfo> connected_routes() const;

  FakeWrites& writes_;
  FakeSysctl& sysctl_;
  std::vector<host::LinkInfo> links_;
  std::vector<host::AddressInfo> addresses_;
  std::vector<host::RouteInfo> static_routes_;
  std::vector<host::RuleInfo> added_rules_;
  std::vector<host::NeighbourInfo> neighbours_;
  std::vector<host::BaseChain> base_chains_;
  std::map<int, bool> wifi_power_save_;
  std::set<int> without_cable_;  ///< by ifindex
  std::set<IpAddress> claimed_elsewhere_;
  int last_index_ = 0;
  bool watching_ = false;
  bool event_pending_ = false;
};

}  // namespace spark::test
