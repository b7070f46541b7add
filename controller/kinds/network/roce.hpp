#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"
#include "kinds/common/kind.hpp"

namespace spark {

/// RoCE v2 on the rails: a GID for each address, and the version that rdma_cm takes by default.
struct Roce {
  static constexpr std::string_view kName = "roce";

  /// A GID is known by its content, the address and the network device: its index moves whenever
  /// addresses come and go, and means nothing.
  struct Key {
    std::string link;
    std::optional<IpAddress> ip;  ///< empty: the default of rdma_cm on the link's RDMA device
    auto operator<=>(const Key&) const = default;
  };
  struct Value {
    std::string version;  ///< "RoCE v2"; empty: no such GID, or a default that nobody has read yet
    /// Where it is to be had; not compared. Only in what was observed.
    std::string device;
    std::uint32_t port = 0;
    /// The address stands and its GID is missing: adding it anew brings the GID. Not compared.
    bool stands = false;
    /// The default of rdma_cm before it was ours, to be put back: its text, or kUnread. Not
    /// compared.
    std::optional<std::string> original;
    bool operator==(const Value& other) const { return version == other.version; }
  };

  static Desired<Roce> desired(const Node& node);
  static Result<Observed<Roce>> observe(View& view, const Desired<Roce>& wanted,
                                        const Context& context);
  static std::vector<Change<Roce>> diff(const State<Roce>& desired, const State<Roce>& actual);
  /// A GID follows from its address by itself, a moment later: waits for it, and adds the address
  /// anew, once, if it does not come. Errors: kTimeout when it does not come then either.
  static Result<> apply(const Change<Roce>& change, Host& host);

  static Effect effect(const Change<Roce>& change);
  static std::string label(const Key& key) {
    return key.link + " " + (key.ip ? key.ip->text() : "rdma_cm_mode");
  }
  static std::string label(const Value& value);
  /// The default of rdma_cm once the link is no longer held.
  static std::optional<std::string> left(const Value& value) { return value.original; }

  /// Nobody had read the default: it was the kernel's own.
  static constexpr const char* kUnread = "the kernel's own";
};

template <EitherConst<Roce::Key> T, class Visit>
void each_field(T& key, Visit visit) {
  visit("link", key.link);
  visit("ip", key.ip);
}

template <EitherConst<Roce::Value> T, class Visit>
void each_field(T& value, Visit visit) {
  visit("version", value.version);
  visit("device", value.device);
  visit("port", value.port);
  visit("stands", value.stands);
  visit("original", value.original);
}

}  // namespace spark
