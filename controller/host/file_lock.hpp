#pragma once
// take_lock: the lock of this program on an open file, and who holds it.

#include <string>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "host/files.hpp"

namespace spark {

/// Who may open the file may lock it, and so keep every apply from starting.
inline constexpr unsigned kLockMode = 0600;

/// Locks the file (flock) without waiting and writes this process's id into it. One that others
/// may open, as version 0.1.0 made it, becomes kLockMode.
/// Errors: kBusy, "<what>: held by process 1234 (spark-reconcile apply) since …".
Result<FileLock> take_lock(UniqueFd file, const std::string& what);

/// The file at `path` is the one that is locked. False: it was removed or replaced, so another
/// process can take the lock at that path. `path` is of this process, no root stands before it.
bool is_at(const FileLock& lock, const std::string& path);

}  // namespace spark
