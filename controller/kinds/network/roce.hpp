#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"
#include "kinds/common/kind.hpp"

namespace spark::kinds {

/// RoCE v2 on the rails: a GID for each address.
struct Roce {
  static constexpr std::string_view kName = "roce";

  /// A GID is known by its content, the address and the network device: its index moves whenever
  /// addresses come and go, and means nothing.
  struct Key {
    std::string link;
    IpAddress ip;
    auto operator<=>(const Key&) const = default;
  };
  struct Value {
    std::string version;  ///< "RoCE v2"; empty: no such GID
    bool operator==(const Value&) const = default;
  };
  struct Details {
    /// Where the GID is; only in what was observed.
    std::string device;
    std::uint32_t port = 0;
    /// The address is there and its GID is missing: adding the address again brings the GID.
    bool stands = false;
  };

  static Desired<Roce> desired(const config::Node& node);
  static Result<Observed<Roce>> observe(host::View& view, const Desired<Roce>& wanted,
                                        const Context& context);
  static std::vector<Change<Roce>> diff(const State<Roce>& desired, const State<Roce>& actual);
  /// The kernel makes a GID a moment after its address: waits for the GID, and adds the address
  /// again, once, if the GID does not come. Errors: kTimeout when it still does not come.
  static Result<> apply(const Change<Roce>& change, host::Host& host);

  static Effect effect(const Change<Roce>& change);
  static std::string label(const Key& key) { return key.link + " " + key.ip.text(); }
  static std::string label(const Stated<Roce>& value);
};

template <EitherConst<Roce::Key> T, class Visit>
void each_field(T& key, Visit visit) {
  visit("link", key.link);
  visit("ip", key.ip);
}

template <EitherConst<Roce::Value> T, class Visit>
void each_field(T& value, Visit visit) {
  visit("version", value.version);
}

template <EitherConst<Roce::Details> T, class Visit>
void each_field(T& details, Visit visit) {
  visit("device", details.device);
  visit("port", details.port);
  visit("stands", details.stands);
}

}  // namespace spark::kinds
