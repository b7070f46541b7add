#include "kinds/sysctl/sysctl.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/units.hpp"
#include "kinds/sysctl/sysctl_boot.hpp"

namespace spark::kinds {
namespace {

constexpr std::string_view kIpv4Conf = "net/ipv4/conf/";
constexpr std::string_view kIpv6Conf = "net/ipv6/conf/";
constexpr std::string_view kAcceptRa = "accept_ra";

/// One spelling a key: dotted, unless a part (an interface name) holds a dot itself.
std::string canonical(const std::string& key) {
  auto name = host::sysctl_file(key).value_or(key);
  if (name.find('.') == std::string::npos) std::ranges::replace(name, '/', '.');
  return name;
}

std::string conf_key(const std::string& link, std::string_view name) {
  return canonical(fmt::format("{}{}/{}", kIpv4Conf, link, name));
}

/// The link of "net/ipv4/conf/LINK/NAME", or the same of ipv6; empty for other keys.
std::string link_of(const std::string& key) {
  const auto path = host::sysctl_file(key).value_or(key);
  static_assert(kIpv4Conf.size() == kIpv6Conf.size());
  if (!path.starts_with(kIpv4Conf) && !path.starts_with(kIpv6Conf)) return {};
  return path.substr(kIpv4Conf.size(), path.rfind('/') - kIpv4Conf.size());
}

/// The link of an accept_ra that is absent; null: it is there, or it is another key. A link without
/// IPv6 has none, and takes no router's word either.
const host::LinkInfo* link_without_ipv6(host::View& view, const std::string& key,
                                        const Result<host::SysctlValue>& live) {
  const bool is_absent = !live && live.error().code == ErrorCode::kNotFound;
  return is_absent && key.ends_with(kAcceptRa) ? view.link(link_of(key)) : nullptr;
}

/// The MTU that the file asks for brings IPv6, and the key with the kernel's default.
bool mtu_brings_ipv6(const host::LinkInfo& link, const config::Node& node) {
  const auto wanted = node.links.find(link.name);
  return link.mtu < host::kLeastMtuOfIpv6 && wanted != node.links.end() && wanted->second.mtu &&
         wanted->second.mtu->value >= host::kLeastMtuOfIpv6;
}

/// For the ARP settings the kernel takes the larger of the link's value and that of `all`
/// (IN_DEV_MAXCONF in linux/inetdevice.h): the key of the latter. Empty for other keys.
std::string overriding_key(const std::string& key) {
  const auto link = link_of(key);
  for (const std::string_view name : {"arp_ignore", "arp_announce"}) {
    if (!link.empty() && link != "all" && canonical(key) == conf_key(link, name)) {
      return conf_key("all", name);
    }
  }
  return {};
}

/// The larger of two numbers given as text; `a` where one is no number.
std::string larger(const std::string& a, const std::string& b) {
  return number_in<int>(b).value_or(-1) > number_in<int>(a).value_or(-1) ? b : a;
}

/// The live value as the kernel acts on it.
Result<host::SysctlValue> effective(host::View& view, const std::string& key) {
  auto value = view.sysctl(key);
  const auto over = overriding_key(key);
  if (value && !over.empty()) {
    const auto& all = view.sysctl(over);
    if (!all) return std::unexpected(all.error());
    value->text = larger(value->text, all->text);
  }
  return value;
}

/// Of a link that had no IPv6 the original is seen when it gets it.
bool has_original(const SysctlSetting::Key& key, const LedgerEntry* known) {
  return known != nullptr && !(known->original.empty() && key.name.ends_with(kAcceptRa));
}

std::string boot_text(const BootSysctls& boot, const std::string& key) {
  const auto text = [&](const std::string& of) {
    const auto* line = boot.winner(of);
    return line == nullptr ? std::string() : line->value;
  };
  const auto over = overriding_key(key);
  return over.empty() ? text(key) : larger(text(key), text(over));
}

/// The line that decides at boot whatever ours says; null: ours would.
const SysctlLine* overruler(const BootSysctls& boot, const SysctlSetting::Key& key,
                            const Desired<SysctlSetting>& wanted) {
  if (const auto* later = boot.later_than_ours(key.name)) return later;
  const auto over = overriding_key(key.name);
  const auto* all = over.empty() || wanted.state.contains({over}) ? nullptr : boot.winner(over);
  const auto& want = wanted.state.at(key).boot;
  return all != nullptr && larger(want, all->value) != want ? all : nullptr;
}

Skipped next_boot_differs(const SysctlLine& line, const std::string& key) {
  const auto* const value = line.value.empty() ? "nothing" : line.value.c_str();
  const auto why = line.key == host::sysctl_file(key) ? fmt::format("is read after {}", kSysctlFile)
                                                      : "is for all links, and the larger counts";
  return {Skipped::Why::kNotEnforced, "SR-SYSCTL-003",
          fmt::format("the next boot sets {}: {}:{} {}; change or remove that line", value,
                      line.file, line.line, why)};
}

/// Settings that files and guides have, for a name that is misspelt.
constexpr std::array<std::string_view, 14> kUsual{
    "net.core.rmem_max",     "net.core.wmem_max",        "net.core.rmem_default",
    "net.core.wmem_default", "net.core.optmem_max",      "net.core.netdev_max_backlog",
    "net.core.somaxconn",    "net.core.default_qdisc",   "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_wmem",     "net.ipv4.tcp_mtu_probing", "net.ipv4.tcp_congestion_control",
    "kernel.numa_balancing", "vm.nr_hugepages"};

Skipped no_such_setting(host::View& view, const std::string& key) {
  const auto near = closest(canonical(key), kUsual);
  const bool is_there = near && view.sysctl(std::string(*near)).has_value();
  return {Skipped::Why::kUnknown, "SR-HOST-001",
          is_there ? fmt::format("there is no such setting here: did you mean '{}'?", *near)
                   : "there is no such setting here now; a module that is not loaded may bring it"};
}

/// Why the live value cannot be made `wanted` here; empty: it can, or it is so.
std::optional<Skipped> obstacle(host::View& view, const std::string& key, const std::string& wanted,
                                const Result<host::SysctlValue>& live) {
  if (!live) {
    const auto link = link_of(key);
    if (!link.empty() && view.link(link) == nullptr) return waiting_for_link(link);
    return live.error().code == ErrorCode::kNotFound ? no_such_setting(view, key)
                                                     : unreadable(live.error());
  }
  if (live->text == wanted) return std::nullopt;
  if (!live->writable) {
    return Skipped{Skipped::Why::kUnknown, "SR-SYSCTL-001",
                   fmt::format("is {}, and read-only here: it belongs to the initial network "
                               "namespace, not to this one",
                               live->text)};
  }
  const auto over = overriding_key(key);
  if (!over.empty() && larger(wanted, view.sysctl(over)->text) != wanted) {
    return Skipped{
        Skipped::Why::kNotEnforced, "SR-SYSCTL-002",
        fmt::format("is {} because {} is, and the kernel takes the larger: lower that one",
                    live->text, over)};
  }
  return std::nullopt;
}

std::optional<std::string> our_line(const BootSysctls& boot, const std::string& key) {
  const auto* line = boot.ours(key);
  return line == nullptr ? std::nullopt : std::optional(line->value);
}

/// The key belongs to a link that is away.
bool is_away(host::View& view, const std::string& key) {
  const auto link = link_of(key);
  return !link.empty() && view.links() && link != "all" && link != "default" &&
         view.link(link) == nullptr;
}

/// What is put back of a key that is no longer wanted; empty: nothing. A value that somebody else
/// has set since stays until a release.
std::string to_restore(const LedgerEntry& entry, const std::string& live,
                       const config::Node& node) {
  const bool is_ours = !entry.ours.empty() && live == entry.ours;
  return live != entry.original && (is_ours || node.released) ? entry.original : std::string();
}

/// Keys that were ours and that the file no longer names.
void observe_former(host::View& view, const Desired<SysctlSetting>& wanted, const Context& context,
                    const BootSysctls& boot, Observed<SysctlSetting>& observed) {
  LedgerEntries former = entries_of(context.ledger, SysctlSetting::kName);
  for (const auto& path : boot.our_keys()) former.try_emplace(canonical(path));
  for (const auto& [name, entry] : former) {
    const SysctlSetting::Key key{name};
    if (wanted.state.contains(key)) continue;
    const auto& live = view.sysctl(name);
    if (!live && live.error().code != ErrorCode::kNotFound) {
      observed.skipped.emplace(key, unreadable(live.error()));
      continue;
    }
    Stated<SysctlSetting> value{{.live = live ? live->text : ""},
                                {.our_line = our_line(boot, name)}};
    auto& details = value.details;
    value.boot = details.our_line.value_or("");
    if (live) details.original = to_restore(entry, live->text, context.node);
    const bool is_owed =
        live ? details.original.empty() && live->text != entry.original : is_away(view, name);
    if (is_owed && !entry.original.empty()) {
      observed.remember.emplace(name, LedgerEntry{"", entry.original});
    }
    if (details.our_line || !details.original.empty()) {
      observed.state.emplace(key, std::move(value));
    }
  }
}

/// The other rail of its cage has an address of ours.
bool is_twin_of_used(const config::Node& node, const config::WantedLink& link) {
  return link.rail && std::ranges::any_of(node.links, [&](const auto& entry) {
           const auto& other = entry.second;
           return other.rail && other.rail->cage == link.rail->cage && !other.addresses.empty() &&
                  !other.owner_host;
         });
}

Result<> write_our_line(host::Host& host, const std::string& key,
                        const std::optional<std::string>& value) {
  auto text = host.files.read(kSysctlFile);
  if (!text) return std::unexpected(text.error());
  const auto changed = with_sysctl_line(text->value_or(""), key, value);
  return changed.empty() ? host.files.remove(kSysctlFile)
                         : host.files.write(kSysctlFile, changed, 0644);
}

}  // namespace

Desired<SysctlSetting> SysctlSetting::desired(const config::Node& node) {
  Desired<SysctlSetting> desired;
  const auto want = [&](const std::string& key, const std::string& text, config::Where where) {
    desired.want({canonical(key)}, {{.live = text, .boot = text}, {.our_line = text}}, {where});
  };
  // Both rails of a cage are connected to one wire: without these, one answers for the other's
  // address. A rail without an address answers for all addresses of the machine. And a router that
  // happens to be on a switch gives no rail an address or a default route.
  const auto want_of_rail = [&](const std::string& name, config::Where where) {
    want(conf_key(name, "arp_ignore"), "1", where);
    want(conf_key(name, "arp_announce"), "2", where);
    const auto accept_ra = canonical(fmt::format("{}{}/{}", kIpv6Conf, name, kAcceptRa));
    const bool is_in_file = std::ranges::any_of(
        node.sysctl, [&](const auto& entry) { return canonical(entry.first) == accept_ra; });
    const auto link = node.links.find(name);
    const bool loses_ipv6 = link != node.links.end() && link->second.mtu &&
                            link->second.mtu->value < host::kLeastMtuOfIpv6;
    if (!is_in_file && !loses_ipv6) want(accept_ra, "0", where);
  };
  for (const auto& [name, link] : node.links) {
    const bool is_addressed = link.rail && !link.addresses.empty() && !link.owner_host;
    const bool is_twin = !link.owner_host && is_twin_of_used(node, link);
    if (is_addressed || is_twin) want_of_rail(name, link.where);
  }
  for (const auto& [name, where] : node.twins) want_of_rail(name, where);
  for (const auto& [key, text] : node.sysctl) want(key, text.value, text.where);
  return desired;
}

Result<Observed<SysctlSetting>> SysctlSetting::observe(host::View& view,
                                                       const Desired<SysctlSetting>& wanted,
                                                       const Context& context) {
  const auto boot = BootSysctls::read(view);
  if (!boot) return std::unexpected(boot.error());
  Observed<SysctlSetting> observed;
  for (const auto& [key, want] : wanted.state) {
    auto live = effective(view, key.name);
    const auto* const bare = link_without_ipv6(view, key.name, live);
    if (bare != nullptr) {
      live = host::SysctlValue{.text = mtu_brings_ipv6(*bare, context.node) ? "" : want.live,
                               .writable = true};
    }
    if (auto skipped = obstacle(view, key.name, want.live, live)) {
      observed.skipped.emplace(key, std::move(*skipped));
      continue;
    }
    const auto own = bare != nullptr ? std::string() : view.sysctl(key.name)->text;
    Stated<SysctlSetting> value{{.live = live->text, .boot = boot_text(*boot, key.name)},
                                {.our_line = our_line(*boot, key.name)}};
    if (bare == nullptr && own != live->text) value.details.own = own;
    if (const auto* other = value.boot == want.boot ? nullptr : overruler(*boot, key, wanted)) {
      value.boot = want.boot;  // another line of ours would not help
      observed.shortfalls.emplace(key, next_boot_differs(*other, key.name));
    }
    if (auto why = value.boot == want.boot ? std::nullopt : irreplaceable(view, kSysctlFile)) {
      value.boot = want.boot;
      observed.shortfalls.emplace(key, std::move(*why));
    }
    const auto* const known = remembered(context, SysctlSetting::kName, key.name);
    observed.remember.emplace(
        key.name, LedgerEntry{want.live, has_original(key, known) ? known->original : own});
    observed.state.emplace(key, std::move(value));
  }
  for (const auto& [path, why] : boot->skipped()) {
    observed.left_unchanged.push_back({fmt::format("file {}", path), why});
  }
  observe_former(view, wanted, context, *boot, observed);
  return observed;
}

std::vector<Change<SysctlSetting>> SysctlSetting::diff(const State<SysctlSetting>& desired,
                                                       const State<SysctlSetting>& actual) {
  return difference<SysctlSetting>(desired, actual);
}

Result<> SysctlSetting::apply(const Change<SysctlSetting>& change, host::Host& host) {
  const auto& key = change.key.name;
  const auto& before = change.before;
  const auto& after = change.after;
  // A key that leaves the file gets its original value again, where one is known.
  const auto live = after ? after->details.own.value_or(after->live) : before->details.original;
  Result<> gone;
  if (!live.empty() && (!before || before->live != live)) {
    const auto written = host.sysctl.write(key, live);
    // A link that is gone takes its settings along. Our line stays, and is for when it comes back.
    const bool with_link = !written && written.error().code == ErrorCode::kNotFound;
    if (!written && (!with_link || link_of(key).empty())) return written;
    gone = written;
  }
  if (files(change).empty()) return gone;
  const auto line = write_our_line(host, key, after ? after->details.our_line : std::nullopt);
  return line ? gone : line;
}

std::vector<std::string> SysctlSetting::files(const Change<SysctlSetting>& change) {
  if (change.before && change.after && change.before->boot == change.after->boot) return {};
  return {kSysctlFile};
}

Effect SysctlSetting::effect(const Change<SysctlSetting>& change) {
  const auto file = host::sysctl_file(change.key.name).value_or("");
  Effect effect{.link = link_of(change.key.name)};
  constexpr std::string_view kDisable = "/disable_ipv6";
  const auto live = change.after ? change.after->live : change.before->details.original;
  if (file.starts_with(kIpv6Conf) && file.ends_with(kDisable) && !live.empty() && live != "0" &&
      change.before && change.before->live == "0") {
    const auto link =
        file.substr(kIpv6Conf.size(), file.size() - kIpv6Conf.size() - kDisable.size());
    effect = {.disturbs = Effect::Disturbs::kTraffic,
              .link = link == "all" ? "" : link,
              .ends_ipv6 = link != "default"};
  }
  return effect;
}

std::string SysctlSetting::label(const Value& value) {
  // Empty: a list without items, or a key that is gone with its link.
  const std::string_view live = value.live.empty() ? "none" : std::string_view(value.live);
  if (value.live == value.boot) return std::string(live);
  return fmt::format("{} ({})", live,
                     value.boot.empty() ? std::string("not set at boot") : value.boot + " at boot");
}

std::optional<std::string> SysctlSetting::left(const Stated<SysctlSetting>& value) {
  const auto& text = value.details.original.empty() ? value.live : value.details.original;
  return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace spark::kinds
