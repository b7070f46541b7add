#pragma once
// Which volume of a target is meant, and whether it may be mounted.

#include <optional>
#include <string>
#include <vector>

#include "host/storage.hpp"
#include "kinds/common/kind.hpp"

namespace spark::kinds {

/// What the file says of a volume and of the file system on it.
struct WantedVolume {
  std::string nqn;    ///< of the subsystem
  std::string space;  ///< namespace, a number or a UUID in lower case; empty: the only one
  std::string type;   ///< of the file system
  bool writes = false;
};

/// The volumes of the subsystem that the file means.
std::vector<host::NvmeNamespace> volumes_meant(const host::NvmeWorld& world,
                                               const WantedVolume& want);
/// The volume is of that subsystem, and has the number or UUID that the file names, if any.
bool is_meant(const host::NvmeNamespace& space, const WantedVolume& want);

/// The one volume that is meant. `why_not`: none is there, several are, or it shares its name with
/// another.
struct Chosen {
  std::optional<host::NvmeNamespace> volume;
  std::optional<Skipped> why_not;  ///< both empty: the target is not connected
};
Chosen choose_volume(const host::NvmeWorld& world, const WantedVolume& want);

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

/// Why the volume may not be mounted as the file asks; empty: it may.
std::optional<Skipped> why_unfit(const host::Superblock& superblock, const WantedVolume& want,
                                 const std::optional<LastMount>& last);

}  // namespace spark::kinds
