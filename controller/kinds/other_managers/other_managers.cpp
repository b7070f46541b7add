#include "kinds/other_managers/other_managers.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <linux/if_addr.h>

#include "base/text.hpp"
#include "config/yaml/read_forms.hpp"
#include "kinds/common/conf_files.hpp"
#include "kinds/common/lifelines.hpp"
#include "kinds/other_managers/foreign_setup.hpp"
#include "kinds/other_managers/manager_claims.hpp"
#include "kinds/other_managers/manager_files.hpp"

namespace spark::kinds {
namespace {

using File = OtherManagers::Value::File;

// In the ledger: whether NetworkManager managed the link before, and that a file is moved aside.
constexpr const char* kManaged = "managed";
constexpr const char* kUnmanaged = "unmanaged";

/// By then networkd, told to leave a link alone, has removed what it had set.
constexpr std::chrono::seconds kLetsGo{2};

std::string aside_path(const std::string& path) { return path + std::string(kAsideSuffix); }
std::string later_path(const std::string& path) { return path + std::string(kLaterSuffix); }

/// By the names in its directory: the file itself may hold passwords.
Result<bool> is_file_there(host::View& view, const std::string& path) {
  const auto& names = view.directory(path.substr(0, path.rfind('/')));
  if (!names) return std::unexpected(names.error());
  return std::ranges::find(*names, file_name(path)) != names->end();
}

/// Who could set up the link: "NetworkManager, systemd-networkd".
std::string open_to(const OtherManagers::Value& value) {
  std::vector<std::string> names;
  if (!value.networkmanager) names.emplace_back(name_of(Manager::kNetworkManager));
  if (!value.networkd) names.emplace_back(name_of(Manager::kNetworkd));
  return fmt::format("{}", fmt::join(names, ", "));
}

bool runs_networkmanager(host::View& view) {
  const auto state = state_of_manager(view, Manager::kNetworkManager, nullptr, "");
  return state && state->runs;
}

/// A link and both managers.
struct LinkManagers {
  ManagerState networkmanager;
  ManagerState networkd;
};

Result<LinkManagers> observe_link(host::View& view, const std::string& name) {
  const auto* link = view.link(name);
  auto networkmanager = state_of_manager(view, Manager::kNetworkManager, link, name);
  if (!networkmanager) return std::unexpected(networkmanager.error());
  auto networkd = state_of_manager(view, Manager::kNetworkd, link, name);
  if (!networkd) return std::unexpected(networkd.error());
  return LinkManagers{*std::move(networkmanager), *std::move(networkd)};
}

/// The manager's file has the last word, and the manager itself says the same.
bool leaves_alone(const ManagerState& state) {
  return !state.installed || (state.kept_off && !state.manages);
}

Stated<OtherManagers> value_of(const LinkManagers& look, const LedgerEntry* before) {
  return {{.networkmanager = leaves_alone(look.networkmanager),
           .networkd = leaves_alone(look.networkd)},
          {.networkmanager_runs = look.networkmanager.runs,
           .networkd_runs = look.networkd.runs,
           .was_managed =
               before == nullptr ? look.networkmanager.manages : before->original == kManaged}};
}

/// The rest of this program's file holds, but another file opens the link again.
std::optional<Skipped> overruled(const LinkManagers& look) {
  for (const auto& [manager, state] : {std::pair{Manager::kNetworkManager, &look.networkmanager},
                                       std::pair{Manager::kNetworkd, &look.networkd}}) {
    if (!state->overruled_by.empty()) {
      return Skipped{Skipped::Why::kNotEnforced, "SR-MANAGER-001",
                     fmt::format("{} returns the link to {}: it overrides {}. Remove that line, "
                                 "or let it say nothing of this link",
                                 state->overruled_by, name_of(manager), unmanaged_file(manager))};
    }
  }
  return std::nullopt;
}

/// The device got a name, from someone here, that stands for other links in the managers' files.
std::optional<Skipped> unsayable(const std::string& link) {
  if (config::kInterfaceName.matches(link)) return std::nullopt;
  return Skipped{
      Skipped::Why::kNotEnforced, "SR-MANAGER-002",
      fmt::format("{} cannot be written in the files of NetworkManager and systemd-networkd, "
                  "where some of its characters mean something else: rename the device",
                  in_quotes(link))};
}

/// systemd 252 removes what it had set as it finds the link unmanaged (link_reconfigure of
/// networkd-link.c), and the kernel those that stand behind it.
std::vector<host::AddressInfo> set_by_networkd(host::View& view, const std::string& name) {
  const auto* const link = view.link(name);
  const auto setup = link == nullptr ? std::nullopt : foreign_setup(view, *link);
  if (!setup || setup->manager != Manager::kNetworkd) return {};
  const auto is_its_own = [&](const host::AddressInfo& info) {
    const auto& address = info.address;
    // Where networkd manages a link, the kernel takes no router's advertisements there itself.
    return std::ranges::find(setup->addresses, address) != setup->addresses.end() ||
           (address.ip.is_v4() ? setup->ipv4_automatic : setup->ipv6_automatic) ||
           info.valid_seconds != host::kForeverSeconds;
  };
  std::vector<host::AddressInfo> found;
  const auto& addresses = view.addresses();
  for (const auto& info : addresses ? *addresses : std::vector<host::AddressInfo>{}) {
    const bool stands_behind = (info.flags & IFA_F_SECONDARY) != 0 &&
                               std::ranges::any_of(found, [&](const host::AddressInfo& primary) {
                                 return primary.address.network() == info.address.network();
                               });
    if (info.link_index == link->index && (is_its_own(info) || stands_behind)) {
      found.push_back(info);
    }
  }
  return found;
}

/// A rollback alone wants a file, where it was before.
void observe_wanted_file(host::View& view, const OtherManagers::Key& key,
                         const Stated<OtherManagers>& want, Observed<OtherManagers>& observed) {
  const bool is_aside = want.file == File::kAside;
  const bool is_written_again = want.details.written_again.value_or(false);
  auto there = is_file_there(view, is_aside ? aside_path(key.file) : key.file);
  if (there && *there && is_aside && is_written_again) {
    there = is_file_there(view, key.file);  // not between the two renames of `restore_first`
  } else if (there && *there && !is_aside && !is_written_again) {
    // Somebody wrote one of that name, and the file that was there is aside still.
    const auto aside = is_file_there(view, aside_path(key.file));
    there = aside ? Result<bool>(!*aside) : std::unexpected(aside.error());
  }
  if (!there) {
    observed.skipped.emplace(key, unreadable(there.error()));
  } else if (*there) {
    observed.state.emplace(key, want);
  }
}

void observe_links(host::View& view, const Desired<OtherManagers>& wanted, const Context& context,
                   Observed<OtherManagers>& observed) {
  for (const auto& [key, want] : wanted.state) {
    if (!key.file.empty()) {
      observe_wanted_file(view, key, want, observed);
      continue;
    }
    const auto look = observe_link(view, key.link);
    if (!look) {
      observed.skipped.emplace(key, unreadable(look.error()));
      continue;
    }
    // Nobody is kept from it who is not there.
    const bool has_manager = look->networkmanager.installed || look->networkd.installed;
    if (auto why = has_manager ? unsayable(key.link) : std::nullopt) {
      observed.skipped.emplace(key, *std::move(why));
      continue;
    }
    const auto* before = remembered(context, OtherManagers::kName, key.link);
    auto value = value_of(*look, before);
    if (look->networkd.manages && !look->networkd.kept_off) {
      value.details.set_by_networkd = set_by_networkd(view, key.link);
    }
    if (has_manager) {
      observed.remember.emplace(
          key.link, before != nullptr
                        ? *before
                        : LedgerEntry{OtherManagers::label(want),
                                      value.details.was_managed ? kManaged : kUnmanaged});
    }
    if (auto why = overruled(*look)) {
      const bool holds = value == want;
      (holds ? observed.shortfalls : observed.skipped).emplace(key, *std::move(why));
    }
    observed.state.emplace(key, std::move(value));
  }
}

/// NetworkManager managed the link before us, and has not taken it up again. Whether it has it
/// writes down only once there is a carrier: a device that is unavailable keeps its old file.
bool is_kept_off(const host::LinkInfo& link, const ManagerState& networkmanager,
                 const LedgerEntry* before) {
  return link.carrier && before != nullptr && before->original == kManaged && networkmanager.runs &&
         !networkmanager.manages;
}

/// Links that nothing wants any more, and that our files still name or that are not released yet.
void observe_given_up(host::View& view, const Desired<OtherManagers>& wanted,
                      const Context& context, Observed<OtherManagers>& observed) {
  std::set<std::string> kept_off;
  for (const auto manager : {Manager::kNetworkManager, Manager::kNetworkd}) {
    if (const auto& text = view.file(unmanaged_file(manager)); text && *text) {
      kept_off.merge(unmanaged_links(manager, **text));
    }
  }
  for (const auto& [label, entry] : entries_of(context.ledger, OtherManagers::kName)) {
    if (view.link(label) != nullptr) kept_off.insert(label);
  }
  for (const auto& link : kept_off) {
    const OtherManagers::Key key{.file = {}, .link = link};
    const auto look = observe_link(view, link);
    if (wanted.state.contains(key) || !look) continue;
    const auto& [networkmanager, networkd] = *look;
    const auto* const before = remembered(context, OtherManagers::kName, link);
    const auto* const device = view.link(link);
    const bool off = networkmanager.kept_off ||
                     (device != nullptr && is_kept_off(*device, networkmanager, before));
    if (off || networkd.kept_off) {
      auto value = value_of(*look, before);
      value.networkmanager = off || !networkmanager.installed;
      value.networkd = networkd.kept_off || !networkd.installed;
      if (off && !networkmanager.kept_off) value.details.until_restart = true;
      observed.state.emplace(key, std::move(value));
    }
  }
}

/// Why `take_over` leaves the file where it is; empty: it is moved.
std::string why_it_stays(const FileClaim& claim, const Context& context, host::View& view) {
  if (!claim.others.empty()) {
    return fmt::format(
        "it also sets up {}: split it; until then that may be gone after the next boot",
        fmt::join(claim.others, ", "));
  }
  const auto lifelines = ways_in(&context.node, view);
  if (!lifelines) {
    return fmt::format("what this machine is reached through is unknown: {}",
                       lifelines.error().what);
  }
  for (const auto& link : claim.links) {
    if (const auto* line = carried_by(link, *lifelines, view)) {
      return fmt::format("this machine is reached through '{}': {}", printable(line->link),
                         line->why);
    }
  }
  const auto fixed = irreplaceable(view, claim.path);
  return fixed ? fixed->reason : std::string();
}

/// ", and NetworkManager is kept off it": of the managers that are here.
std::string kept_off_text(host::View& view) {
  std::vector<std::string> here;
  for (const auto manager : {Manager::kNetworkManager, Manager::kNetworkd}) {
    const auto state = state_of_manager(view, manager, nullptr, "");
    if (state && state->installed) here.emplace_back(name_of(manager));
  }
  if (here.empty()) return {};
  return fmt::format(", and {} {} kept off it", listed(here), here.size() == 1 ? "is" : "are");
}

LeftUnchanged kept(host::View& view, const FileClaim& claim, const std::string& why) {
  const auto* const made = claim.automatic ? "a profile that NetworkManager made by itself: " : "";
  const auto* const again =
      claim.path.contains("/netplan/") ? "; `netplan apply` would still drop RDMA there" : "";
  return {fmt::format("{}:{}", claim.path, claim.line),
          fmt::format("{}it sets up {}{}{}; {}", made, fmt::join(claim.links, ", "),
                      kept_off_text(view), again, why)};
}

void observe_files(host::View& view, const std::vector<std::string>& links, const Context& context,
                   Observed<OtherManagers>& observed) {
  auto claims = find_claims(view, links);
  for (auto& claim : claims.files) {
    const OtherManagers::Key key{.file = claim.path};
    const auto text = fmt::format("claims {}", fmt::join(claim.links, ", "));
    const auto why = why_it_stays(claim, context, view);
    if (!why.empty() || !context.node.take_over.value) {
      observed.left_unchanged.push_back(kept(
          view, claim,
          why.empty() ? "`take_over: true` moves it aside" : "it stays where it is, since " + why));
      continue;
    }
    const auto moved = is_file_there(view, aside_path(claim.path));
    observed.state.emplace(
        key, Stated<OtherManagers>{
                 {.file = File::kClaims},
                 {.networkmanager_runs = runs_networkmanager(view),
                  .text = fmt::format("{} (line {})", text, claim.line),
                  .written_again = moved && *moved ? std::optional(true) : std::nullopt}});
    observed.removers.emplace(key, context.node.take_over.where);
    observed.remember.emplace(claim.path, LedgerEntry{"moved aside", text});
  }
  for (const auto& unreadable : claims.unreadable) {
    observed.left_unchanged.push_back(
        {unreadable, "whether it claims a link that the file asks for is unknown"});
  }
}

/// Files that an earlier apply moved aside: they stay there while one of their links is held.
void observe_moved(host::View& view, bool any_wanted, const Context& context,
                   Observed<OtherManagers>& observed) {
  for (const auto& [label, entry] : entries_of(context.ledger, OtherManagers::kName)) {
    if (!label.starts_with('/')) {
      continue;  // a link
    }
    const auto moved = is_file_there(view, aside_path(label));
    if (moved && !*moved) continue;
    if (any_wanted || !moved) {
      observed.remember.emplace(label, entry);
      continue;
    }
    const bool again = is_file_there(view, label).value_or(false);
    observed.state.emplace(
        OtherManagers::Key{.file = label},
        Stated<OtherManagers>{{.file = File::kAside},
                              {.networkmanager_runs = runs_networkmanager(view),
                               .text = entry.original,
                               .written_again = again ? std::optional(true) : std::nullopt}});
    if (!again && is_file_there(view, later_path(label)).value_or(false)) {
      observed.left_unchanged.push_back(
          {later_path(label), "someone wrote it after the first was moved aside, and it was too"});
    }
  }
}

// Changes -----------------------------------------------------------------------------------------

Result<> edit_unmanaged_file(host::Host& host, Manager manager, const std::string& link,
                             bool kept_off) {
  const auto* const path = unmanaged_file(manager);
  const auto text = host.files.read(path);
  if (!text) return std::unexpected(text.error());
  auto links = unmanaged_links(manager, text->value_or(""));
  if (kept_off == links.contains(link)) return {};
  if (kept_off) {
    links.insert(link);
  } else {
    links.erase(link);
  }
  const auto changed = unmanaged_text(manager, links);
  return changed.empty() ? host.files.remove(path) : host.files.write(path, changed, 0644);
}

/// A manager that is not on the bus any more, or does not know the device, has let it go.
Result<> unless_gone(Result<> done) {
  const bool gone = !done && (done.error().code == ErrorCode::kUnsupported ||
                              done.error().code == ErrorCode::kNotFound);
  return gone ? Result<>{} : done;
}

Result<> keep_networkmanager_off(host::Host& host, const std::string& link, bool runs) {
  // Its file alone would make it take an active device down.
  if (runs) {
    if (auto done = unless_gone(host.bus.nm_set_managed(link, false)); !done) return done;
  }
  if (auto done = edit_unmanaged_file(host, Manager::kNetworkManager, link, true); !done)
    return done;
  return runs ? unless_gone(host.bus.nm_reload()) : Result<>{};
}

Result<> open_to_networkmanager(host::Host& host, const std::string& link, bool runs, bool manage) {
  if (auto done = edit_unmanaged_file(host, Manager::kNetworkManager, link, false); !done)
    return done;
  if (!runs) return {};
  if (auto done = unless_gone(host.bus.nm_reload()); !done) return done;
  return manage ? unless_gone(host.bus.nm_set_managed(link, true)) : Result<>{};
}

Result<> set_networkd(host::Host& host, const std::string& link, bool runs, bool kept_off) {
  if (auto done = edit_unmanaged_file(host, Manager::kNetworkd, link, kept_off); !done) return done;
  return runs ? unless_gone(host.bus.networkd_reload()) : Result<>{};
}

/// Those that have gone from the link; empty where nothing can be read.
std::vector<host::AddressInfo> gone_from(host::Host& host, const std::string& name,
                                         const std::vector<host::AddressInfo>& before) {
  host::View now(host);
  const auto* const link = now.link(name);
  std::vector<host::AddressInfo> gone;
  if (link == nullptr || !now.addresses()) return gone;
  const auto there = now.addresses_on(*link);
  std::ranges::copy_if(before, std::back_inserter(gone), [&](const host::AddressInfo& info) {
    return std::ranges::find(there, info.address) == there.end();
  });
  return gone;
}

/// networkd answers a reload before it has let go of the link: waits until all are gone, or for as
/// long as it may take where a release of systemd keeps them, and sets again what is gone.
Result<> set_again(host::Host& host, const std::string& link,
                   const std::vector<host::AddressInfo>& addresses) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + kLetsGo;
  auto gone = gone_from(host, link, addresses);
  while (gone.size() < addresses.size()) {
    const auto event = host.netlink.wait_for_event(
        std::max(std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()), {}));
    if (!event) return std::unexpected(event.error());
    if (!*event) break;
    gone = gone_from(host, link, addresses);
  }
  for (const auto& address : gone) {
    if (auto added = host.netlink.add_address(link, address); !added) return added;
  }
  return {};
}

