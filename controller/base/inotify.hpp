#pragma once

#include "base/result.hpp"
#include "base/unique_fd.hpp"

namespace spark {

/// An inotify instance that does not block. Error: of its errno; where the user has no more of
/// them, with the limit and how to raise it (inotify(7): fs.inotify.max_user_instances, 128 by
/// default, which a machine of many containers uses up).
Result<UniqueFd> make_inotify();

}  // namespace spark
