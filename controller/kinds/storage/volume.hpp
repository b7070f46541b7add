#pragma once
// Which volume of a target is meant, and whether it may be mounted.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/storage.hpp"
#include "kinds/common/kind.hpp"
#include "kinds/storage/storage_units.hpp"

namespace spark::kinds {

/// What the file says of a volume and of the file system on it.
struct WantedVolume {
  std::string nqn;    ///< of the subsystem
  std::string space;  ///< namespace, a number or a UUID in lower case; empty: the only one
  std::string type;   ///< of the file system
  bool writes = false;
  ConnectionKey connection{};  ///< over which this machine reaches it
};

/// It differs, and correcting it is not ours to do: `reason` says what is so and what to do.
Skipped not_enforced(const char* id, std::string reason);

/// A file system of the ext family, as mount(8) names it.
bool is_ext(std::string_view type);

/// The volumes of the subsystem that the file means.
std::vector<host::NvmeNamespace> volumes_meant(const host::NvmeWorld& world,
                                               const WantedVolume& want);
/// The volume is of that subsystem, and has the number or UUID that the file names, if any.
bool is_meant(const host::NvmeNamespace& space, const WantedVolume& want);

/// Either is set; both are empty where the target is not connected and nothing says why.
struct Chosen {
  std::optional<host::NvmeNamespace> volume;
  std::optional<Skipped> why_not;
};

/// The one volume that is meant. `why_not`: the target is not connected, no volume is there,
/// several are, or it shares its name with another.
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

/// The target is connected, and the kernel, which looks for volumes after that, has not found this
/// one yet.
bool is_yet_to_come(const host::NvmeWorld& world, const WantedVolume& want);

/// Why the volume may not be mounted as the file asks; empty: it may.
std::optional<Skipped> why_unfit(const host::Superblock& superblock, const WantedVolume& want,
                                 const std::optional<LastMount>& last);

/// The superblock of a volume, by the volume's name.
using ReadSuperblock = std::function<Result<host::Superblock>(const std::string& name)>;
/// The one volume that is meant, if it may be mounted as the file asks. `why_not`: as of
/// `choose_volume`, it does not answer, or it is not fit. The plan asks this, and an apply asks it
/// of a volume that the plan could not see, since its target was connected only afterwards.
Chosen choose_fit_volume(const host::NvmeWorld& world, const WantedVolume& want,
                         const std::optional<LastMount>& last, const ReadSuperblock& read);

}  // namespace spark::kinds
