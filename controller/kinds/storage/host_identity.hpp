#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"
#include "kinds/common/kind.hpp"
#include "protocol/nvme.hpp"

namespace spark::kinds {

/// The host NQN and host id, by which NVMe targets know this machine: made once, never changed. Two
/// machines with one identity are one host to a target, which lets both in to write.
struct HostIdentity {
  static constexpr std::string_view kName = "host_identity";

  /// A machine has one.
  struct Key {
    auto operator<=>(const Key&) const = default;
  };
  struct Value {
    std::string missing;  ///< the file that is absent while the other is there; empty: none
    bool operator==(const Value&) const = default;
  };

  /// Wanted where the file gives this node a target.
  static Desired<HostIdentity> desired(const config::Node& node);
  /// Skipped where the identity is broken, or was made on another machine, as on a cloned disk.
  static Result<Observed<HostIdentity>> observe(host::View& view,
                                                const Desired<HostIdentity>& wanted,
                                                const Context& context);
  static std::vector<Change<HostIdentity>> diff(const State<HostIdentity>& desired,
                                                const State<HostIdentity>& actual) {
    return difference<HostIdentity>(desired, actual);
  }
  /// Writes the missing file, derived from the other one where that is there. A rollback removes
  /// what this wrote. Waits while /etc/nvme is busy.
  static Outcome apply(const Change<HostIdentity>& change, host::Host& host);
  static Effect effect(const Change<HostIdentity>& /*change*/) { return {}; }

  /// Both, but where one was there before, or stays.
  static std::vector<std::string> files(const Change<HostIdentity>& change) {
    for (const auto& side : {change.before, change.after}) {
      if (side && !side->missing.empty()) return {side->missing};
    }
    return {protocol::kHostNqnFile, protocol::kHostIdFile};
  }
  static std::string label(const Key& /*key*/) { return "/etc/nvme"; }
  static std::string label(const Value& value);
};

template <EitherConst<HostIdentity::Key> T, class Visit>
void each_field(T& /*key*/, Visit /*visit*/) {}

template <EitherConst<HostIdentity::Value> T, class Visit>
void each_field(T& value, Visit visit) {
  visit("missing", value.missing);
}

/// The NQN in /etc/nvme/hostnqn; empty: no such file, or no NQN in it.
std::string host_nqn(host::View& view);

}  // namespace spark::kinds
