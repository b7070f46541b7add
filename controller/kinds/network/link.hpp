#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"
#include "kinds/common/kind.hpp"

namespace spark::kinds {

/// Administrative state of a link, and whether the kernel makes IPv6 link-local addresses on it.
struct Link {
  static constexpr std::string_view kName = "link";
  static constexpr bool kFromNetlink = true;

  struct Key {
    std::string link;
    auto operator<=>(const Key&) const = default;
  };
  /// Only what the file mentions is filled in, on both sides.
  struct Value {
    std::optional<bool> up;                           ///< IFF_UP
    std::optional<config::LinkLocalMode> link_local;  ///< IFLA_INET6_ADDR_GEN_MODE
    /// Addresses that the kernel made by itself, where the mode is `none` or is to be: `none` only
    /// stops new ones. With all their attributes, for a rollback to restore.
    std::vector<host::AddressInfo> kernel_made;
    bool operator==(const Value&) const = default;
  };
  struct Details {
    /// `kernel_made` is all that was found there: a rollback leaves no other.
    std::optional<bool> is_found;
    bool unused = false;  ///< wanted down only because no cable names its cage
  };

  static Desired<Link> desired(const config::Node& node);
  static Result<Observed<Link>> observe(host::View& view, const Desired<Link>& wanted,
                                        const Context& context);
  /// Links that go down come last: until then every earlier step can be rolled back.
  static std::vector<Change<Link>> diff(const State<Link>& desired, const State<Link>& actual);
  /// Sets the link-local mode before a link goes up, else the kernel makes an address at once.
  static Result<> apply(const Change<Link>& change, host::Host& host);

  static Effect effect(const Change<Link>& change);
  static std::string label(const Key& key) { return key.link; }
  static std::string label(const Value& value);
};

template <EitherConst<Link::Key> T, class Visit>
void each_field(T& key, Visit visit) {
  visit("link", key.link);
}

template <EitherConst<Link::Value> T, class Visit>
void each_field(T& value, Visit visit) {
  visit("up", value.up);
  visit("link_local", value.link_local);
  visit("kernel_made", value.kernel_made);
}

template <EitherConst<Link::Details> T, class Visit>
void each_field(T& details, Visit visit) {
  visit("is_found", details.is_found);
  visit("unused", details.unused);
}

/// The mode's word in the file: "none", "eui64", "stable_privacy", "random".
std::string_view name_of(config::LinkLocalMode mode);

}  // namespace spark::kinds
