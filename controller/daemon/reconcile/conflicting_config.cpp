#include "daemon/reconcile/conflicting_config.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kinds/network/address.hpp"
#include "kinds/network/mtu.hpp"
#include "kinds/other_managers/foreign_setup.hpp"
#include "kinds/other_managers/other_managers.hpp"
#include "kinds/sysctl/sysctl.hpp"
#include "kinds/sysctl/sysctl_boot.hpp"

namespace spark::daemon {
namespace {

/// "/etc/netplan/40-cx7.yaml:5, active on eth0 as /run/…/netplan-eth0.nmconnection,".
std::string who(const kinds::ForeignSetup& setup, const std::string& link) {
  return setup.netplan.empty()
             ? fmt::format("{}, active on {},", setup.file, link)
             : fmt::format("{}, active on {} as {},", setup.netplan, link, setup.file);
}

std::string remedy(const config::Node& node, const kinds::ForeignSetup& setup,
                   const std::string& link) {
  const bool kept_off =
      kinds::OtherManagers::desired(node).state.contains({.file = {}, .link = link});
  return fmt::format("{} keeps {} off {}; or change {}",
                     kept_off ? "`spark-reconcile apply`" : "`exclusive: true` in the file",
                     kinds::name_of(setup.manager), link,
                     setup.netplan.empty() ? setup.file : setup.netplan);
}

/// "sets 10.0.0.1/24 and takes others from DHCP".
std::string what_of_addresses(const kinds::ForeignSetup& setup, bool automatic, bool v4) {
  std::vector<std::string> own;
  for (const auto& address : setup.addresses) {
    if (address.ip.is_v4() == v4) own.push_back(address.text());
  }
  const auto* const source = v4 ? "DHCP" : "router advertisements or DHCP";
  if (own.empty()) {
    return automatic ? fmt::format("takes addresses from {}", source) : "sets no such address";
  }
  return fmt::format("sets {}{}", fmt::join(own, ", "),
                     automatic ? fmt::format(" and takes others from {}", source) : "");
}

std::optional<ConflictingSetting> conflict_of_mtu(host::View& view, const config::Node& node,
                                                  const std::string& name) {
  const auto wanted = node.links.find(name);
  const auto* link = view.link(name);
  if (link == nullptr || wanted == node.links.end() || !wanted->second.mtu) return std::nullopt;
  const auto setup = kinds::foreign_setup(view, *link);
  if (!setup || !setup->mtu || *setup->mtu == wanted->second.mtu->value) return std::nullopt;
  return ConflictingSetting{fmt::format("{} sets mtu {}", who(*setup, name), *setup->mtu),
                            remedy(node, *setup, name)};
}

std::optional<ConflictingSetting> conflict_of_address(host::View& view, const config::Node& node,
                                                      const plan::OnLink& on) {
  const auto& [name, ip] = on;
  const auto wanted = node.links.find(name);
  const auto* link = view.link(name);
  if (!ip || link == nullptr || wanted == node.links.end()) return std::nullopt;
  const auto setup = kinds::foreign_setup(view, *link);
  if (!setup) return std::nullopt;
  const bool want_it = std::ranges::any_of(
      wanted->second.addresses, [&](const auto& address) { return address.value.ip == *ip; });
  const bool sets_it = std::ranges::any_of(
      setup->addresses, [&](const IpPrefix& address) { return address.ip == *ip; });
  const bool automatic = ip->is_v4() ? setup->ipv4_automatic : setup->ipv6_automatic;
  // A setup with other addresses takes ours away; one with ours alone brings no foreign address.
  const bool otherwise = want_it ? !sets_it : sets_it || automatic;
  return otherwise ? std::optional(ConflictingSetting{
                         fmt::format("{} {}", who(*setup, name),
                                     what_of_addresses(*setup, automatic, ip->is_v4())),
                         remedy(node, *setup, name)})
                   : std::nullopt;
}

std::optional<ConflictingSetting> conflict_of_sysctl(host::View& view, const config::Node& node,
                                                     const std::string& key) {
  const auto desired = kinds::SysctlSetting::desired(node);
  const auto wanted = desired.state.find({key});
  const auto boot = kinds::BootSysctls::read(view);
  const auto* line = boot ? boot->winner(key) : nullptr;
  if (wanted == desired.state.end() || line == nullptr || line->file == kinds::kSysctlFile ||
      line->value.empty() || line->value == wanted->second.live) {
    return std::nullopt;
  }
  const auto place = fmt::format("{}:{}", line->file, line->line);
  return ConflictingSetting{fmt::format("{} sets {}", place, line->value),
                            fmt::format("change or remove {}", place)};
}

}  // namespace

std::optional<ConflictingSetting> find_conflict(host::View& view, const config::Node& node,
                                                const plan::ResourceKey& of) {
  if (of.kind == kinds::Mtu::kName) return conflict_of_mtu(view, node, of.on.link);
  if (of.kind == kinds::Address::kName) return conflict_of_address(view, node, of.on);
  return of.kind == kinds::SysctlSetting::kName ? conflict_of_sysctl(view, node, of.key)
                                                : std::nullopt;
}

}  // namespace spark::daemon
