#pragma once
// Root acts on what this program remembers, also in another process. A user who can write to these
// directories can therefore act as root.

#include "host/files.hpp"

namespace spark::state {

/// Checks that only root (and the user who runs this) can write to the directories that a rollback
/// relies on. An absent directory is fine. Errors: kInvalid, with the directory and what to do;
/// those of the files port.
Result<> check_own_directories(host::Files& files);

/// Removes the temporary files that killed processes left in our own directories. A file that
/// cannot be removed stays: it does no harm.
void discard_leftovers(host::Files& files);

}  // namespace spark::state
