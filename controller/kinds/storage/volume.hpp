#pragma once
// Which volume of a target is meant, and whether it may be mounted.

#include <optional>
#include <string>
#include <vector>

#include "kinds/storage/mount.hpp"

namespace spark {

/// The volumes of the subsystem that the file's word means.
std::vector<NvmeNamespace> volumes_meant(const NvmeWorld& world, const Mount::Value& want);
/// The volume has that number or UUID, or is the one that goes without.
bool is_meant(const NvmeNamespace& space, const Mount::Value& want);

/// The one volume that is meant. Errors, as reasons: none there, several, or one that shares its
/// name with another.
struct Chosen {
  std::optional<NvmeNamespace> volume;
  std::optional<Skipped> why_not;  ///< both empty: the target is not connected
};
Chosen choose_volume(const NvmeWorld& world, const Mount::Value& want);

/// What a volume looked like when this node last mounted it to write: after a power cut, only the
/// last writer may replay its journal.
struct LastMount {
  int id = 0;  ///< of the mount, as in mountinfo
  std::uint32_t mounted_at = 0;
  std::uint32_t mounts = 0;
  std::string uuid;
};
std::string to_text(const LastMount& last);
std::optional<LastMount> parse_last_mount(const std::string& text);

/// Why the volume may not be mounted so; empty: it may.
std::optional<Skipped> why_unfit(const Superblock& superblock, const Mount::Value& want,
                                 const std::optional<LastMount>& last);

}  // namespace spark
