#include "kinds/storage/mount.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "kinds/storage/nvme.hpp"
#include "kinds/storage/storage_units.hpp"
#include "kinds/storage/volume.hpp"

namespace spark::kinds {
namespace {

using std::chrono::milliseconds;

/// fsck may have much to do before a file system is mounted.
constexpr milliseconds kMountTime{180'000};
constexpr milliseconds kUnmountTime{45'000};
/// The kernel looks for volumes once a target is connected.
constexpr milliseconds kVolumeTime{5'000};

/// Options that the mount table shows under the same name, so that they can be compared.
constexpr std::array<std::string_view, 8> kShown{"noatime", "nodiratime", "nosuid",  "nodev",
                                                 "noexec",  "sync",       "dirsync", "discard"};

std::string options_text(const Mount::Value& value) {
  // Without noload even a read-only mount of ext4 writes: it replays the journal, which may be
  // another node's.
  const bool with_journal = value.type == "ext4" || value.type == "ext3";
  std::string text = value.writes ? "rw" : with_journal ? "ro,noload" : "ro";
  for (const auto& option : value.options) text += "," + option;
  return text + ",_netdev";
}

std::string text_of(const Mount::Key& key, const Stated<Mount>& value, const std::string& wwid) {
  return mount_text({.path = key.path,
                     .device = device_of(wwid),
                     .type = value.type,
                     .options = options_text(value),
                     .connection = value.details.connection,
                     .checked = value.writes && is_ext(value.type)});
}

std::string unit_path(const Mount::Key& key) {
  return fmt::format("{}/{}", kUnitFolder, mount_unit(key.path));
}

/// What is seen at the path: the last of several.
const host::MountInfo* mount_at(const std::vector<host::MountInfo>& mounts,
                                const std::string& path) {
  const auto found =
      std::ranges::find(mounts.rbegin(), mounts.rend(), path, &host::MountInfo::path);
  return found == mounts.rend() ? nullptr : &*found;
}

WantedVolume volume_of(const Stated<Mount>& want) {
  return {.nqn = want.nqn,
          .space = want.space,
          .type = want.type,
          .writes = want.writes,
          .connection = want.details.connection};
}

/// Both are mounted alike, and only the unit of one is not ours.
bool differ_in_unit_alone(Mount::Value before, const Mount::Value& after) {
  before.kept = after.kept;
  return before == after;
}

class MountObserver {
 public:
  MountObserver(host::View& view, const host::NvmeWorld& world,
                const std::vector<host::MountInfo>& mounts, const Context& context,
                Observed<Mount>& observed)
      : view_(view), world_(world), mounts_(mounts), context_(context), observed_(observed) {}

  void at_wanted(const Mount::Key& key, const Stated<Mount>& want) {
    keep_remembering(key);
    const auto* mount = mount_at(mounts_, key.path);
    auto why = mount != nullptr ? at_mounted(key, want, *mount) : at_unmounted(key, want);
    if (why) {
      observed_.skipped.emplace(key, std::move(*why));
    } else if (mount == nullptr) {
      const auto* entry = remembered(key);
      observed_.state.emplace(
          key, Stated<Mount>{{.is_mounted = false}, {.last = entry == nullptr ? "" : entry->ours}});
      // It will be ours from the first change on, also where nobody lives to say so.
      observed_.remember.try_emplace(Mount::label(key));
    }
  }

  /// One of ours that the file does not name any more.
  void at_former(const Mount::Key& key) {
    const auto* mount = mount_at(mounts_, key.path);
    const auto space = mount == nullptr ? world_.namespaces.end() : space_of(*mount);
    if (space == world_.namespaces.end()) {
      at_former_unmounted(key);
      return;
    }
    const auto& users = view_.volume_users(key.path, mount->device);
    if (users && !users->empty()) {
      keep_remembering(key);
      auto why = not_enforced("SR-MOUNT-008",
                              "is not in the file any more, and stays mounted, since it is in use");
      why.named = fmt::format("{}: {}", why.reason, fmt::join(*users, "; "));
      observed_.skipped.emplace(key, std::move(why));
      return;
    }
    const auto* const entry = remembered(key);
    observed_.state.emplace(key, Stated<Mount>{{.nqn = space->nqn,
                                                .space = std::to_string(space->nsid),
                                                .type = mount->type,
                                                .writes = mount->writable},
                                               {.last = entry == nullptr ? "" : entry->ours}});
  }

 private:
  using Found = std::vector<host::NvmeNamespace>::const_iterator;

  [[nodiscard]] Found space_of(const host::MountInfo& mount) const {
    return std::ranges::find(world_.namespaces, mount.device, &host::NvmeNamespace::device);
  }

  [[nodiscard]] const LedgerEntry* remembered(const Mount::Key& key) const {
    return spark::kinds::remembered(context_, Mount::kName, Mount::label(key));
  }

  [[nodiscard]] std::optional<LastMount> last_mount(const Mount::Key& key) const {
    const auto* entry = remembered(key);
    return entry == nullptr ? std::nullopt : parse_last_mount(entry->ours);
  }

  void keep_remembering(const Mount::Key& key) {
    if (const auto* entry = remembered(key)) observed_.remember.emplace(Mount::label(key), *entry);
  }

  void at_former_unmounted(const Mount::Key& key) {
    const auto& unit = view_.file(unit_path(key));
    const bool foreign = mount_at(mounts_, key.path) != nullptr;
    const auto* point = foreign ? nullptr : mountpoint(key);
    const bool ours = (unit && *unit) || (point != nullptr && point->immutable);
    if (ours) {
      observed_.state.emplace(
          key, Stated<Mount>{{.is_mounted = false}, {.unit = unit ? unit->value_or("") : ""}});
    }
  }

  const host::Mountpoint* mountpoint(const Mount::Key& key) {
    const auto& point = view_.mountpoint(key.path);
    return point ? &*point : nullptr;
  }

  std::optional<Skipped> at_mounted(const Mount::Key& key, const Stated<Mount>& want,
                                    const host::MountInfo& mount) {
    const auto space = space_of(mount);
    if (mount.gone) {
      return not_enforced("SR-MOUNT-007",
                          fmt::format("its volume {} is gone for good, and every access fails: end "
                                      "what uses it, `umount {}`, and apply",
                                      mount.source, key.path));
    }
    if (space == world_.namespaces.end() || !is_meant(*space, volume_of(want))) {
      return not_enforced(
          "SR-MOUNT-003",
          fmt::format("{} ({}) is mounted there: unmount it, or choose another path", mount.source,
                      mount.type));
    }
    if (const auto why = why_not_connected(world_, want.details.connection)) {
      return Skipped{Skipped::Why::kWaiting, "SR-MOUNT-001",
                     fmt::format("is mounted, and {}", why->reason)};
    }
    const auto& unit = view_.file(unit_path(key));
    const bool kept = unit && *unit == text_of(key, want, space->wwid);
    const auto errors = space->ext4_errors.value_or(0);
    if (want.writes && (errors > 0 || (kept && !mount.writable))) {
      return not_enforced(
          "SR-MOUNT-007",
          fmt::format("{}: what was written since may be lost. End what uses it, "
                      "`umount {}`, `e2fsck -f {}`, and apply",
                      mount.writable ? fmt::format("the file system has {} errors", errors)
                                     : "the file system has turned read-only",
                      key.path, device_of(space->wwid)));
    }
    remember(key, want, mount, *space);
    auto there = want;
    there.type = mount.type;
    there.writes = mount.writable;
    there.kept = kept;
    std::erase_if(there.options, [&](const std::string& option) {
      return std::ranges::find(kShown, option) != kShown.end() &&
             std::ranges::find(mount.options, option) == mount.options.end();
    });
    observed_.state.emplace(key, std::move(there));
    return std::nullopt;
  }

  /// Reads the volume only after a new mount: an apply that changes nothing asks no device.
  void remember(const Mount::Key& key, const Mount::Value& want, const host::MountInfo& mount,
                const host::NvmeNamespace& space) {
    const auto last = last_mount(key);
    if (last && last->id == mount.id) return;
    LastMount now{.id = mount.id};
    if (want.writes) {
      const auto& superblock = view_.superblock(space.name);
      if (!superblock) return;
      now.mounted_at = superblock->mounted_at;
      now.mounts = superblock->mounts;
      now.uuid = superblock->uuid;
    }
    observed_.remember.insert_or_assign(Mount::label(key), LedgerEntry{.ours = to_text(now)});
  }

  std::optional<Skipped> at_unmounted(const Mount::Key& key, const Stated<Mount>& want) {
    const auto& point = view_.mountpoint(key.path);
    if (!point) return unreadable(point.error());
    if (point->exists && (!point->is_directory || !point->empty)) {
      return not_enforced(
          "SR-MOUNT-002",
          fmt::format("'{}' {}: choose another path, or make room there", key.path,
                      point->is_directory ? "is not empty, and the mount would hide what is in it"
                                          : "is no directory, or a symbolic link leads to it"));
    }
    // Without a volume and without a reason it is about to be connected.
    return choose_fit_volume(world_, volume_of(want), last_mount(key),
                             [&](const std::string& name) { return view_.superblock(name); })
        .why_not;
  }

  host::View& view_;
  const host::NvmeWorld& world_;
  const std::vector<host::MountInfo>& mounts_;
  const Context& context_;
  Observed<Mount>& observed_;
};

// Changes -----------------------------------------------------------------------------------------

/// `loaded`: systemd knows the unit by what is mounted there. One that it does not know is read
/// when it is started, without a reload, which takes long beside many units.
Result<> write_unit(const Mount::Key& key, const std::string& text, bool loaded, host::Host& host) {
  const auto path = unit_path(key);
  const auto old = host.files.read(path);
  if (!old) return std::unexpected(old.error());
  if (*old == text) return {};
  if (auto written = host.files.write(path, text, 0644); !written) return written;
  return loaded || *old ? host.bus.reload_units() : Result<>{};
}

/// It waits for those who hold the volume.
Waits held(std::string why, const std::string& path, const std::string& device, host::Host& host) {
  Waits waits{std::move(why)};
  const auto users = host.storage.users(path, device);
  if (users && !users->empty()) {
    waits.named = fmt::format("{}: {}", waits.why, fmt::join(*users, "; "));
  }
  return waits;
}

/// Syncs, unmounts, and proves that nobody has the device any more.
Outcome unmount(const Mount::Key& key, host::Host& host) {
  const auto mounts = host.storage.mounts();
  if (!mounts) return waits_or_fails(mounts.error());
  const auto* mount = mount_at(*mounts, key.path);
  if (mount == nullptr) return {};
  if (auto synced = host.storage.sync(key.path); !synced) {
    return Waits{fmt::format("stays mounted: {}", synced.error().what)};
  }
  const auto stopped = host.bus.stop(mount_unit(key.path), kUnmountTime);
  if (!stopped && stopped.error().code == ErrorCode::kUnsupported) {
    return std::unexpected(stopped.error());
  }
  const auto after = host.storage.mounts();
  if (!after) return waits_or_fails(after.error());
  if (mount_at(*after, key.path) != nullptr) {
    return held("stays mounted, since it is in use", key.path, mount->device, host);
  }
  const auto world = host.storage.nvme();
  if (!world) return waits_or_fails(world.error());
  const auto space =
      std::ranges::find(world->namespaces, mount->device, &host::NvmeNamespace::device);
  if (space == world->namespaces.end()) return {};
  if (auto free = host.storage.claim(space->name); !free) {
    return held(fmt::format("was unmounted here, and '/dev/{}' is still in use", space->name),
                key.path, mount->device, host);
  }
  return {};
}

Waits waits_for_volume(const Chosen& chosen) {
  return chosen.why_not ? waits_for(*chosen.why_not) : Waits{"its target is not connected"};
}

/// The volume as a plan judges it, once the kernel has found it: an earlier step may have connected
/// its target a moment ago.
Result<Chosen> await_fit_volume(const Stated<Mount>& want, const std::string& last,
                                host::Host& host) {
  const auto volume = volume_of(want);
  const auto world = host.storage.await_nvme(
      [&](const host::NvmeWorld& now) { return !is_yet_to_come(now, volume); }, kVolumeTime);
  if (!world) return std::unexpected(world.error());
  return choose_fit_volume(*world, volume, parse_last_mount(last),
                           [&](const std::string& name) { return host.storage.superblock(name); });
}

Outcome mount_volume(const Mount::Key& key, const Stated<Mount>& want,
                     const host::NvmeNamespace& volume, host::Host& host) {
  if (const auto made = host.storage.make_mountpoint(key.path); !made) {
    // Another path would do; nothing else of the plan needs it.
    const bool cannot = made.error().code == ErrorCode::kUnsupported;
    return cannot ? Waits{made.error().what} : waits_or_fails(made.error());
  }
  const auto written = write_unit(key, text_of(key, want, volume.wwid), false, host);
  if (!written) return waits_or_fails(written.error());
  if (want.writes && is_ext(want.type)) {
    // It stays active once it has run, and would not run again.
    const auto stopped = host.bus.stop(fsck_unit(device_of(volume.wwid)), kUnmountTime);
    if (!stopped) return waits_or_fails(stopped.error());
  }
  const auto started = host.bus.start(mount_unit(key.path), kMountTime);
  if (!started && started.error().code == ErrorCode::kSystem) {
    return Waits{fmt::format("{}; `journalctl -b -u {}` has the reason", started.error().what,
                             mount_unit(key.path))};
  }
  return waits_or_fails(started);
}

/// It is mounted as it should be, and only nobody keeps it: users notice nothing.
Outcome keep_mounted(const Mount::Key& key, const Stated<Mount>& want, host::Host& host) {
  const auto world = host.storage.nvme();
  if (!world) return waits_or_fails(world.error());
  const auto chosen = choose_volume(*world, volume_of(want));
  if (!chosen.volume) return waits_for_volume(chosen);
  return waits_or_fails(write_unit(key, text_of(key, want, chosen.volume->wwid), true, host));
}

Result<> forget(const Mount::Key& key, host::Host& host) {
  const auto path = unit_path(key);
  const auto unit = host.files.read(path);
  if (!unit) return std::unexpected(unit.error());
  if (*unit) {
    if (auto removed = host.files.remove(path); !removed) return removed;
    if (auto reloaded = host.bus.reload_units(); !reloaded) return reloaded;
  }
  return host.storage.release_mountpoint(key.path);
}

/// As one that the file names no more, and that somebody has unmounted.
Result<> leave_unmounted(const Mount::Key& key, const std::string& unit, host::Host& host) {
  if (auto made = host.storage.make_mountpoint(key.path); !made) {
    return std::unexpected(made.error());
  }
  return unit.empty() ? Result<>{} : write_unit(key, unit, true, host);
}

}  // namespace

Desired<Mount> Mount::desired(const config::Node& node) {
  Desired<Mount> desired;
  for (const auto& target : node.storage) {
    for (const auto& mount : target.mounts) {
      Stated<Mount> value{{.nqn = target.nqn.value, .type = mount.type.value},
                          {.connection = connection_key(target)}};
      if (const auto& space = mount.nvme_namespace) {
        const auto* number = std::get_if<std::uint32_t>(&space->value);
        value.space = number != nullptr ? std::to_string(*number)
                                        : ascii_lower(std::get<std::string>(space->value));
      }
      for (const auto& option : mount.options) {
        // What we say ourselves, and what says nothing.
        if (option.value != "ro" && option.value != "rw" && option.value != "_netdev" &&
            option.value != "nofail" && option.value != "defaults" && option.value != "noload") {
          value.options.push_back(option.value);
        }
      }
      std::ranges::sort(value.options);
      value.writes = mount.read_write && mount.read_write->value == node.name;
      desired.want({mount.path.value}, std::move(value), {mount.where});
    }
  }
  return desired;
}

Result<Observed<Mount>> Mount::observe(host::View& view, const Desired<Mount>& wanted,
                                       const Context& context) {
  Observed<Mount> observed;
  const auto& ours = entries_of(context.ledger, kName);
  if (wanted.state.empty() && ours.empty()) return observed;
  const auto& world = view.nvme();
  if (!world) return std::unexpected(world.error());
  const auto& mounts = view.mounts();
  if (!mounts) return std::unexpected(mounts.error());
  if (const auto why = without_storage(view, *world)) {
    for (const auto& [key, value] : wanted.state) observed.skipped.emplace(key, *why);
    observed.remember = ours;
    return observed;
  }
  MountObserver observer(view, *world, *mounts, context, observed);
  for (const auto& [key, value] : wanted.state) observer.at_wanted(key, value);
  for (const auto& [path, entry] : ours) {
    if (!wanted.state.contains({path})) observer.at_former({path});
  }
  return observed;
}

std::vector<std::string> Mount::files(const Change<Mount>& change) {
  return {unit_path(change.key)};
}

Outcome Mount::apply(const Change<Mount>& change, host::Host& host) {
  const auto& [key, before, after] = change;
  if (!after || !after->is_mounted) {
    if (auto gone = unmount(key, host); !is_done(gone)) return gone;
    const bool had_unit = after && after->details.unit;
    return waits_or_fails(had_unit ? leave_unmounted(key, *after->details.unit, host)
                                   : forget(key, host));
  }
  if (before && differ_in_unit_alone(*before, *after)) return keep_mounted(key, *after, host);
  if (before && before->is_mounted) {
    // Before the volume is judged: one that is mounted to be written reads as unclean until then,
    // and a rollback does not know what it looked like when it was mounted.
    if (auto gone = unmount(key, host); !is_done(gone)) return gone;
  }
  const auto chosen = await_fit_volume(*after, before ? before->details.last : "", host);
  if (!chosen) return waits_or_fails(chosen.error());
  return chosen->volume ? mount_volume(key, *after, *chosen->volume, host)
                        : waits_for_volume(*chosen);
}

std::string Mount::label(const Value& value) {
  if (!value.is_mounted) return "not mounted";
  return fmt::format(
      "{}{}, {}{}{}{}", value.nqn, value.space.empty() ? "" : " " + value.space, value.type,
      value.writes ? ", read-write" : ", read-only",
      value.options.empty() ? "" : fmt::format(", {}", fmt::join(value.options, ",")),
      value.kept ? "" : ", by no unit of ours");
}

}  // namespace spark::kinds
