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

/// Connections to NVMe-TCP targets, each kept by a unit of its own.
struct Nvme {
  static constexpr std::string_view kName = "nvme";

  using Key = ConnectionKey;
  struct Value {
    std::string via;      ///< interface that it is bound to; empty: the routes decide
    bool forever = true;  ///< reconnects until somebody disconnects
    bool kept = true;     ///< its unit says what we would write
    bool operator==(const Value&) const = default;
  };
  struct Details {
    std::string secret_file;
    std::string controller;  ///< "nvme1"; only in what was observed
    std::string address;     ///< ours on this connection; only in what was observed
    /// For a connection that the file no longer names: nothing is connected, and only its unit is
    /// left.
    std::optional<bool> is_cut;
  };

  static Desired<Nvme> desired(const config::Node& node);
  static Result<Observed<Nvme>> observe(host::View& view, const Desired<Nvme>& wanted,
                                        const Context& context);
  static std::vector<Change<Nvme>> diff(const State<Nvme>& desired, const State<Nvme>& actual) {
    return difference<Nvme>(desired, actual);
  }
  /// Waits, with the cause, when the connection fails: the unit keeps trying. Waits when a volume
  /// is in use: the connection stays.
  static Outcome apply(const Change<Nvme>& change, host::Host& host);

  static Effect effect(const Change<Nvme>& change) { return {.frees_others = !change.after}; }
  /// A unit of systemd runs spark-storage.
  static std::vector<host::Helper> helpers(const Change<Nvme>& /*change*/) {
    return {host::Helper::kBusCall, host::Helper::kStorage};
  }
  static std::vector<std::string> files(const Change<Nvme>& change) {
    return {connection_file(change.key), kConnectionTemplate};
  }
  /// A rollback connects again what had lost its connection.
  static std::optional<Stated<Nvme>> after_rollback(const Change<Nvme>& change) {
    const bool was_cut =
        change.before && change.before->details.is_cut.value_or(false) && !change.after;
    return was_cut ? std::optional(Stated<Nvme>{}) : std::nullopt;
  }
  static std::string label(const Key& key);
  static std::string label(const Stated<Nvme>& value);
};

template <EitherConst<Nvme::Value> T, class Visit>
void each_field(T& value, Visit visit) {
  visit("via", value.via);
  visit("forever", value.forever);
  visit("kept", value.kept);
}

template <EitherConst<Nvme::Details> T, class Visit>
void each_field(T& details, Visit visit) {
  visit("secret_file", details.secret_file);
  visit("controller", details.controller);
  visit("address", details.address);
  visit("is_cut", details.is_cut);
}

/// Why a target is not connected, as far as this machine knows: its last attempt, or what the
/// kernel says of a connection that was lost. Empty: it is, or nobody has tried.
std::optional<Skipped> why_not_connected(const host::NvmeWorld& world, const ConnectionKey& key);

}  // namespace spark::kinds