bool is_of_netplan(const std::string& path) { return path.ends_with(".yaml"); }

/// Of the files that came after the first, the latest is kept.
Result<> move_later_aside(host::Host& host, const std::string& path) {
  if (auto removed = host.files.remove(later_path(path)); !removed) return removed;
  return host.files.rename(path, later_path(path));
}

/// `again`: a file that was moved aside before was written again. The first is the one to restore.
Result<> move_aside(host::Host& host, const std::string& path, bool again) {
  return again ? move_later_aside(host, path) : host.files.rename(path, aside_path(path));
}

Result<> roll_back_move_aside(host::Host& host, const std::string& path, bool again) {
  return host.files.rename(again ? later_path(path) : aside_path(path), path);
}

Result<> restore_first(host::Host& host, const std::string& path, bool again) {
  if (again) {
    if (auto moved = move_later_aside(host, path); !moved) return moved;
  }
  return host.files.rename(aside_path(path), path);
}

/// Also of a restore that was made by half.
Result<> roll_back_restore(host::Host& host, const std::string& path, bool again) {
  auto moved = host.files.rename(path, aside_path(path));
  return again ? host.files.rename(later_path(path), path) : moved;
}

const Stated<OtherManagers>& stated_in(const Change<OtherManagers>& change) {
  return change.before ? *change.before : *change.after;
}

