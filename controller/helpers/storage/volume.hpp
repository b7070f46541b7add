#pragma once
// Questions to a block device or a mounted file system that may never be answered: readers of a
// lost target wait for it. Only ever called in a process that can be left behind.

#include <string>

#include "protocol/volume.hpp"

namespace spark::helpers {

using protocol::Superblock;

/// `error` is 0 or an errno.
struct SuperblockRead {
  Superblock superblock;
  int error = 0;
};

/// Reads past every cache of this host: another node may have written to the device since.
SuperblockRead read_superblock(const std::string& device);

/// Writes and syncs a file without a name in `path`: an aborted journal refuses that, whatever
/// /proc/mounts says. Without `writes`, reads the directory. Returns 0 or an errno.
int try_out(const std::string& path, bool writes);

/// syncfs(2) of what is mounted there. Returns 0 or an errno.
int sync_at(const std::string& path);

/// Checks that nobody has the device open exclusively: no mount in any namespace, no dm or md
/// device, no swap. Returns 0, EBUSY or another errno.
int claim(const std::string& device);

}  // namespace spark::helpers
