#pragma once
// promote_secondaries: what the kernel does with a secondary IPv4 address when its primary is
// removed: promotes it, or deletes it too (ip-sysctl, promote_secondaries).

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"
#include "base/ip.hpp"
#include "host/view.hpp"
#include "kinds/common/kind.hpp"

namespace spark::kinds {

/// IPv4 and IPv6 addresses that the file gives a link. Other addresses on the link are left
/// unchanged.
struct Address {
  static constexpr std::string_view kName = "address";
  static constexpr bool kFromNetlink = true;

  /// Identity. Without the prefix length: the kernel keys RoCE GIDs by the bare address, and
  /// refuses the same IPv6 address twice on a link whatever the length (EEXIST).
  struct Key {
    std::string link;
    IpAddress ip;
    auto operator<=>(const Key&) const = default;
  };
  struct Value {
    /// Bits: the prefix lengths that the address has, or is to have. The kernel lets an IPv4
    /// address have several, and the file asks for one. Never empty. Those of `Details::standing`.
    PrefixLengths lengths;
    bool duplicate = false;  ///< IPv6 DAD failed: another host answers for it
    bool operator==(const Value&) const = default;
  };
  struct Details {
    /// One entry for each length: all that the kernel had, for a rollback or a release to restore.
    std::vector<host::AddressInfo> standing;
    /// The kernel would delete addresses of the same subnet that stay, since the link's
    /// `promote_secondaries` is 0. It is 1 during the removal, then 0 again.
    bool takes_others_along = false;
    /// The secondaries of primaries that go, in the kernel's order. One of them takes the place of
    /// its primary; a rollback puts them behind the primary again.
    std::vector<host::AddressInfo> secondaries;
  };

  /// The address as it stands, or is to stand. The one way to state it but for a journal, which
  /// has no lengths either: both take them from `standing`.
  static Stated<Address> stated(std::vector<host::AddressInfo> standing);
  static void derive_value(Stated<Address>& stated);

  static Desired<Address> desired(const config::Node& node);
  /// Adds to `wanted` what an earlier apply changed and the file no longer names, as it was before.
  /// A wanted address that was there before us and is missing comes back as it was.
  static void complete(Desired<Address>& wanted, host::View& view, const Context& context);
  static Result<Observed<Address>> observe(host::View& view, const Desired<Address>& wanted,
                                           const Context& context);
  /// First removes an address that moves to another link, then adds, then removes the rest
  /// (secondaries before their primary): a link never lacks an address that it could have.
  static std::vector<Change<Address>> diff(const State<Address>& desired,
                                           const State<Address>& actual);
  /// When one length goes, removes all of them and then adds the wanted ones: the address loses its
  /// GID with any of them (GIDs are keyed by address alone).
  static Result<> apply(const Change<Address>& change, host::Host& host);

  /// Sets `promote_secondaries` to 0 where a kill in the middle of that change left it at 1. Leaves
  /// it unchanged where it is `remembered`: the file asks for it.
  static Result<> clean_up(const Change<Address>& change, const Ledger& remembered,
                           host::Host& host);

  static Effect effect(const Change<Address>& change);
  static std::string label(const Key& key) { return key.link + " " + key.ip.text(); }
  static std::string label(const Value& value);
};

template <EitherConst<Address::Key> T, class Visit>
void each_field(T& key, Visit visit) {
  visit("link", key.link);
  visit("ip", key.ip);
}

template <EitherConst<Address::Value> T, class Visit>
void each_field(T& value, Visit visit) {
  visit("duplicate", value.duplicate);
}

template <EitherConst<Address::Details> T, class Visit>
void each_field(T& details, Visit visit) {
  visit("standing", details.standing);
  visit("takes_others_along", details.takes_others_along);
  visit("secondaries", details.secondaries);
}

// promote_secondaries: what the kernel does with a secondary IPv4 address when its primary is
// removed: promotes it, or deletes it too (ip-sysctl, promote_secondaries).

/// The sysctl of the link, as a path below /proc/sys.
std::string promote_key(const std::string& link);

/// The kernel ORs the link's value with that of `all` (IN_DEV_PROMOTE_SECONDARIES).
bool promotes_secondaries(host::View& view, const std::string& link);

}  // namespace spark::kinds