/// A file that was moved aside gets its name back, and a running NetworkManager, which looks for
/// profiles as it starts, would make one of its own for a link that it gets before it knows that.
/// One that it knows and that is aside now it does not use: its link is kept off.
bool brings_profiles_back(const Change<OtherManagers>& change) {
  const auto& stated = stated_in(change);
  const bool comes_back = change.before.has_value() == (stated.file == File::kAside);
  return comes_back && stated.details.networkmanager_runs;
}

Outcome change_file(const Change<OtherManagers>& change, host::Host& host) {
  const auto& path = change.key.file;
  const auto& stated = stated_in(change);
  const bool again = stated.details.written_again.value_or(false);
  const bool claims = stated.file == File::kClaims;
  const auto move = change.before ? (claims ? move_aside : restore_first)
                                  : (claims ? roll_back_move_aside : roll_back_restore);
  if (auto moved = move(host, path, again); !moved) {
    // The file of another program is no reason to roll back what is right on the links.
    return change.before && claims ? Outcome(Waits{moved.error().what})
                                   : std::unexpected(moved.error());
  }
  // What netplan made of the file goes, or comes, with it; nothing is applied. It fails for a fault
  // in any file of its folder.
  auto known = is_of_netplan(path) ? unless_gone(host.bus.netplan_generate()) : Result<>{};
  if (known && brings_profiles_back(change)) known = unless_gone(host.bus.nm_reload_profiles());
  return known ? Outcome{} : Waits{fmt::format("is moved; {}", known.error().what)};
}

