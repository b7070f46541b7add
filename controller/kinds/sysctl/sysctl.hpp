#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"
#include "kinds/common/kind.hpp"

namespace spark::kinds {

/// Kernel settings below /proc/sys: the live value, and the value that the next boot will set.
struct SysctlSetting {
  static constexpr std::string_view kName = "sysctl";

  struct Key {
    std::string name;  ///< dotted, or with '/' where a name holds a dot (sysctl.d(5))
    auto operator<=>(const Key&) const = default;
  };
  struct Value {
    std::string live;  ///< blanks folded
    std::string boot;  ///< what the sysctl.d files set last; empty: nothing
    bool operator==(const Value&) const = default;
  };
  struct Details {
    std::optional<std::string> our_line;  ///< in our own sysctl.d file
    /// The live value before it was ours, for a rollback or a release to restore.
    std::string original;
    /// The key's own value, where `live` is that of `all`: a rollback sets this one.
    std::optional<std::string> own;
  };

  static Desired<SysctlSetting> desired(const config::Node& node);
  static Result<Observed<SysctlSetting>> observe(host::View& view,
                                                 const Desired<SysctlSetting>& wanted,
                                                 const Context& context);
  static std::vector<Change<SysctlSetting>> diff(const State<SysctlSetting>& desired,
                                                 const State<SysctlSetting>& actual);
  static Result<> apply(const Change<SysctlSetting>& change, host::Host& host);

  /// Disabling IPv6 on a link removes its IPv6 addresses.
  static Effect effect(const Change<SysctlSetting>& change);
  static std::vector<std::string> files(const Change<SysctlSetting>& change);
  static std::string label(const Key& key) { return key.name; }
  static std::string label(const Value& value);
  /// The live value once the key is no longer managed; empty: it is not known.
  static std::optional<std::string> left(const Stated<SysctlSetting>& value);
};

template <EitherConst<SysctlSetting::Key> T, class Visit>
void each_field(T& key, Visit visit) {
  visit("name", key.name);
}

template <EitherConst<SysctlSetting::Value> T, class Visit>
void each_field(T& value, Visit visit) {
  visit("live", value.live);
  visit("boot", value.boot);
}

template <EitherConst<SysctlSetting::Details> T, class Visit>
void each_field(T& details, Visit visit) {
  visit("our_line", details.our_line);
  visit("original", details.original);
  visit("own", details.own);
}

}  // namespace spark::kinds
