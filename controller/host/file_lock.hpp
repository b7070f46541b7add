#pragma once
// take_lock: this program's lock on an open file, and which process holds it.

#include <optional>
#include <string>

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "host/files.hpp"

namespace spark::host {

/// A user who may open the file may lock it, and so keep every apply from starting.
inline constexpr unsigned kLockMode = 0600;

/// Locks the file (flock) without waiting and writes this process's id into it. A file that others
/// may open, as version 0.1.0 made it, gets kLockMode.
/// Errors: kBusy, "<what>: held by process 1234 (spark-reconcile apply) since …".
Result<FileLock> take_lock(UniqueFd file, const std::string& what);

/// Who holds the lock file `name` below `top`: "held by process 1234 (spark-reconcile apply) since
/// …". Empty: nobody. Takes no lock, so that nobody is kept out meanwhile: flock(2) cannot only
/// ask, so this reads proc_locks(5), which has all locks but those of processes outside this PID
/// namespace. Errors: kPermission; kInvalid when it is no regular file.
Result<std::optional<std::string>> lock_holder(const std::string& top, const std::string& name);

/// Whether somebody holds the lock file at `path`, which is as this process sees it, for who may
/// not open it. Errors: kInvalid when it is no regular file; what keeps proc_locks(5) from being
/// read.
Result<bool> is_held(const std::string& path);

/// The file at `path` is the one that is locked. False: it was removed or replaced, so another
/// process can take the lock at that path. `path` is as this process sees it: no root is put before
/// it.
bool is_at(const FileLock& lock, const std::string& path);

}  // namespace spark::host
