#pragma once
// FileStamp: what changes with a file, so that one that stayed as it is need not be read again.

#include <cstdint>
#include <optional>
#include <string>

namespace spark::host {

struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t size = 0;
  std::int64_t changed_ns = 0;  ///< of its content, owner or mode
  bool operator==(const FileStamp&) const = default;
};

/// Of the file itself, not of what a link leads to. Empty: there is none, or it cannot be seen.
std::optional<FileStamp> file_stamp(const std::string& path);

}  // namespace spark::host