Result<> change_link(const Change<OtherManagers>& change, host::Host& host) {
  const auto before = change.before.value_or(Stated<OtherManagers>{});
  const auto after = change.after.value_or(Stated<OtherManagers>{});
  const auto& link = change.key.link;
  if (before.networkmanager != after.networkmanager) {
    const bool runs = before.details.networkmanager_runs || after.details.networkmanager_runs;
    const bool manage = before.details.was_managed || after.details.was_managed;
    auto done = after.networkmanager ? keep_networkmanager_off(host, link, runs)
                                     : open_to_networkmanager(host, link, runs, manage);
    if (!done) return done;
  }
  if (before.networkd != after.networkd) {
    const bool runs = before.details.networkd_runs || after.details.networkd_runs;
    if (auto done = set_networkd(host, link, runs, after.networkd); !done) return done;
    if (runs && after.networkd) return set_again(host, link, before.details.set_by_networkd);
  }
  return {};
}

}  // namespace

Desired<OtherManagers> OtherManagers::desired(const config::Node& node) {
  Desired<OtherManagers> desired;
  for (const auto& [name, link] : node.links) {
    if (!link.owner_host && (link.role != config::LinkRole::kNamed || link.exclusive)) {
      desired.want({.file = {}, .link = name}, {{.networkmanager = true, .networkd = true}},
                   {link.where});
    }
  }
  return desired;
}

