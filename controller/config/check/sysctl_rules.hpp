#pragma once
// SysctlRule: which sysctls a file may set. The file's author sets up a network. An author who
// could set any key of /proc/sys could run programs as root.

#include <cstdint>
#include <string_view>

namespace spark::config {

struct SysctlRule {
  enum class Verdict : std::uint8_t { kAllowed, kWarned, kRefused };
  std::string_view pattern;  ///< of dotted keys; one '*' stands for any text
  Verdict verdict;
  std::string_view reason;
};

/// The rule for a key as sysctl(8) prints it. Each key has one.
const SysctlRule& sysctl_rule_of(std::string_view key);

}  // namespace spark::config
