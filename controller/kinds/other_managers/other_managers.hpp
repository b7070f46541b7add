#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"
#include "base/ip.hpp"
#include "host/process/helper_program.hpp"
#include "kinds/common/kind.hpp"

namespace spark::kinds {

/// Keeps NetworkManager and systemd-networkd off the links that this program manages, now and after
/// they or the machine restart.
struct OtherManagers {
  static constexpr std::string_view kName = "other_managers";

  struct Key {
    std::string file;  ///< a file of someone else that claims such a link; empty: `link`
    std::string link;
    auto operator<=>(const Key&) const = default;
  };
  /// Of a file: where it is. Of a link: which managers are kept off it.
  struct Value {
    enum class File : std::uint8_t { kNone, kClaims, kAside };
    bool networkmanager = false;  ///< kept off the link, or not installed
    bool networkd = false;        ///< kept off the link, or not installed
    File file = File::kNone;
    bool operator==(const Value&) const = default;
  };
  /// Only of what was observed.
  struct Details {
    bool networkmanager_runs = false;  ///< also of a file
    bool networkd_runs = false;
    bool was_managed = false;  ///< by NetworkManager, before the first apply
    std::string text;          ///< of a file: what it claims, or claimed
    /// NetworkManager is kept off the link only until it restarts: our file no longer names the
    /// link.
    std::optional<bool> until_restart;
    /// Addresses that networkd set on the link: it takes them along when it lets go of it.
    std::vector<host::AddressInfo> set_by_networkd;
    /// Of a file: one of that name is aside already, and this one was written after that.
    std::optional<bool> written_again;
  };

  static Desired<OtherManagers> desired(const config::Node& node);
  static Result<Observed<OtherManagers>> observe(host::View& view,
                                                 const Desired<OtherManagers>& wanted,
                                                 const Context& context);
  static std::vector<Change<OtherManagers>> diff(const State<OtherManagers>& desired,
                                                 const State<OtherManagers>& actual);
  /// Does not take the link down: first the running manager lets go of the link, then the file
  /// makes that permanent. What networkd takes along is set again.
  /// The file of another program that cannot be moved aside waits.
  static Outcome apply(const Change<OtherManagers>& change, host::Host& host);

  static Effect effect(const Change<OtherManagers>& change);
  /// A running manager has to be told over D-Bus; another one reads the files when it starts.
  static std::vector<host::Helper> helpers(const Change<OtherManagers>& change);
  /// Not the file of another program that is moved aside: that waits, and keeps nothing back.
  static std::vector<std::string> files(const Change<OtherManagers>& change);
  static std::string label(const Key& key) { return key.file.empty() ? key.link : key.file; }
  static std::string label(const Stated<OtherManagers>& value);
  /// What is left of a file that is moved aside, or of a link that is released.
  static std::optional<std::string> left(const Stated<OtherManagers>& value);
};

template <EitherConst<OtherManagers::Key> T, class Visit>
void each_field(T& key, Visit visit) {
  visit("file", key.file);
  visit("link", key.link);
}

template <EitherConst<OtherManagers::Value> T, class Visit>
void each_field(T& value, Visit visit) {
  visit("networkmanager", value.networkmanager);
  visit("networkd", value.networkd);
  visit("file", value.file);
}

template <EitherConst<OtherManagers::Details> T, class Visit>
void each_field(T& details, Visit visit) {
  visit("networkmanager_runs", details.networkmanager_runs);
  visit("networkd_runs", details.networkd_runs);
  visit("was_managed", details.was_managed);
  visit("text", details.text);
  visit("until_restart", details.until_restart);
  visit("set_by_networkd", unless_empty(details.set_by_networkd));
  visit("written_again", unless_empty(details.written_again));
}

constexpr bool is_value(OtherManagers::Value::File file) {
  return file <= OtherManagers::Value::File::kAside;
}

}  // namespace spark::kinds
