// Settings of hosts: sysctl keys, modules, names in /etc/hosts.

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/units.hpp"
#include "config/check/check_sections.hpp"

namespace spark::config {
namespace {

/// Which sysctls a file may set: its author sets up a network, and who could set any key of
/// /proc/sys could run programs as root.
struct SysctlRule {
  enum class Verdict : std::uint8_t { kAllowed, kWarned, kRefused };
  std::string_view pattern;  ///< of dotted keys; one '*' stands for any text
  Verdict verdict;
  std::string_view reason;
};

using enum SysctlRule::Verdict;

constexpr std::string_view kSetting = "a setting of network or memory";
constexpr std::string_view kWeaker = "it weakens how the kernel protects itself from programs";
constexpr std::string_view kAction = "writing it is an action, not a setting that can be enforced";
constexpr std::string_view kLoads = "the kernel loads a module for the value (request_module)";

/// The first one that matches holds. Documentation/admin-guide/sysctl and
/// Documentation/networking/ip-sysctl.rst of Linux describe the keys.
constexpr std::array kRules{
    SysctlRule{"net.core.bpf_jit_*", kRefused, kWeaker},
    SysctlRule{"net.*.route.flush", kRefused, kAction},
    SysctlRule{"net.core.default_qdisc", kWarned, kLoads},
    SysctlRule{"net.ipv4.tcp_congestion_control", kWarned, kLoads},
    SysctlRule{"net.ipv4.ip_forward", kWarned,
               "the machine becomes a router between all of its networks, the LAN included"},
    SysctlRule{"net.*", kAllowed, kSetting},

    SysctlRule{"vm.drop_caches", kRefused, kAction},
    SysctlRule{"vm.compact_memory", kRefused, kAction},
    SysctlRule{"vm.stat_refresh", kRefused, kAction},
    SysctlRule{"vm.mmap_*", kRefused, kWeaker},
    SysctlRule{"vm.unprivileged_userfaultfd", kRefused, kWeaker},
    SysctlRule{"vm.*", kAllowed, kSetting},

    SysctlRule{"kernel.numa_balancing", kAllowed, kSetting},
    SysctlRule{"kernel.*", kRefused,
               "keys of 'kernel' run programs as root (core_pattern, modprobe) and guard the "
               "kernel; of them the file sets kernel.numa_balancing alone"},

    SysctlRule{"fs.file-max", kAllowed, kSetting},
    SysctlRule{"fs.aio-max-nr", kAllowed, kSetting},
    SysctlRule{"fs.inotify.*", kAllowed, kSetting},
    SysctlRule{"fs.*", kRefused,
               "keys of 'fs' choose programs that are run (binfmt_misc) and guard files; of them "
               "the file sets fs.file-max, fs.aio-max-nr and fs.inotify.* alone"},

    SysctlRule{
        "*", kRefused,
        "the file sets keys of 'net' and 'vm', and few others, since some keys run programs"},
};

bool matches(std::string_view pattern, std::string_view key) {
  const auto star = pattern.find('*');
  if (star == std::string_view::npos) return key == pattern;
  const auto head = pattern.substr(0, star);
  const auto tail = pattern.substr(star + 1);
  return key.size() >= head.size() + tail.size() && key.starts_with(head) && key.ends_with(tail);
}

/// The rule for a key as sysctl(8) prints it. Each key has one.
const SysctlRule& sysctl_rule_of(std::string_view key) {
  return *std::ranges::find_if(kRules,
                               [&](const SysctlRule& rule) { return matches(rule.pattern, key); });
}

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
