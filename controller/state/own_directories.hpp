#pragma once
// What this program remembers is done as root, also in another process: whoever can write there can
// do it too.

#include "host/files.hpp"

namespace spark {

/// Nobody but root (and who runs this) can write into the directories of what an undo goes by; one
/// that is absent is fine. Errors: kInvalid, naming it and the way out; those of the files port.
Result<> check_own_directories(Files& files);

/// Removes the temporary files that killed processes left in our own directories. What cannot be
/// removed stays: it does no harm, but to the eye.
void discard_leftovers(Files& files);

}  // namespace spark
