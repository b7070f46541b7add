// Settings of hosts: sysctl keys, modules, names in /etc/hosts.

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/units.hpp"
#include "config/check/check_sections.hpp"
#include "config/check/sysctl_rules.hpp"

namespace spark::config {
namespace {

/// What every rail holds, as both rails of a cage are connected to one wire.
struct HeldSysctl {
  std::string_view name;
  std::uint64_t value;
};
constexpr std::array kHeld{HeldSysctl{"arp_ignore", 1}, HeldSysctl{"arp_announce", 2}};

bool is_rail_anywhere(const Cluster& cluster, std::string_view interface) {
  return std::ranges::any_of(
      cluster.nodes, [&](const auto& node) { return rail_of(node.second, interface).has_value(); });
}

/// The effective value is the larger of `all` and the interface's own
/// (Documentation/networking/ip-sysctl.rst), so that a larger `all` changes the rails too.
void check_held_sysctl(const Cluster& cluster, const std::string& key, const At<std::string>& text,
                       Findings& findings) {
  constexpr std::string_view kHead = "net.ipv4.conf.";
  const auto dot = key.rfind('.');
  if (!key.starts_with(kHead) || dot < kHead.size()) return;
  const auto held =
      std::ranges::find(kHeld, std::string_view(key).substr(dot + 1), &HeldSysctl::name);
  if (held == kHeld.end()) return;
  // Dots of an interface name are slashes in a dotted key.
  std::string interface = key.substr(kHead.size(), dot - kHead.size());
  std::ranges::replace(interface, '/', '.');
  const auto number = parse_decimal(text.value);
  const bool same = number == held->value;
  const bool harmless = interface == "all" ? number && *number <= held->value
                                           : same || !is_rail_anywhere(cluster, interface);
  if (harmless) return;
  findings.add(
      SpecId::kSysctlHeld, text.where,
      fmt::format("{} is {} on every rail, not {}", held->name, held->value, in_quotes(text.value)),
      "both rails are connected to one wire, and without it one answers for the other: delete this "
      "key");
}

/// The file sets what is known to be a setting and no more.
void check_sysctl_rule(const std::string& key, const At<std::string>& text, Findings& findings) {
  const SysctlRule& rule = sysctl_rule_of(key);
  switch (rule.verdict) {
    case SysctlRule::Verdict::kAllowed:
      return;
    case SysctlRule::Verdict::kWarned:
      findings.add(SpecId::kSysctlReaches, text.where,
                   fmt::format("{} does more than it says", in_quotes(key)),
                   std::string(rule.reason));
      return;
    case SysctlRule::Verdict::kRefused:
      findings.add(SpecId::kSysctlRefused, text.where,
                   fmt::format("the file may not set {}", in_quotes(key)),
                   fmt::format("{}; if it is meant, write this line into "
                               "/etc/sysctl.d/60-local.conf by hand: {} = {}",
                               rule.reason, key, printable(text.value)));
  }
}

void check_sysctl(const Cluster& cluster, const HostSettings& settings, Findings& findings) {
  for (const auto& [key, text] : settings.sysctl) {
    check_sysctl_rule(key, text, findings);
    check_held_sysctl(cluster, key, text, findings);
    if (key == "net.ipv4.tcp_ecn") {
      findings.add(SpecId::kTcpOnly, text.where, "tcp_ecn has no effect on RoCE",
                   "congestion control of RoCE lives in the network card; keep the line for TCP, "
                   "or delete it");
    }
  }
}

void check_modules(const HostSettings& settings, Findings& findings) {
  if (!settings.modules) return;
  std::map<std::string, Where> first;
  for (const auto& [module, where] : *settings.modules) {
    // modprobe(8) takes '-' and '_' for one character.
    std::string name = module;
    std::ranges::replace(name, '-', '_');
    const auto [seen, is_new] = first.try_emplace(name, where);
    if (!is_new) {
      findings.add(SpecId::kModuleTwice, where, fmt::format("module {} twice", in_quotes(module)),
                   "'-' and '_' are one character in module names: keep one",
                   {{seen->second, "first here"}});
    }
    if (name == "nvidia_peermem" || name == "nv_peer_mem") {
      findings.add(SpecId::kModuleNever, where,
                   fmt::format("{} cannot work on a Spark", in_quotes(module)),
                   "GB10 has no GPUDirect RDMA, and the module refuses to start: delete it; NCCL "
                   "works without");
    }
  }
}

void check_host_names(const Cluster& cluster, Findings& findings) {
  constexpr std::size_t kLongestLabel = 63;  // RFC 1035, section 2.3.4
  for (const auto& [name, node] : cluster.nodes) {
    const auto& suffix =
        node.settings.hosts_suffix ? node.settings.hosts_suffix : cluster.host.hosts_suffix;
    if (!suffix || name.size() + suffix->value.size() <= kLongestLabel) continue;
    findings.add(SpecId::kHostsName, suffix->where,
                 fmt::format("{} is longer than {} characters", in_quotes(name + suffix->value),
                             kLongestLabel),
                 "shorten the suffix or the node's name", {{node.where, "the node is here"}});
  }
}

}  // namespace

void check_settings(const Checked& checked, Findings& findings) {
  const Cluster& cluster = checked.cluster;
  check_sysctl(cluster, cluster.host, findings);
  check_modules(cluster.host, findings);
  for (const auto& [name, node] : cluster.nodes) {
    check_sysctl(cluster, node.settings, findings);
    check_modules(node.settings, findings);
  }
  check_host_names(cluster, findings);
  check_variables(cluster, findings);
}

}  // namespace spark::config
