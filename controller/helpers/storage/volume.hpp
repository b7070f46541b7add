#pragma once
// Questions to a block device or a mounted file system that may never be answered: readers of a
// lost target wait for it. Only ever called in a process that can be left behind.

#include <cstdint>
#include <string>

namespace spark::helpers {

/// What the first blocks of a device say of the file system on it.
struct Superblock {
  std::string type;              ///< "ext4" (2 and 3 too), "xfs", "btrfs", "empty", "other"
  bool clean = false;            ///< ext4: unmounted, and no journal to replay
  bool mmp = false;              ///< ext4: the kernel keeps a second writer out by itself
  std::uint32_t mounts = 0;      ///< ext4: how often mounted since its last check
  std::uint32_t mounted_at = 0;  ///< ext4: when it was last mounted, seconds since 1970
  std::string uuid;              ///< ext4: 32 hexadecimal digits
};

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
