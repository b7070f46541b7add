#include "kinds/memlock/memlock_pending.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"

namespace spark::kinds {
namespace {

/// A screen has room for so many; the others are counted.
constexpr std::size_t kMostNamed = 5;

/// Services of the system itself. They lock little memory, and nobody should restart them without
/// need, so they are named last.
bool is_plumbing(std::string_view unit) {
  constexpr std::array<std::string_view, 6> kBeginnings{"systemd-", "dbus",    "getty@",
                                                        "serial-",  "polkit.", "user@"};
  return std::ranges::any_of(kBeginnings,
                             [&](const auto beginning) { return unit.starts_with(beginning); });
}

/// "1000" of "/user.slice/user-1000.slice/session-3.scope".
std::string user_of(std::string_view path) {
  constexpr std::string_view kBeginning = "/user.slice/user-";
  if (!path.starts_with(kBeginning)) return {};
  path.remove_prefix(kBeginning.size());
  return std::string(path.substr(0, path.find('.')));
}

bool is_container(std::string_view unit) {
  constexpr std::array<std::string_view, 4> kBeginnings{"docker-", "libpod-", "cri-containerd-",
                                                        "crio-"};
  return unit.ends_with(".scope") && std::ranges::any_of(kBeginnings, [&](const auto beginning) {
           return unit.starts_with(beginning);
         });
}

bool sets_its_own(host::View& view, const std::string& unit) {
  const auto& settings = view.unit_settings(unit, "LimitMEMLOCK");
  return settings && !settings->empty() && !settings->back().value.empty();
}

/// "a.service, b.service and 7 more".
std::string named(const std::set<std::string>& units) {
  std::vector<std::string> names(units.begin(), units.end());
  std::ranges::stable_partition(names, [](const auto& name) { return !is_plumbing(name); });
  const auto more = names.size() > kMostNamed ? names.size() - kMostNamed : 0;
  names.resize(names.size() - more);
  return fmt::format("{}{}", fmt::join(names, ", "),
                     more == 0 ? "" : fmt::format(" and {} more", more));
}

}  // namespace

PendingUnits find_pending(host::View& view, const std::vector<host::ProcessGroup>& groups,
                          std::uint64_t wanted_bytes) {
  // The parts of one unit are several groups; the largest limit is that of its main process.
  std::map<std::string, const host::ProcessGroup*> units;
  for (const auto& group : groups) {
    const auto unit = std::string(host::unit_of_group(group.path));
    auto& known = units[unit];
    if (known == nullptr || known->memlock_soft < group.memlock_soft) known = &group;
  }
  PendingUnits pending;
  for (const auto& [unit, group] : units) {
    if (group->memlock_soft >= wanted_bytes || unit.empty() || unit == "init.scope") continue;
    if (auto user = user_of(group->path); !user.empty()) {
      pending.users.insert(std::move(user));
    } else if (is_container(unit)) {
      ++pending.containers;
    } else if (unit == kContainerd || unit == kDocker) {
      pending.runtimes.insert(unit);
    } else if (unit.ends_with(".service") && !sets_its_own(view, unit)) {
      pending.services.insert(unit);
    }
  }
  return pending;
}

std::string pending_logins(const PendingUnits& pending, PendingNames names) {
  if (pending.users.empty()) return {};
  return fmt::format(
      "sessions from before may lock less{}: log in again, or `loginctl terminate-user NUMBER`, "
      "which ends all that runs in them",
      names == PendingNames::kKept ? fmt::format(", of user {}", fmt::join(pending.users, ", "))
                                   : "");
}

std::string pending_services(const PendingUnits& pending, PendingNames names) {
  if (pending.services.empty()) return {};
  return fmt::format(
      "{} may lock less since before: `systemctl restart NAME` for each that needs "
      "it, or reboot",
      names == PendingNames::kKept ? named(pending.services)
                                   : counted(pending.services.size(), "service"));
}

std::string pending_containers(const PendingUnits& pending, PendingNames /*names*/) {
  if (!pending.runtimes.empty()) {
    std::string names;
    for (const auto& unit : pending.runtimes) names += " " + unit.substr(0, unit.find('.'));
    return fmt::format(
        "{} may lock less since before, and so may what is started there: "
        "`systemctl restart{}`, which may stop containers that run",
        fmt::join(pending.runtimes, " and "), names);
  }
  return pending.containers == 0
             ? std::string()
             : fmt::format(
                   "{} of the containers that run may lock less since before: start them "
                   "again",
                   pending.containers);
}

}  // namespace spark::kinds
