#pragma once
// Trusted files: who else could have written a file that is followed as root, and whether somebody
// is writing it now.

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include <sys/types.h>

#include "base/result.hpp"

namespace spark::host {

// FileStamp: what changes with a file, so that one that stayed as it is need not be read again.

struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t size = 0;
  std::int64_t changed_ns = 0;  ///< of its content, owner or mode
  bool operator==(const FileStamp&) const = default;
};

/// Of the file itself, not of what a link leads to. Empty: there is none, or it cannot be seen.
std::optional<FileStamp> file_stamp(const std::string& path);

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
