#pragma once
// What spark-storage prints about one volume (helpers/storage/volume.cpp), and the program reads.

#include <cstdint>
#include <string>

#include "base/fields.hpp"

namespace spark::protocol {

/// How it went.
struct VolumeAnswer {
  int error = 0;     ///< errno; 0: it went well
  std::string what;  ///< in words
};

template <EitherConst<VolumeAnswer> T, class Visit>
void each_field(T& answer, Visit visit) {
  visit("errno", answer.error);
  visit("what", may_lack(answer.what));
}

/// What the first blocks of a volume say of the file system on it.
struct Superblock {
  std::string type;              ///< "ext4" (2 and 3 too), "xfs", "btrfs", "empty", "other"
  bool clean = false;            ///< ext4: unmounted, and no journal to replay
  bool mmp = false;              ///< ext4: the kernel keeps a second writer out by itself
  std::uint32_t mounts = 0;      ///< ext4: how often mounted since its last check
  std::uint32_t mounted_at = 0;  ///< ext4: when it was last mounted, seconds since 1970
  std::string uuid;              ///< ext4: 32 hexadecimal digits
  bool operator==(const Superblock&) const = default;
};

template <EitherConst<Superblock> T, class Visit>
void each_field(T& superblock, Visit visit) {
  visit("type", superblock.type);
  visit("clean", superblock.clean);
  visit("mmp", superblock.mmp);
  visit("mounts", superblock.mounts);
  visit("mounted_at", superblock.mounted_at);
  visit("uuid", superblock.uuid);
}

/// What `spark-storage superblock` prints when it could read one.
struct SuperblockAnswer {
  int error = 0;
  Superblock superblock;
};

template <EitherConst<SuperblockAnswer> T, class Visit>
void each_field(T& answer, Visit visit) {
  visit("errno", answer.error);
  each_field(answer.superblock, visit);
}

}  // namespace spark::protocol
