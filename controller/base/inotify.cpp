#include "base/inotify.hpp"

#include <cerrno>

#include <sys/inotify.h>

namespace spark {

std::unexpected<Error> fail_inotify(int number) {
  if (number != EMFILE) return fail_errno(number, "inotify_init1");
  return fail_errno(
      number,
      "this user may have as many inotify instances as fs.inotify.max_user_instances says, which "
      "is 128 by default, and containers use them up (`sysctl -w "
      "fs.inotify.max_user_instances=1024`, and a line in /etc/sysctl.d): inotify_init1");
}

Result<UniqueFd> make_inotify() {
  UniqueFd changes(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!changes.valid()) return fail_inotify(errno);
  return changes;
}

}  // namespace spark
