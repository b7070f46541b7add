#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"
#include "host/process/helper_program.hpp"
#include "kinds/common/kind.hpp"

namespace spark {

/// The links that this program holds are left alone by NetworkManager and systemd-networkd, now and
/// after they or the machine start again.
struct OtherManagers {
  static constexpr std::string_view kName = "other_managers";

  struct Key {
    std::string file;  ///< a file of someone else that claims such a link; empty: a link
    std::string link;
    auto operator<=>(const Key&) const = default;
  };
  /// Of a file: where it stands. Of a link: which managers leave it alone.
  struct Value {
    enum class File : std::uint8_t { kNone, kClaims, kAside };
    bool networkmanager = false;  ///< leaves it alone; also where it is not installed
    bool networkd = false;        ///< likewise
    File file = File::kNone;
    // Only in what was observed, and not compared.
    bool networkmanager_runs = false;
    bool networkd_runs = false;
    bool was_managed = false;  ///< by NetworkManager, before we came
    std::string text;          ///< of a file: what it claims, or claimed
    /// NetworkManager leaves it alone until it starts again: our file no longer says so.
    std::optional<bool> until_restart;
    bool operator==(const Value& other) const {
      return networkmanager == other.networkmanager && networkd == other.networkd &&
             file == other.file;
    }
  };

  static Desired<OtherManagers> desired(const Node& node);
  static Result<Observed<OtherManagers>> observe(View& view, const Desired<OtherManagers>& wanted,
                                                 const Context& context);
  static std::vector<Change<OtherManagers>> diff(const State<OtherManagers>& desired,
                                                 const State<OtherManagers>& actual);
  /// In the order that does not take the link down: the running manager lets go of it first, then
  /// the file says so for good.
  static Result<> apply(const Change<OtherManagers>& change, Host& host);

  static Effect effect(const Change<OtherManagers>& change);
  /// What runs has to be told; what does not reads the files when it starts.
  static std::vector<Helper> helpers(const Change<OtherManagers>& change);
  static std::string label(const Key& key) { return key.file.empty() ? key.link : key.file; }
  static std::string label(const Value& value);
  /// What a file leaves behind when it is moved aside, or a link when it is given back.
  static std::optional<std::string> left(const Value& value);
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
  visit("networkmanager_runs", value.networkmanager_runs);
  visit("networkd_runs", value.networkd_runs);
  visit("was_managed", value.was_managed);
  visit("text", value.text);
  visit("until_restart", value.until_restart);
}

constexpr bool is_value(OtherManagers::Value::File file) {
  return file <= OtherManagers::Value::File::kAside;
}

}  // namespace spark
