#pragma once
// Sysctl: the live values below /proc/sys, of this network namespace where they have one.

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace spark::host {

struct SysctlValue {
  std::string text;  ///< blanks and tabs folded to one blank, ends trimmed
  /// The owner may write it (mode bits of the file: net.core.* is read-only outside the initial
  /// network namespace). Says nothing about who runs this.
  bool writable = false;
  bool operator==(const SysctlValue&) const = default;
};

/// Keys are as in sysctl.d(5): the first '.' or '/' in a key is its separator, and the other one is
/// literal ("net.core.rmem_max", "net/ipv4/conf/eth0.100/arp_ignore", and the same with the two
/// exchanged: "net.ipv4.conf.eth0/100.arp_ignore").
class Sysctl {
 public:
  Sysctl() = default;
  Sysctl(const Sysctl&) = delete;
  Sysctl& operator=(const Sysctl&) = delete;
  virtual ~Sysctl() = default;

  /// Errors: kNotFound when the kernel has no such key (here); kPermission when it hides it.
  virtual Result<SysctlValue> read(const std::string& key) = 0;
  virtual Result<> write(const std::string& key, const std::string& text) = 0;
};

/// The file below /proc/sys that a key stands for: "net.core.rmem_max" gives "net/core/rmem_max".
/// Errors: kInvalid for a key that is empty, has an empty part or leads out of /proc/sys.
Result<std::string> sysctl_file(std::string_view key);

}  // namespace spark::host