Result<Observed<OtherManagers>> OtherManagers::observe(host::View& view,
                                                       const Desired<OtherManagers>& wanted,
                                                       const Context& context) {
  Observed<OtherManagers> observed;
  if (const auto& links = view.links(); !links && !wanted.state.empty()) {
    return std::unexpected(links.error());
  }
  observe_links(view, wanted, context, observed);
  observe_given_up(view, wanted, context, observed);
  std::vector<std::string> links;
  for (const auto& [label, entry] : observed.remember) links.push_back(label);
  if (!links.empty()) observe_files(view, links, context, observed);
  observe_moved(view, !wanted.state.empty(), context, observed);
  return observed;
}

std::vector<Change<OtherManagers>> OtherManagers::diff(const State<OtherManagers>& desired,
                                                       const State<OtherManagers>& actual) {
  return difference<OtherManagers>(desired, actual);
}

Outcome OtherManagers::apply(const Change<OtherManagers>& change, host::Host& host) {
  return change.key.file.empty() ? outcome_of(change_link(change, host))
                                 : change_file(change, host);
}

Effect OtherManagers::effect(const Change<OtherManagers>& change) {
  // A link gets another manager, and a lease is not renewed any more. What it carries stays with
  // NetworkManager, and goes for a moment with networkd.
  const bool hands_back = !change.after && change.before->file != File::kClaims;
  Effect effect{.link = change.key.link,
                .changes_manager = change.key.file.empty(),
                .hands_back = hands_back};
  if (change.before && change.after && !change.before->networkd && change.after->networkd) {
    std::ranges::transform(change.before->details.set_by_networkd, std::back_inserter(effect.ips),
                           [](const host::AddressInfo& info) { return info.address.ip; });
    if (!effect.ips.empty()) effect.disturbs = Effect::Disturbs::kAddress;
  }
  return effect;
}

