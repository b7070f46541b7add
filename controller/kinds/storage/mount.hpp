#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"
#include "host/process/helper_program.hpp"
#include "kinds/common/kind.hpp"
#include "kinds/storage/storage_units.hpp"

namespace spark::kinds {

/// File systems on volumes of NVMe targets, each mounted by a unit of its own.
struct Mount {
  static constexpr std::string_view kName = "mount";

  struct Key {
    std::string path;
    auto operator<=>(const Key&) const = default;
  };
  struct Value {
    std::string nqn;
    std::string space;  ///< namespace, a number or a UUID in lower case; empty: the only one
    std::string type;
    std::vector<std::string> options;  ///< sorted; observed: only the wanted ones
    bool writes = false;
    bool kept = true;  ///< its unit says what we would write
    bool is_mounted = true;
    bool operator==(const Value&) const = default;
  };
  struct Details {
    ConnectionKey connection;
    std::string last;  ///< what is remembered of our last mount; only in what was observed
    /// The unit of a mount that the file no longer names and that is not mounted, for a rollback to
    /// write again. An empty text where only the directory is left.
    std::optional<std::string> unit;
  };

  static Desired<Mount> desired(const config::Node& node);
  static Result<Observed<Mount>> observe(host::View& view, const Desired<Mount>& wanted,
                                         const Context& context);
  static std::vector<Change<Mount>> diff(const State<Mount>& desired, const State<Mount>& actual) {
    return difference<Mount>(desired, actual);
  }
  /// Never formats, never forces, never unmounts lazily. Waits when the volume does not answer,
  /// when someone uses it, or when it is not fit to be mounted.
  static Outcome apply(const Change<Mount>& change, host::Host& host);

  static Effect effect(const Change<Mount>& change) { return {.frees_others = !change.after}; }
  /// systemd mounts, and spark-storage looks at the volume before and after.
  static std::vector<host::Helper> helpers(const Change<Mount>& /*change*/) {
    return {host::Helper::kBusCall, host::Helper::kStorage};
  }
  static std::vector<std::string> files(const Change<Mount>& change);
  static std::string label(const Key& key) { return key.path; }
  static std::string label(const Value& value);
  /// What is left once the mount is removed.
  static std::string left(const Value& /*value*/) { return "an empty directory"; }
};

template <EitherConst<Mount::Key> T, class Visit>
void each_field(T& key, Visit visit) {
  visit("path", key.path);
}

template <EitherConst<Mount::Value> T, class Visit>
void each_field(T& value, Visit visit) {
  visit("nqn", value.nqn);
  visit("space", value.space);
  visit("type", value.type);
  visit("options", value.options);
  visit("writes", value.writes);
  visit("kept", value.kept);
  visit("is_mounted", value.is_mounted);
}

template <EitherConst<Mount::Details> T, class Visit>
void each_field(T& details, Visit visit) {
  visit("connection", details.connection);
  visit("last", details.last);
  visit("unit", details.unit);
}

}  // namespace spark::kinds
