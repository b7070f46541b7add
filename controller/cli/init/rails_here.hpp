#pragma once
// rails_here: the rails of this machine as the kernel has them, and its link to the LAN.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "config/cluster.hpp"
#include "config/dgx_names.hpp"
#include "host/view.hpp"

namespace spark::cli {

/// Of Ethernet devices that nobody has set up, bytes (ether_setup()).
inline constexpr std::uint32_t kEthernetMtu = 1500;

struct RailHere {
  config::Rail rail;
  host::LinkInfo link;
  std::vector<host::AddressInfo> addresses;  ///< in the kernel's order
};

/// Cage by cage, rail 0 first; empty: this machine has no ConnectX-7, or the card is powered off.
Result<std::vector<RailHere>> rails_here(host::View& view);

/// `lo`, where somebody gave it addresses: those of the machine itself. It is no rail of a cage.
std::optional<RailHere> identity_here(host::View& view);

/// The default route in use leaves by the link, or by one that stands on it.
bool is_way_to_lan(host::View& view, const std::string& link);

/// The cages of which a rail is the way to the LAN: no cable to another node is there.
std::set<int> cages_of_lan(host::View& view, const std::vector<RailHere>& rails);

/// The other cages of which a rail has a carrier.
std::vector<int> cages_with_carrier(host::View& view, const std::vector<RailHere>& rails);

/// The subnets that both rails of a cage are in already, and the places in them.
struct SubnetsInUse {
  std::array<IpPrefix, 2> subnets;  ///< of rail 0 and of rail 1, each a /24
  int number = 0;                   ///< of this machine, in both
  std::optional<int> other;         ///< of the one other machine that was heard there
};
/// By cage. Not where a rail has no lasting IPv4 address, or several, or where both have other
/// numbers.
std::map<int, SubnetsInUse> subnets_in_use(host::View& view, const std::vector<RailHere>& rails);

/// That rails have lasting addresses in other subnets than those of a new file; a line, or empty.
std::string note_of_other_addresses(host::View& view, const config::Fabric& fabric);

/// The link of the default route in use, of IPv4 where there is one; empty: there is none.
std::string link_to_lan(host::View& view);

/// A machine that the kernel has heard from: an IPv4 address in the neighbour table of a link.
struct Neighbour {
  IpAddress ip;
  std::string link;
};

/// Empty also where the table cannot be read.
std::vector<Neighbour> neighbours_here(host::View& view);

}  // namespace spark::cli
