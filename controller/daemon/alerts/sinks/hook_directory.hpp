#pragma once
// hooks_in: the programs of a hook directory that may be run as root.

#include <string>
#include <vector>

#include <sys/types.h>

#include "base/result.hpp"

namespace spark::daemon {

struct Hooks {
  std::vector<std::string> paths;    ///< sorted by name
  std::vector<std::string> refused;  ///< what stands there and is not run, and why
};

/// Regular files that their owner may execute; names as of run-parts(8) and with dots inside. The
/// directory, all above it and the files must be the owner's and writable by nobody else: anyone
/// who can write there is root. An absent directory has no hooks. Errors: kPermission, …
Result<Hooks> hooks_in(const std::string& directory, uid_t owner = 0);

}  // namespace spark::daemon
