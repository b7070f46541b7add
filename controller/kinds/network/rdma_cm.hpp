#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"
#include "kinds/common/kind.hpp"

namespace spark::kinds {

/// The RoCE version that programs with rdma_cm get by default, on the RDMA devices of the rails.
struct RdmaCm {
  static constexpr std::string_view kName = "rdma_cm";

  struct Key {
    std::string link;
    auto operator<=>(const Key&) const = default;
  };
  struct Value {
    std::string version;  ///< "RoCE v2"; empty: a default that nobody has read yet
    bool operator==(const Value&) const = default;
  };
  struct Details {
    /// Where the default is; only in what was observed.
    std::string device;
    std::uint32_t port = 0;
    /// The default before it was ours, to be restored: its text, or kUnread.
    std::optional<std::string> original;
  };

  static Desired<RdmaCm> desired(const config::Node& node);
  static Result<Observed<RdmaCm>> observe(host::View& view, const Desired<RdmaCm>& wanted,
                                          const Context& context);
  static std::vector<Change<RdmaCm>> diff(const State<RdmaCm>& desired,
                                          const State<RdmaCm>& actual) {
    return difference<RdmaCm>(desired, actual);
  }
  static Result<> apply(const Change<RdmaCm>& change, host::Host& host);

  static Effect effect(const Change<RdmaCm>& change) { return {.link = change.key.link}; }
  static std::string label(const Key& key) { return key.link; }
  static std::string label(const Value& value) {
    return value.version.empty() ? "none yet" : value.version;
  }
  /// The default once the link is no longer managed.
  static std::optional<std::string> left(const Stated<RdmaCm>& value) {
    return value.details.original;
  }

  /// Nobody had read the default: it was the kernel's own.
  static constexpr const char* kUnread = "the kernel's own";
};

template <EitherConst<RdmaCm::Key> T, class Visit>
void each_field(T& key, Visit visit) {
  visit("link", key.link);
}

template <EitherConst<RdmaCm::Value> T, class Visit>
void each_field(T& value, Visit visit) {
  visit("version", value.version);
}

template <EitherConst<RdmaCm::Details> T, class Visit>
void each_field(T& details, Visit visit) {
  visit("device", details.device);
  visit("port", details.port);
  visit("original", details.original);
}

}  // namespace spark::kinds
