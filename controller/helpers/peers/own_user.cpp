#include "helpers/peers/own_user.hpp"

#include <cerrno>

#include <fmt/format.h>
#include <grp.h>
#include <sys/resource.h>
#include <unistd.h>

#include "host/process/file_io.hpp"
#include "host/process/passwd.hpp"
#include "protocol/peers.hpp"

namespace spark::helpers {
namespace {

/// As the unit of spark-peers has it: a probe registers memory without CAP_IPC_LOCK.
constexpr rlim_t kMostLocked = rlim_t{256} << 20;

}  // namespace

Result<> become_peers_user() {
  if (geteuid() != 0) return {};
  const rlimit locked{.rlim_cur = kMostLocked, .rlim_max = kMostLocked};
  // Where it may not, the probe says that its memory could not be registered.
  static_cast<void>(setrlimit(RLIMIT_MEMLOCK, &locked));
  const auto passwd = host::read_proc("/etc/passwd");
  if (!passwd) return std::unexpected(passwd.error());
  const auto ids = host::user_ids(protocol::kPeersUser, *passwd);
  if (!ids) {
    return fail(ErrorCode::kNotFound,
                fmt::format("there is no user {}: `systemd-sysusers spark-reconcile.conf` makes it",
                            protocol::kPeersUser));
  }
  if (setgroups(0, nullptr) != 0 || setresgid(ids->group, ids->group, ids->group) != 0 ||
      setresuid(ids->user, ids->user, ids->user) != 0) {
    return fail_errno(errno, fmt::format("become the user {}", protocol::kPeersUser));
  }
  return {};
}

}  // namespace spark::helpers
