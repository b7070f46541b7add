#include <algorithm>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/text.hpp"
#include "base/units.hpp"
#include "host/linux/mount_table.hpp"
#include "host/process/file_io.hpp"

namespace spark::host {
namespace {

constexpr std::size_t kMostUsers = 8;

bool lies_below(std::string_view file, std::string_view path) {
  return file == path || (file.starts_with(path) && file.substr(path.size()).starts_with('/'));
}

/// As /proc/PID/maps writes a device: "103:00003" is "67:03" there, hexadecimal.
std::string device_in_maps(const std::string& device) {
  const std::string_view numbers = device;
  const auto colon = numbers.find(':');
  if (colon == std::string_view::npos) return "none";
  return fmt::format(" {:02x}:{:02x} ", number_in<unsigned>(numbers.substr(0, colon)).value_or(0),
                     number_in<unsigned>(numbers.substr(colon + 1)).value_or(0));
}

/// What a process does with the volume; empty: nothing.
std::string use_of(const std::string& process, const std::string& path, const std::string& source,
                   const std::string& device) {
  if (lies_below(link_target(process + "/cwd"), path)) return "its working directory";
  if (lies_below(link_target(process + "/root"), path)) return "its root directory";
  if (lies_below(link_target(process + "/exe"), path)) return "its own program";
  for (const auto& name : names_in(process + "/fd")) {
    const auto target = link_target(fmt::format("{}/fd/{}", process, name));
    if (lies_below(target, path)) return "an open file";
    if (!source.empty() && target == source) return "the block device";
  }
  const auto maps = read_proc(process + "/maps");
  return maps && maps->find(device_in_maps(device)) != std::string::npos ? "a mapped file" : "";
}

/// The mount table of a process, as far as it is about the device.
std::vector<MountInfo> mounts_of(const std::string& process, const std::string& device) {
  auto mounts = parse_mountinfo(read_proc(process + "/mountinfo").value_or(""));
  if (!mounts) return {};
  std::erase_if(*mounts, [&](const MountInfo& mount) { return mount.device != device; });
  return *std::move(mounts);
}

/// The mount goes with one of ours: a service's own namespace is most often such a slave.
bool follows(const MountInfo& mount, const std::vector<MountInfo>& ours) {
  return std::ranges::any_of(ours, [&](const MountInfo& own) {
    return own.shared != 0 && (own.shared == mount.master || own.shared == mount.shared);
  });
}

}  // namespace

std::vector<std::string> find_volume_users(const std::string& proc, const std::string& path,
                                           const std::string& device) {
  std::vector<std::string> users;
  const auto own_namespace = link_target(proc + "/self/ns/mnt");
  std::set<std::string> seen{own_namespace};
  const auto ours = mounts_of(proc + "/self", device);
  const auto block = link_target(fmt::format("/sys/dev/block/{}", device));
  const auto source = block.empty() ? "" : "/dev/" + block.substr(block.rfind('/') + 1);
  for (const auto& name : names_in(proc)) {
    if (name.find_first_not_of("0123456789") != std::string::npos || users.size() >= kMostUsers) {
      continue;
    }
    const auto process = fmt::format("{}/{}", proc, name);
    const auto program = read_proc(process + "/comm").value_or("?");
    const auto who =
        fmt::format("process {} ({})", name, printable(program.substr(0, program.find('\n')), 32));
    if (const auto use = use_of(process, path, source, device); !use.empty()) {
      users.push_back(fmt::format("{}: {}", who, use));
    }
    const auto its_namespace = link_target(process + "/ns/mnt");
    if (its_namespace.empty() || !seen.insert(its_namespace).second) continue;
    const auto theirs = mounts_of(process, device);
    if (std::ranges::any_of(theirs, [&](const auto& mount) { return !follows(mount, ours); })) {
      users.push_back(who + ": a mount in its own mount namespace, as a container's");
    }
  }
  return users;
}

}  // namespace spark::host
