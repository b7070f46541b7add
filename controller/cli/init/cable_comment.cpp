#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

#include <fmt/format.h>

#include "cli/init/file_parts.hpp"

namespace spark::cli {
namespace {

/// Both ends of the cable of a cage, rail by rail.
struct CableEnds {
  std::vector<std::string> own;
  std::vector<std::string> other;
  std::uint32_t mtu = 0;  ///< bytes
};

/// The address of the only machine that the kernel has heard from on the rail; else what to write
/// in its place.
std::string other_end(const std::vector<Neighbour>& neighbours, const HostRail& rail) {
  const auto& own = rail.addresses.front().info.address;
  std::set<IpAddress> found;
  for (const auto& [ip, link] : neighbours) {
    if (link == rail.here.link.name && own.contains(ip) && ip != own.ip) found.insert(ip);
  }
  return found.size() == 1 ? IpPrefix{*found.begin(), own.prefix_len}.text() : "ADDRESS";
}

std::map<int, CableEnds> cables_of(const HostRails& rails,
                                   const std::vector<Neighbour>& neighbours) {
  std::map<int, CableEnds> cables;
  std::set<int> others;  // cages that no cable can describe
  for (const auto& rail : rails.rails()) {
    if (rail.here.link.loopback) continue;
    const auto cage = rail.here.rail.cage;
    if (rail.addresses.size() == 1 && rail.entry == RailEntry::kSet) {
      auto& [own, other, mtu] = cables[cage];
      own.push_back(rail.addresses.front().info.address.text());
      other.push_back(other_end(neighbours, rail));
      mtu = std::max(mtu, rail.here.link.mtu);
    } else if (!rail.addresses.empty()) {
      others.insert(cage);
    }
  }
  std::erase_if(cables, [&](const auto& cable) { return others.contains(cable.first); });
  return cables;
}

}  // namespace

void write_cable_comment(const std::string& node, const HostRails& rails,
                         const std::vector<Neighbour>& neighbours, YamlText& yaml) {
  const auto cables = cables_of(rails, neighbours);
  if (cables.empty()) return;
  yaml.blank();
  yaml.comment(
      "This machine does not see which cage of which machine its cables lead to. Run `init "
      "--from-host` there too, and put that node under `nodes` above. Then a cable can take the "
      "place of the `links` of its rails on both nodes. Rails of a cable are also kept off "
      "NetworkManager and systemd-networkd. Write what stands in capitals; an address at the "
      "other end is one that this machine has heard from:");
  yaml.command("fabric:");
  yaml.command("  cables:");
  for (const auto& [cage, cable] : cables) {
    yaml.command(fmt::format("    - mtu: {}", cable.mtu));
    yaml.command("      ends:");
    yaml.command(fmt::format("        {}: {}", yaml_word(fmt::format("{}:{}", node, cage)),
                             yaml_list(cable.own)));
    yaml.command(fmt::format("        OTHER:CAGE: {}", yaml_list(cable.other)));
  }
}

}  // namespace spark::cli
