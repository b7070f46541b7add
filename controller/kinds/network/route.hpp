#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"
#include "base/ip.hpp"
#include "kinds/common/kind.hpp"

namespace spark::kinds {

/// Routes that the file gives a link, in the main table. Ours have a protocol number of their own
/// (host::kMadeByUs); those of others are left unchanged.
struct Route {
  static constexpr std::string_view kName = "route";
  static constexpr bool kFromNetlink = true;

  /// What the kernel tells routes of one table apart by, and by which link.
  struct Key {
    std::string link;
    IpPrefix to;
    std::uint32_t metric = 0;  ///< as the kernel has it: IPv6 has 1024 where none is asked for
    auto operator<=>(const Key&) const = default;
  };
  struct Value {
    std::optional<IpAddress> via;  ///< empty: the destination is on the link
    std::optional<IpAddress> source;
    std::uint32_t mtu = 0;  ///< bytes; 0: that of the link
    bool operator==(const Value&) const = default;
  };

  static Desired<Route> desired(const config::Node& node);
  /// Of a node without routes, now and by its ledger, reads nothing.
  static Result<Observed<Route>> observe(host::View& view, const Desired<Route>& wanted,
                                         const Context& context);
  /// First removes those that leave: another one may take the place. A rollback then adds them
  /// last, once their addresses are there again.
  static std::vector<Change<Route>> diff(const State<Route>& desired, const State<Route>& actual);
  /// What the kernel does not take yet waits: an address that is not there, or is still tentative.
  static Outcome apply(const Change<Route>& change, host::Host& host);

  static Effect effect(const Change<Route>& change);
  static std::string label(const Key& key);
  static std::string label(const Value& value);
};

template <EitherConst<Route::Key> T, class Visit>
void each_field(T& key, Visit visit) {
  visit("link", key.link);
  visit("to", key.to);
  visit("metric", key.metric);
}

template <EitherConst<Route::Value> T, class Visit>
void each_field(T& value, Visit visit) {
  visit("via", value.via);
  visit("source", value.source);
  visit("mtu", value.mtu);
}

}  // namespace spark::kinds