std::vector<std::string> OtherManagers::files(const Change<OtherManagers>& change) {
  const auto before = change.before.value_or(Stated<OtherManagers>{});
  const auto after = change.after.value_or(Stated<OtherManagers>{});
  if (!change.key.file.empty()) {
    return before.file == File::kClaims || after.file == File::kClaims
               ? std::vector<std::string>{}
               : std::vector{change.key.file};
  }
  std::vector<std::string> files;
  if (before.networkmanager != after.networkmanager) {
    files.emplace_back(unmanaged_file(Manager::kNetworkManager));
  }
  if (before.networkd != after.networkd) files.emplace_back(unmanaged_file(Manager::kNetworkd));
  return files;
}

std::vector<host::Helper> OtherManagers::helpers(const Change<OtherManagers>& change) {
  const std::vector<host::Helper> bus{host::Helper::kBusCall};
  if (!change.key.file.empty()) {
    const bool is_told = is_of_netplan(change.key.file) || brings_profiles_back(change);
    return is_told ? bus : std::vector<host::Helper>{};
  }
  const auto before = change.before.value_or(Stated<OtherManagers>{});
  const auto after = change.after.value_or(Stated<OtherManagers>{});
  const bool tells_networkmanager =
      before.networkmanager != after.networkmanager &&
      (before.details.networkmanager_runs || after.details.networkmanager_runs);
  const bool tells_networkd = before.networkd != after.networkd &&
                              (before.details.networkd_runs || after.details.networkd_runs);
  return tells_networkmanager || tells_networkd ? bus : std::vector<host::Helper>{};
}

std::string OtherManagers::label(const Stated<OtherManagers>& value) {
  switch (value.file) {
    case File::kClaims:
      return value.details.text;
    case File::kAside:
      return "moved aside";
    case File::kNone:
      break;
  }
  if (!value.networkmanager || !value.networkd) return fmt::format("open to {}", open_to(value));
  return value.details.until_restart.value_or(false)
             ? "left alone until NetworkManager starts again"
             : "left alone";
}

std::optional<std::string> OtherManagers::left(const Stated<OtherManagers>& value) {
  switch (value.file) {
    case File::kClaims:
      return fmt::format("kept beside it as *{}",
                         value.details.written_again.value_or(false) ? kLaterSuffix : kAsideSuffix);
    case File::kAside:
      return value.details.written_again.value_or(false)
                 ? fmt::format("the first is back in its place, the later one beside it as *{}",
                               kLaterSuffix)
                 : "back in its place";
    case File::kNone:
      break;
  }
  return "handed back";
}

}  // namespace spark::kinds
