#include "config/check/sysctl_rules.hpp"

#include <algorithm>
#include <array>

namespace spark::config {
namespace {

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

}  // namespace

const SysctlRule& sysctl_rule_of(std::string_view key) {
  return *std::ranges::find_if(kRules,
                               [&](const SysctlRule& rule) { return matches(rule.pattern, key); });
}

}  // namespace spark::config
