#pragma once
// RunningProcess: a process as people know it, from texts of /proc/PID.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/fields.hpp"

namespace spark::host {

/// A process, and where it belongs.
struct RunningProcess {
  std::uint32_t pid = 0;
  std::string name;       ///< /proc/PID/comm: "python3"
  std::string user;       ///< "alice", or "user 1000" where /etc/passwd has no name for it
  std::string container;  ///< "docker 3f2a1b0c9d8e"; empty: it is in none that is known
  std::string unit;       ///< of systemd: "session-4.scope"; empty: none
  bool operator==(const RunningProcess&) const = default;
};

template <EitherConst<RunningProcess> T, class Visit>
void each_field(T& process, Visit visit) {
  visit("pid", process.pid);
  visit("name", process.name);
  visit("user", process.user);
  visit("container", process.container);
  visit("unit", process.unit);
}

/// "python3 (pid 4711) of alice in docker 3f2a1b0c9d8e"; without a container, in its unit.
std::string text_of(const RunningProcess& process);

/// A probe of this program: a change that ends it ends no job, and only makes somebody look again.
bool is_own_probe(const RunningProcess& process);

/// The effective user in the text of /proc/PID/status, by the text of /etc/passwd: no name service
/// is asked, which may take seconds. Empty: the status does not say.
std::string user_of_status(std::string_view status, std::string_view passwd);

/// The control group in the text of /proc/PID/cgroup: "/system.slice/ssh.service". Beside others of
/// cgroup v1, that of v2, or systemd's own. Empty: the text has none.
std::string group_of_process(std::string_view text);

/// The container that a control group belongs to, by the names that Docker, Podman, containerd and
/// CRI-O give theirs: "docker 3f2a1b0c9d8e"; empty: none of these.
std::string container_of_group(std::string_view path);

}  // namespace spark::host
