#pragma once

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace spark {

/// The error of inotify_init1 with this errno; where the user has no more instances, with the limit
/// and how to raise it (inotify(7): fs.inotify.max_user_instances, 128 by default, which a machine
/// of many containers uses up).
std::unexpected<Error> fail_inotify(int number);

/// An inotify instance that does not block. Errors: those of `fail_inotify`.
Result<UniqueFd> make_inotify();

}  // namespace spark
