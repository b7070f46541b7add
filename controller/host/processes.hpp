#pragma once
// Processes: what running processes may lock, control group by control group, and who a process is;
// adapter in linux/linux_processes. Limits are read from the kernel: systemd's D-Bus properties say
// what the next start gets.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "host/process_place.hpp"
#include "host/running_process.hpp"

namespace spark::host {

/// RLIMIT_MEMLOCK, bytes; kUnlimited: none.
struct MemlockLimit {
  std::uint64_t soft = 0;
  std::uint64_t hard = 0;
  bool operator==(const MemlockLimit&) const = default;
};
inline constexpr std::uint64_t kUnlimited = UINT64_MAX;

/// The processes of one control group.
struct ProcessGroup {
  std::string path;  ///< below /sys/fs/cgroup: "/system.slice/ssh.service"
  /// The largest of the group's first few processes: one may have lowered its own.
  std::uint64_t memlock_soft = 0;
  std::uint64_t memlock_hard = 0;
  bool operator==(const ProcessGroup&) const = default;
};

class Processes {
 public:
  Processes() = default;
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;
  virtual ~Processes() = default;

  /// Groups that hold processes, in slices and init.scope, which is PID 1's. Kernel threads are in
  /// none. Errors: kUnsupported without unified control groups (cgroup v2); kPermission when other
  /// users' processes are hidden (proc(5), hidepid).
  virtual Result<std::vector<ProcessGroup>> groups() = 0;

  /// Empty: there is none, or it has just ended. What of it cannot be read is empty.
  /// Source: /proc/PID/comm, status and cgroup.
  virtual Result<std::optional<RunningProcess>> process(std::uint32_t pid) = 0;

  /// Empty: there is none, or nothing of it can be read. Source: /proc/PID/stat.
  virtual std::optional<ProcessPlace> place(std::uint32_t pid) = 0;
};

/// "unlimited", "16 GiB", "100000 bytes".
std::string memlock_text(std::uint64_t bytes);

/// "Max locked memory" in the text of /proc/PID/limits. Empty: it is not there.
std::optional<MemlockLimit> parse_memlock_limit(std::string_view limits);

/// The unit that a control group belongs to: the first part of its path that is a service or scope;
/// empty: none. "/user.slice/user-1000.slice/user@1000.service/app.slice" gives
/// "user@1000.service".
std::string_view unit_of_group(std::string_view path);

}  // namespace spark::host
