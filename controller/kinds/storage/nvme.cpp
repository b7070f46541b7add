#include "kinds/storage/nvme.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/units.hpp"
#include "kinds/storage/host_identity.hpp"
#include "kinds/storage/other_connectors.hpp"
#include "kinds/storage/storage_units.hpp"
#include "protocol/nvme.hpp"

namespace spark::kinds {
namespace {

/// The controllers of the target on this host.
std::vector<host::NvmeController> controllers_to(const host::NvmeWorld& world,
                                                 const ConnectionKey& key) {
  std::vector<host::NvmeController> found;
  std::ranges::copy_if(
      world.controllers, std::back_inserter(found), [&](const host::NvmeController& controller) {
        return controller.nqn == key.nqn && controller.transport == "tcp" &&
               controller.address == key.address && controller.port == std::to_string(key.port);
      });
  return found;
}

/// For the unit's own 4.5 seconds, and for systemd to hear of their end.
constexpr std::chrono::milliseconds kStartTime{7'000};
/// A volume that is still in use is waited for (helpers/storage/storage.cpp).
constexpr std::chrono::milliseconds kStopTime{40'000};
/// systemd tries again after ten seconds: a word that is older than two attempts has no successor.
constexpr std::int64_t kWordIsOld = 45;

/// The reason determines the remedy, the id, and whether waiting may fix it.
struct KnownReason {
  std::string_view reason;
  std::string_view id;
  Skipped::Why why;
};
constexpr std::array<KnownReason, 10> kReasons{{
    {protocol::kNoNetwork, "SR-NVME-001", Skipped::Why::kWaiting},
    {protocol::kPortClosed, "SR-NVME-002", Skipped::Why::kWaiting},
    {protocol::kSilent, "SR-NVME-003", Skipped::Why::kWaiting},
    {protocol::kNoSubsystem, "SR-NVME-004", Skipped::Why::kNotEnforced},
    {protocol::kHostRefused, "SR-NVME-005", Skipped::Why::kNotEnforced},
    {protocol::kNqnOrHost, "SR-NVME-006", Skipped::Why::kNotEnforced},
    {protocol::kBadSecret, "SR-NVME-007", Skipped::Why::kNotEnforced},
    {protocol::kNoFabrics, "SR-NVME-008", Skipped::Why::kNotEnforced},
    {protocol::kBadIdentity, "SR-NVME-009", Skipped::Why::kNotEnforced},
    {protocol::kOtherReason, "SR-NVME-010", Skipped::Why::kNotEnforced},
}};

/// A ledger's label as the key that it is of. Empty: it is none of ours.
std::optional<Nvme::Key> key_of(const std::string& label) {
  const auto first = label.find(' ');
  const auto last = label.rfind(' ');
  if (first == std::string::npos || first == last) return std::nullopt;
  const auto port = number_in<std::uint16_t>(std::string_view(label).substr(last + 1));
  if (!port) return std::nullopt;
  return Nvme::Key{.nqn = label.substr(0, first),
                   .address = label.substr(first + 1, last - first - 1),
                   .port = *port};
}

/// Why its volumes cannot be let go of; empty: nothing holds them, or what holds them goes too.
std::string use_of(host::View& view, const host::NvmeWorld& world, const std::string& nqn,
                   const Context& context) {
  const auto& ours = entries_of(context.ledger, "mount");
  const auto goes = [&](const std::string& path, const std::string& device) {
    const bool wanted =
        std::ranges::any_of(context.node.storage, [&](const config::NvmeTarget& target) {
          return std::ranges::any_of(target.mounts, [&](const config::MountSpec& mount) {
            return mount.path.value == path;
          });
        });
    if (!ours.contains(path) || wanted) return false;
    const auto& users = view.volume_users(path, device);
    return !users || users->empty();
  };
  for (const auto& space : world.namespaces) {
    if (space.nqn != nqn) continue;
    if (!space.holders.empty()) {
      return fmt::format("'{}' stands on '{}'", space.holders.front(), space.name);
    }
    const auto& mounts = view.mounts();
    if (!mounts) return mounts.error().what;
    for (const auto& mount : *mounts) {
      if (mount.device == space.device && !goes(mount.path, mount.device)) {
        return fmt::format("'{}' is mounted on '{}'", space.name, mount.path);
      }
    }
  }
  return {};
}

bool holds_text(host::View& view, const std::string& path, const std::string& text) {
  const auto& file = view.file(path);
  return file && *file == text;
}

class NvmeObserver {
 public:
  NvmeObserver(host::View& view, const host::NvmeWorld& world, const Context& context,
               Observed<Nvme>& observed)
      : view_(view), world_(world), context_(context), observed_(observed) {}

  void at_wanted(const Nvme::Key& key, const Stated<Nvme>& want) {
    const auto controllers = controllers_to(world_, key);
    const bool kept = is_kept(key, want);
    // Ours from the first change on, also where nobody lives to say so.
    observed_.remember.emplace(Nvme::label(key), LedgerEntry{.ours = "connected"});
    if (auto why = why_not_connected(world_, key); why && (kept || !controllers.empty())) {
      observed_.skipped.emplace(key, std::move(*why));
      return;
    }
    if (controllers.empty()) return;
    const auto& controller = controllers.front();
    if (const auto host = host_nqn(view_); !host.empty() && controller.host_nqn != host) {
      observed_.skipped.emplace(
          key, Skipped{Skipped::Why::kNotEnforced, "SR-NVME-012",
                       fmt::format("is connected by another host NQN, {}: `nvme disconnect -d {}`, "
                                   "and apply",
                                   controller.host_nqn, controller.name)});
      return;
    }
    auto value = value_of(controller, kept, want.details.secret_file);
    if (value.via != want.via) {
      if (const auto use = use_of(view_, world_, key.nqn, context_); !use.empty()) {
        observed_.skipped.emplace(
            key, Skipped{Skipped::Why::kNotEnforced, "SR-NVME-013",
                         fmt::format("is bound to {}, the file says {}, and {}: stop what uses it, "
                                     "unmount, and apply",
                                     bound_to(value.via), bound_to(want.via), use)});
        return;
      }
    }
    observed_.state.emplace(key, std::move(value));
  }

  /// A connection of ours that the file does not name any more.
  void at_former(const Nvme::Key& key) {
    const auto controllers = controllers_to(world_, key);
    const auto& file = view_.file(connection_file(key));
    const bool written = file && *file;
    if (controllers.empty() && !written) return;
    if (const auto use = use_of(view_, world_, key.nqn, context_);
        !controllers.empty() && !use.empty()) {
      observed_.skipped.emplace(
          key, Skipped{Skipped::Why::kNotEnforced, "SR-NVME-014",
                       fmt::format("is not in the file any more, and stays connected: {}", use)});
      observed_.remember.emplace(Nvme::label(key), LedgerEntry{.ours = "connected"});
      return;
    }
    observed_.state.emplace(key, controllers.empty()
                                     ? Stated<Nvme>{{.kept = written}, {.is_cut = true}}
                                     : value_of(controllers.front(), written, ""));
  }

 private:
  static std::string bound_to(const std::string& via) {
    return via.empty() ? "no interface" : "'" + via + "'";
  }

  static Stated<Nvme> value_of(const host::NvmeController& controller, bool kept,
                               const std::string& secret_file) {
    return {
        {.via = controller.via, .forever = controller.forever, .kept = kept},
        {.secret_file = secret_file, .controller = controller.name, .address = controller.source}};
  }

  bool is_kept(const Nvme::Key& key, const Stated<Nvme>& want) {
    return holds_text(view_, kConnectionTemplate, connection_template(world_.program)) &&
           holds_text(view_, connection_file(key),
                      connection_text(key, want.via, want.details.secret_file));
  }

  host::View& view_;
  const host::NvmeWorld& world_;
  const Context& context_;
  Observed<Nvme>& observed_;
};

/// Writes the file unless it is there already. True: another text was there.
Result<bool> put(host::Host& host, const std::string& path, const std::string& text,
                 unsigned mode) {
  const auto old = host.files.read(path);
  if (!old) return std::unexpected(old.error());
  if (*old == text) return false;
  if (auto written = host.files.write(path, text, mode); !written) {
    return std::unexpected(written.error());
  }
  return old->has_value();
}

Result<> write_units(const Nvme::Key& key, const Stated<Nvme>& value, const host::NvmeWorld& world,
                     host::Host& host) {
  const auto file = put(host, connection_file(key),
                        connection_text(key, value.via, value.details.secret_file), 0600);
  if (!file) return std::unexpected(file.error());
  const auto unit = put(host, kConnectionTemplate, connection_template(world.program), 0644);
  if (!unit) return std::unexpected(unit.error());
  // A unit that systemd has not loaded yet is read when it is started.
  return *unit ? host.bus.reload_units() : Result<>{};
}

/// What keeps it connected though its unit was stopped.
Waits still_connected(const Nvme::Key& key, const host::NvmeWorld& world, host::Host& host) {
  std::vector<std::string> users;
  for (const auto& space : world.namespaces) {
    if (space.nqn == key.nqn) {
      const auto found = host.storage.users("/dev/" + space.name, space.device);
      std::ranges::copy(found.value_or(std::vector<std::string>{}), std::back_inserter(users));
    }
  }
  Waits waits{"stays connected, since a volume of it is in use"};
  if (!users.empty()) waits.named = fmt::format("{}: {}", waits.why, fmt::join(users, "; "));
  return waits;
}

Outcome disconnect(const Nvme::Key& key, host::Host& host) {
  if (auto stopped = host.bus.stop(connection_unit(key), kStopTime);
      !stopped && stopped.error().code != ErrorCode::kSystem) {
    return waits_or_fails(stopped.error());  // a failed job is told by what is still there
  }
  const auto world = host.storage.nvme();
  if (!world) return waits_or_fails(world.error());
  if (!controllers_to(*world, key).empty()) return still_connected(key, *world, host);
  return {};
}

/// Also one that nobody has started by us, which the unit then takes over.
Outcome connect(const Nvme::Key& key, host::Host& host, bool there) {
  const auto unit = connection_unit(key);
  const auto before = host.storage.nvme();
  if (!before) return waits_or_fails(before.error());
  if (!there && before->attempts.contains(connection_id(key))) {
    // One that was disconnected behind systemd's back is active to it, and would not be started.
    const auto stopped = host.bus.stop(unit, kStopTime);
    if (!stopped) return waits_or_fails(stopped.error());
  }
  const auto started = host.bus.start(unit, kStartTime);
  if (started) return {};
  const auto world = host.storage.nvme();
  const auto why = world ? why_not_connected(*world, key) : std::nullopt;
  return why ? waits_for(*why) : waits_or_fails(started.error());
}

/// What is left of it below /run.
Result<> forget(const Nvme::Key& key, host::Host& host) {
  const auto path = connection_file(key);
  auto state = path.substr(0, path.rfind('.')) + ".state";
  for (const auto& file : {path, state}) {
    if (auto removed = host.files.remove(file); !removed) return removed;
  }
  const auto left = host.files.list(protocol::kNvmeFolder);
  if (!left) return std::unexpected(left.error());
  if (std::ranges::any_of(*left, [](const auto& name) { return name.ends_with(".json"); })) {
    return {};
  }
  // No instance is loaded any more: systemd forgets one that has stopped.
  return host.files.remove(kConnectionTemplate);
}

}  // namespace

std::optional<Skipped> why_not_connected(const host::NvmeWorld& world, const ConnectionKey& key) {
  const auto controllers = controllers_to(world, key);
  if (std::ranges::find(controllers, "live", &host::NvmeController::state) != controllers.end()) {
    return std::nullopt;
  }
  if (!controllers.empty()) {
    return Skipped{Skipped::Why::kWaiting, "SR-NVME-011",
                   fmt::format("the target is lost ({} is '{}'): the kernel tries again every two "
                               "seconds, and processes that use its volumes wait",
                               controllers.front().name, controllers.front().state)};
  }
  const auto attempt = world.attempts.find(connection_id(key));
  if (attempt == world.attempts.end() || attempt->second.seconds_ago > kWordIsOld) {
    return std::nullopt;
  }
  const auto& [outcome, reason, what, seconds_ago] = attempt->second;
  if (outcome == protocol::kTrying) {
    return Skipped{
        Skipped::Why::kWaiting, "SR-NVME-003",
        fmt::format("an attempt to connect was made {} s ago, and has not ended", seconds_ago)};
  }
  if (outcome != protocol::kFailed) return std::nullopt;
  auto known = std::ranges::find(kReasons, std::string_view(reason), &KnownReason::reason);
  known = known == kReasons.end() ? kReasons.end() - 1 : known;
  return Skipped{known->why, std::string(known->id), what};
}

Desired<Nvme> Nvme::desired(const config::Node& node) {
  Desired<Nvme> desired;
  for (const auto& target : node.storage) {
    desired.want(connection_key(target),
                 {{.via = target.via ? target.via->value : ""},
                  {.secret_file = target.secret_file ? target.secret_file->value : ""}},
                 {target.where});
  }
  return desired;
}

Result<Observed<Nvme>> Nvme::observe(host::View& view, const Desired<Nvme>& wanted,
                                     const Context& context) {
  Observed<Nvme> observed;
  const auto& ours = entries_of(context.ledger, kName);
  if (wanted.state.empty() && ours.empty()) return observed;
  const auto& world = view.nvme();
  if (!world) return std::unexpected(world.error());
  if (const auto why = without_storage(view, *world)) {
    for (const auto& [key, value] : wanted.state) observed.skipped.emplace(key, *why);
    observed.remember = ours;
    return observed;
  }
  NvmeObserver observer(view, *world, context, observed);
  for (const auto& [key, value] : wanted.state) observer.at_wanted(key, value);
  for (const auto& [label, entry] : ours) {
    const auto key = key_of(label);
    if (key && !wanted.state.contains(*key)) observer.at_former(*key);
  }
  std::vector<ConnectionKey> targets;
  for (const auto& [key, value] : wanted.state) targets.push_back(key);
  observed.left_unchanged = other_connectors(view, targets);
  return observed;
}

Outcome Nvme::apply(const Change<Nvme>& change, host::Host& host) {
  const auto& key = change.key;
  if (!change.after) {
    const auto gone = disconnect(key, host);
    return is_done(gone) ? waits_or_fails(forget(key, host)) : gone;
  }
  const auto world = host.storage.nvme();
  if (!world) return waits_or_fails(world.error());
  const auto controllers = controllers_to(*world, key);
  const auto& after = *change.after;
  bool there = !controllers.empty();
  if (there && controllers.front().via != after.via) {
    if (auto gone = disconnect(key, host); !is_done(gone)) return gone;
    there = false;
  }
  const auto written = write_units(key, after, *world, host);
  if (!written) return waits_or_fails(written.error());
  if (there && !controllers.front().forever && after.forever) {
    const auto kept = host.storage.keep_trying(controllers.front().name);
    if (!kept) return waits_or_fails(kept.error());
  }
  return connect(key, host, there);
}

std::string Nvme::label(const Key& key) {
  return fmt::format("{} {} {}", key.nqn, key.address, key.port);
}

std::string Nvme::label(const Stated<Nvme>& value) {
  if (value.details.is_cut.value_or(false)) return "not connected";
  return fmt::format("connected{}{}{}", value.via.empty() ? "" : " over " + value.via,
                     value.forever ? "" : ", gives up when the target is lost",
                     value.kept ? "" : ", by no unit of ours");
}

}  // namespace spark::kinds
