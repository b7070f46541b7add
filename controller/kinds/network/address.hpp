#pragma once

#include <compare>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"
#include "base/ip.hpp"
#include "kinds/common/kind.hpp"

namespace spark {

/// IPv4 and IPv6 addresses that the file gives a link. Others on the link are left alone.
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
    /// One for each length with which the address stands, or is to: the kernel lets an IPv4 address
    /// have several, and the file asks for one. Never empty. Only the lengths are compared; the
    /// rest is all that the kernel held, so that an undo and a release give it back.
    std::vector<AddressInfo> standing;
    bool duplicate = false;  ///< IPv6 DAD failed: another host answers for it
    /// Removing it would delete addresses of the same subnet that stay, since the link's
    /// `promote_secondaries` is 0: it is set for the removal and put back. Not compared.
    bool takes_others_along = false;
    /// The secondaries of primaries that go, in the kernel's order: one of them takes the place of
    /// each, and an undo puts them behind it again. Not compared.
    std::vector<AddressInfo> secondaries;

    /// Bits, sorted.
    [[nodiscard]] std::set<std::uint8_t> lengths() const;
    bool operator==(const Value& other) const {
      return duplicate == other.duplicate && lengths() == other.lengths();
    }
  };

  static Desired<Address> desired(const Node& node);
  /// Wants what an earlier apply has changed, and the file names no more, as it was before it; and
  /// has what is wanted and stood there before us come as it was, should it be missing.
  static void complete(Desired<Address>& wanted, View& view, const Context& context);
  static Result<Observed<Address>> observe(View& view, const Desired<Address>& wanted,
                                           const Context& context);
  /// Frees an address that moves to another link first, then adds, then removes (secondary ones
  /// before their primary): a link never lacks an address that it could have.
  static std::vector<Change<Address>> diff(const State<Address>& desired,
                                           const State<Address>& actual);
  /// Where a length goes, all go, and those that are to stand come after that: the address loses
  /// its GID with any of them (GIDs are keyed by address alone).
  static Result<> apply(const Change<Address>& change, Host& host);

  /// Takes back what a kill in the middle of that change leaves beside the address:
  /// `promote_secondaries`, unless it is among what is `remembered`, as the file asks for it.
  static Result<> clean_up(const Change<Address>& change, const Ledger& remembered, Host& host);

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
  visit("standing", value.standing);
  visit("duplicate", value.duplicate);
  visit("takes_others_along", value.takes_others_along);
  visit("secondaries", value.secondaries);
}

}  // namespace spark
