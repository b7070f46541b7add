#include "kinds/storage/volume.hpp"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "base/text.hpp"
#include "host/nvme_sysfs.hpp"
#include "kinds/storage/nvme.hpp"

namespace spark::kinds {
Skipped not_enforced(const char* id, std::string reason) {
  return {Skipped::Why::kNotEnforced, id, std::move(reason)};
}

bool is_ext(std::string_view type) { return type == "ext4" || type == "ext3" || type == "ext2"; }

bool is_meant(const host::NvmeNamespace& space, const WantedVolume& want) {
  return space.nqn == want.nqn && (want.space.empty() || want.space == std::to_string(space.nsid) ||
                                   (!space.uuid.empty() && want.space == space.uuid));
}

std::vector<host::NvmeNamespace> volumes_meant(const host::NvmeWorld& world,
                                               const WantedVolume& want) {
  std::vector<host::NvmeNamespace> found;
  std::ranges::copy_if(world.namespaces, std::back_inserter(found),
                       [&](const host::NvmeNamespace& space) { return is_meant(space, want); });
  return found;
}

Chosen choose_volume(const host::NvmeWorld& world, const WantedVolume& want) {
  if (const auto why = why_not_connected(world, want.connection)) {
    return {{},
            Skipped{Skipped::Why::kWaiting, "SR-MOUNT-001",
                    fmt::format("its target is not connected: {}", why->reason)}};
  }
  const auto found = volumes_meant(world, want);
  if (found.size() > 1) {
    return {{},
            not_enforced("SR-MOUNT-009",
                         fmt::format("the target has {} volumes, and the file names none: write "
                                     "`namespace:` with a number or, better, a UUID ({} is {})",
                                     found.size(), found.front().nsid,
                                     found.front().uuid.empty() ? "without" : found.front().uuid))};
  }
  if (found.empty()) {
    if (host::state_of(world.controllers, want.nqn) != "live") return {};
    return {{},
            Skipped{Skipped::Why::kWaiting, "SR-MOUNT-001",
                    want.space.empty()
                        ? std::string("the target is connected, and offers no volume")
                        : fmt::format("the target is connected, and offers no volume '{}'",
                                      want.space)}};
  }
  const auto& volume = found.front();
  const auto same = std::ranges::count(world.namespaces, volume.wwid, &host::NvmeNamespace::wwid);
  if (same > 1 || volume.wwid.empty()) {
    return {
        {},
        not_enforced("SR-MOUNT-009",
                     fmt::format("the volume's name '{}' is no name of it alone: give each volume "
                                 "of the targets a UUID of its own",
                                 volume.wwid))};
  }
  return {volume, {}};
}

bool is_yet_to_come(const host::NvmeWorld& world, const WantedVolume& want) {
  return !why_not_connected(world, want.connection) &&
         host::state_of(world.controllers, want.nqn) == "live" &&
         volumes_meant(world, want).empty();
}

std::string to_text(const LastMount& last) {
  return fmt::format("{} {} {} {}", last.id, last.mounted_at, last.mounts,
                     last.uuid.empty() ? "-" : last.uuid);
}

std::optional<LastMount> parse_last_mount(const std::string& text) {
  LastMount last;
  std::istringstream words(text);
  words >> last.id >> last.mounted_at >> last.mounts >> last.uuid;
  return words.fail() ? std::nullopt : std::optional(last);
}

std::optional<Skipped> why_unfit(const host::Superblock& superblock, const WantedVolume& want,
                                 const std::optional<LastMount>& last) {
  const bool same_type =
      superblock.type == want.type || (superblock.type == "ext4" && is_ext(want.type));
  // What is neither of the three that are told apart is the kernel's to judge.
  if (!same_type && superblock.type != "other") {
    return not_enforced(
        "SR-MOUNT-005",
        superblock.type == "empty"
            ? fmt::format("the volume is empty: this program never formats one. Once "
                          "you are sure: mkfs.{}",
                          want.type)
            : fmt::format("the volume holds {}, and the file says {}", superblock.type, want.type));
  }
  if (!want.writes) return std::nullopt;
  if (!is_ext(want.type) || superblock.type != "ext4") {
    return not_enforced(
        "SR-MOUNT-006",
        fmt::format("whether {} was unmounted cleanly by its last writer cannot be "
                    "told, so it is not mounted to be written: use ext4, or read_only",
                    want.type));
  }
  const bool ours = last && last->mounted_at == superblock.mounted_at &&
                    last->mounts == superblock.mounts && last->uuid == superblock.uuid;
  if (superblock.clean || superblock.mmp || ours) return std::nullopt;
  return not_enforced(
      "SR-MOUNT-004",
      "it was not unmounted cleanly, and this node was not the last to write it: "
      "another node may have it mounted. Unmount it there; if that node is gone for "
      "good, `e2fsck -p` the volume here, and apply");
}

Chosen choose_fit_volume(const host::NvmeWorld& world, const WantedVolume& want,
                         const std::optional<LastMount>& last, const ReadSuperblock& read) {
  auto chosen = choose_volume(world, want);
  if (!chosen.volume) return chosen;
  const auto superblock = read(chosen.volume->name);
  if (!superblock) {
    auto why = unreadable(superblock.error());
    why.why = Skipped::Why::kWaiting;
    return {{}, std::move(why)};
  }
  if (auto unfit = why_unfit(*superblock, want, last)) return {{}, std::move(unfit)};
  return chosen;
}

}  // namespace spark::kinds
