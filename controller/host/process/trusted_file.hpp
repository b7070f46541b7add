#pragma once
// Trusted files: who else could have written a file that is followed as root, and whether somebody
// is writing it now.

#include <set>
#include <string>

#include <sys/types.h>

#include "base/result.hpp"

namespace spark::host {

/// Whose files are followed.
struct Trust {
  std::set<uid_t> owners;  ///< beside root
  /// A group whose only member is an owner may write too: Ubuntu's umask is 0002.
  bool own_group = false;
};

/// Checks that only those in `trust` could have written or replaced the open file: judges the file,
/// each directory from `top` down to it, and the directory of `name`, which may be a link. `name`:
/// what messages call the file, below `top`. Errors: kInvalid, with the command that fixes it.
Result<> check_trust(int file, const std::string& name, const Trust& trust,
                     const std::string& top = "/");

/// Checks that the file of that name may be followed unasked: only root can write it, and nobody
/// has it open for writing. An absent file is fine. Errors: kBusy while somebody writes it;
/// kInvalid as check_trust.
Result<> check_takeable(const std::string& top, const std::string& name);

}  // namespace spark::host
