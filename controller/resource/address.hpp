#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"
#include "base/ip.hpp"
#include "resource/resource.hpp"

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
    std::uint8_t prefix_len = 0;  ///< bits
    bool duplicate = false;       ///< IPv6 DAD failed: another host answers for it
    /// All that the kernel held, so that an undo gives it back; not compared. Empty: not there.
    std::optional<AddressInfo> as_found;
    /// Removing it would delete addresses of the same subnet that stay, since the link's
    /// `promote_secondaries` is 0: it is set for the removal and put back. Not compared.
    bool takes_others_along = false;
    /// Other lengths of the same address that go with it; not compared.
    std::vector<AddressInfo> others;
    /// The secondaries of a primary that goes, in the kernel's order: one of them takes its place,
    /// and an undo puts them behind it again. Not compared.
    std::vector<AddressInfo> secondaries;
    /// Of one that is wanted: how it stood before the first apply, to be added so again. Empty: it
    /// did not. Not compared.
    std::vector<AddressInfo> as_before;
    /// Of one that comes back with several lengths: the others, as far as they stand; sorted.
    std::vector<std::uint8_t> other_lengths;
    bool operator==(const Value& other) const {
      return prefix_len == other.prefix_len && duplicate == other.duplicate &&
             other_lengths == other.other_lengths;
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
  /// Another length of the same address is a removal and an addition: adding first would leave the
  /// address without its GID once the old length goes (GIDs are keyed by address alone).
  static Result<> apply(const Change<Address>& change, Host& host);

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
  visit("prefix_len", value.prefix_len);
  visit("duplicate", value.duplicate);
  visit("as_found", value.as_found);
  visit("takes_others_along", value.takes_others_along);
  visit("others", value.others);
  visit("secondaries", value.secondaries);
  visit("as_before", value.as_before);
  visit("other_lengths", value.other_lengths);
}

}  // namespace spark
