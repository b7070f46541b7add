#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fields.hpp"
#include "kinds/common/kind.hpp"

namespace spark::kinds {

/// The MTU of a link: the largest L3 packet it sends, Ethernet header not counted.
struct Mtu {
  static constexpr std::string_view kName = "mtu";
  static constexpr bool kFromNetlink = true;

  struct Key {
    std::string link;
    auto operator<=>(const Key&) const = default;
  };
  struct Value {
    std::uint32_t bytes = 0;  ///< IFLA_MTU
    bool operator==(const Value&) const = default;
  };
  struct Details {
    /// How many devices are stacked below (0 for hardware). Orders changes.
    int layer = 0;
    /// Devices stacked on the link that the kernel lowers along with it, and their MTUs before, for
    /// a rollback to restore.
    std::vector<std::pair<std::string, std::uint32_t>> lowered_with;
    /// The link has IPv6, which needs 1280 bytes, and the change ends it.
    bool ends_ipv6 = false;
    /// What goes with IPv6, for a rollback to restore.
    std::optional<std::uint8_t> link_local_mode;
    std::vector<host::AddressInfo> ipv6_addresses;
  };

  static Desired<Mtu> desired(const config::Node& node);
  static Result<Observed<Mtu>> observe(host::View& view, const Desired<Mtu>& wanted,
                                       const Context& context);
  /// Raises from the bottom of a stack, lowers from its top: no device may exceed what it stands
  /// on.
  static std::vector<Change<Mtu>> diff(const State<Mtu>& desired, const State<Mtu>& actual);
  static Result<> apply(const Change<Mtu>& change, host::Host& host);

  static Effect effect(const Change<Mtu>& change);
  static std::string label(const Key& key) { return key.link; }
  static std::string label(const Stated<Mtu>& value);
};

template <EitherConst<Mtu::Key> T, class Visit>
void each_field(T& key, Visit visit) {
  visit("link", key.link);
}

template <EitherConst<Mtu::Value> T, class Visit>
void each_field(T& value, Visit visit) {
  visit("bytes", value.bytes);
}

template <EitherConst<Mtu::Details> T, class Visit>
void each_field(T& details, Visit visit) {
  visit("layer", details.layer);
  visit("lowered_with", details.lowered_with);
  visit("ends_ipv6", details.ends_ipv6);
  visit("link_local_mode", details.link_local_mode);
  visit("ipv6_addresses", details.ipv6_addresses);
}

}  // namespace spark::kinds
