#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"
#include "host/process/helper_program.hpp"
#include "host/processes.hpp"
#include "kinds/common/kind.hpp"

namespace spark::kinds {

/// How much memory a new login, system service or container may lock. What runs already keeps its
/// limit until it restarts: that is pending, and no difference.
struct MemlockSetting {
  static constexpr std::string_view kName = "memlock";

  struct Key {
    std::string scope;  ///< "logins", "services" or "containers"
    auto operator<=>(const Key&) const = default;
  };
  struct Value {
    /// Empty: no file sets it, and systemd's own default applies. For logins, where root's limit
    /// and that of others differ, the wrong one.
    std::optional<std::uint64_t> soft;  ///< bytes; kUnlimited
    std::optional<std::uint64_t> hard;
    bool operator==(const Value&) const = default;
  };
  struct Details {
    std::string file;                 ///< our own
    std::optional<std::string> text;  ///< its text; empty: there is none
  };

  static Desired<MemlockSetting> desired(const config::Node& node);
  static Result<Observed<MemlockSetting>> observe(host::View& view,
                                                  const Desired<MemlockSetting>& wanted,
                                                  const Context& context);
  static std::vector<Change<MemlockSetting>> diff(const State<MemlockSetting>& desired,
                                                  const State<MemlockSetting>& actual);
  /// Writes our file. If that is one of systemd's, makes systemd read its files again.
  static Result<> apply(const Change<MemlockSetting>& change, host::Host& host);

  static Effect effect(const Change<MemlockSetting>& /*change*/) { return {}; }
  /// systemd reads its files again.
  static std::vector<host::Helper> helpers(const Change<MemlockSetting>& change);
  static std::vector<std::string> files(const Change<MemlockSetting>& change);
  static std::string label(const Key& key) { return key.scope; }
  static std::string label(const Stated<MemlockSetting>& value);
};

template <EitherConst<MemlockSetting::Key> T, class Visit>
void each_field(T& key, Visit visit) {
  visit("scope", key.scope);
}

template <EitherConst<MemlockSetting::Value> T, class Visit>
void each_field(T& value, Visit visit) {
  visit("soft", value.soft);
  visit("hard", value.hard);
}

template <EitherConst<MemlockSetting::Details> T, class Visit>
void each_field(T& details, Visit visit) {
  visit("file", details.file);
  visit("text", details.text);
}

}  // namespace spark::kinds
