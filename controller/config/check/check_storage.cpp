// Storage: one writer a filesystem, and mount paths that are safe to mount on.

#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "config/check/check_sections.hpp"

namespace spark::config {
namespace {

/// Each path is the system's, and all that is below it.
constexpr std::array<std::string_view, 14> kSystemTrees{
    "/bin",  "/boot", "/dev",  "/etc", "/lib", "/lib32",  "/lib64",
    "/proc", "/run",  "/sbin", "/sys", "/usr", "/libx32", "/lost+found"};
/// These hold other things, so only what is below them can be mounted on.
constexpr std::array<std::string_view, 6> kSystemFolders{"/",     "/home", "/opt",
                                                         "/root", "/tmp",  "/var"};

bool is_normalised(std::string_view path) {
  if (path.size() > 1 && path.ends_with('/')) return false;
  for (path.remove_prefix(1); !path.empty();) {
    const auto part = path.substr(0, path.find('/'));
    if (part.empty() || part == "." || part == "..") return false;
    path.remove_prefix(std::min(part.size() + 1, path.size()));
  }
  return true;
}

bool is_of_system(std::string_view path) {
  return std::ranges::find(kSystemFolders, path) != kSystemFolders.end() ||
         std::ranges::any_of(kSystemTrees, [&](std::string_view tree) {
           return path.starts_with(tree) &&
                  (path.size() == tree.size() || path[tree.size()] == '/');
         });
}

void check_path(const At<std::string>& path, Findings& findings) {
  check_normalised(path, findings);
  if (!is_of_system(path.value)) return;
  findings.add(SpecId::kMountPath, path.where,
               fmt::format("path {} belongs to the system", in_quotes(path.value)),
               "mounting there would hide what the machine runs on: use a path of its own, as "
               "/mnt/data");
}

void check_options(const MountSpec& mount, Findings& findings) {
  for (const auto& [option, where] : mount.options) {
    const bool writes = option == "rw" && !mount.read_only.empty();
    const bool reads = option == "ro" && mount.read_write;
    if (!writes && !reads) continue;
    findings.add(
        SpecId::kMountOptions, where,
        fmt::format("option '{}' contradicts '{}'", option, reads ? "read_write" : "read_only"),
        "'ro' and 'rw' follow from read_write and read_only: delete the option",
        {{reads ? mount.read_write->where : mount.read_only.front().where,
          "the other word is here"}});
  }
}

/// Who mounts one filesystem, in the order of the file.
struct Users {
  std::vector<At<std::string>> writers;
  std::vector<At<std::string>> readers;
};

void check_users(const Users& users, Findings& findings) {
  const auto refuse = [&](const At<std::string>& user, std::string message,
                          std::vector<Related> related) {
    related.push_back({users.writers.front().where, "the writer is here"});
    findings.add(SpecId::kTwoWriters, user.where, std::move(message),
                 "ext4, xfs and the like are no cluster filesystems: a second writer destroys "
                 "them, and a reader\nbeside a writer sees garbage; one node read-write and no "
                 "other, or all of them read-only",
                 std::move(related));
  };
  if (users.writers.empty()) return;
  for (auto writer = users.writers.begin() + 1; writer != users.writers.end(); ++writer) {
    refuse(*writer,
           fmt::format("a filesystem with two writers, {} and {}",
                       in_quotes(users.writers.front().value), in_quotes(writer->value)),
           {});
  }
  if (users.readers.empty()) return;
  std::vector<Related> others;
  for (auto reader = users.readers.begin() + 1; reader != users.readers.end(); ++reader) {
    others.push_back({reader->where, "read here too"});
  }
  const auto& first = users.readers.front();
  refuse(first,
         fmt::format("{} reads a filesystem that {} writes", in_quotes(first.value),
                     in_quotes(users.writers.front().value)),
         std::move(others));
}

std::string namespace_text(const MountSpec& mount) {
  if (!mount.nvme_namespace) return {};
  const auto& value = mount.nvme_namespace->value;
  if (const auto* number = std::get_if<std::uint32_t>(&value)) return std::to_string(*number);
  return ascii_lower(std::get<std::string>(value));
}

class StorageCheck {
 public:
  StorageCheck(const Cluster& cluster, Findings& findings)
      : cluster_(cluster), findings_(findings) {}

  void run() {
    for (const NvmeTarget& target : cluster_.storage) {
      check_target(target);
      for (const MountSpec& mount : target.mounts) check_mount(target, mount);
    }
    for (const auto& [filesystem, users] : filesystems_) check_users(users, findings_);
  }

 private:
  void check_target(const NvmeTarget& target) {
    if (target.secret_file) check_normalised(*target.secret_file, findings_);
    if (target.nqn.value.empty()) return;
    const auto [first, is_new] = targets_.try_emplace(
        {target.nqn.value, target.address.value, target.port.value}, target.nqn.where);
    if (is_new) return;
    findings_.add(SpecId::kTargetTwice, target.nqn.where,
                  fmt::format("target {} stands here twice", in_quotes(target.nqn.value)),
                  "put the mounts of both under one item", {{first->second, "first here"}});
  }

  void check_mount(const NvmeTarget& target, const MountSpec& mount) {
    check_path(mount.path, findings_);
    warn_about_type(mount);
    check_options(mount, findings_);
    Users& users = users_of(target, mount);
    if (mount.read_write) {
      check_user(mount, *mount.read_write);
      users.writers.push_back(*mount.read_write);
    }
    for (const auto& reader : mount.read_only) {
      check_user(mount, reader);
      users.readers.push_back(reader);
    }
    if (!mount.read_write && mount.read_only.empty() && !findings_.structure_is_broken()) {
      findings_.add(SpecId::kMountedNowhere, mount.path.where,
                    fmt::format("no node mounts {}", in_quotes(mount.path.value)),
                    "name one under read_write, or some under read_only");
    }
  }

  void warn_about_type(const MountSpec& mount) {
    constexpr std::array<std::string_view, 3> kWritten{"ext4", "ext3", "ext2"};
    const bool is_written = std::ranges::find(kWritten, mount.type.value) != kWritten.end();
    if (!mount.read_write || mount.type.value.empty() || is_written) return;
    findings_.add(
        SpecId::kReadOnlyType, mount.type.where,
        fmt::format("{} is not mounted for writing", in_quotes(mount.type.value)),
        "this version writes ext4 alone, and mounts this on no node that writes: use ext4, or "
        "read_only",
        {{mount.read_write->where, "the writer is here"}});
  }

  /// A mount without a namespace is of the target's only one, whatever number another names.
  Users& users_of(const NvmeTarget& target, const MountSpec& mount) {
    const auto same_target = filesystems_.lower_bound({target.nqn.value, ""});
    const std::string space = namespace_text(mount);
    const bool other_is_only = same_target != filesystems_.end() &&
                               same_target->first.first == target.nqn.value &&
                               (space.empty() || same_target->first.second.empty());
    return other_is_only ? same_target->second : filesystems_[{target.nqn.value, space}];
  }

  void check_user(const MountSpec& mount, const At<std::string>& node) {
    static_cast<void>(known_node(cluster_, findings_, node.value, node.where));  // for its report
    const auto [first, is_new] =
        paths_.try_emplace({node.value, mount.path.value}, mount.path.where);
    if (is_new || first->second == mount.path.where || mount.path.value.empty()) return;
    findings_.add(SpecId::kMountPathTwice, mount.path.where,
                  fmt::format("{} has two filesystems on {}", in_quotes(node.value),
                              in_quotes(mount.path.value)),
                  "choose another path for one of them", {{first->second, "first here"}});
  }

  const Cluster& cluster_;
  Findings& findings_;
  std::map<std::tuple<std::string, IpAddress, std::uint16_t>, Where> targets_;
  std::map<std::pair<std::string, std::string>, Users> filesystems_;  ///< by NQN and namespace
  std::map<std::pair<std::string, std::string>, Where> paths_;        ///< by node and path
};

}  // namespace

void check_normalised(const At<std::string>& path, Findings& findings) {
  if (path.value.empty() || is_normalised(path.value)) return;
  findings.add(SpecId::kMountPath, path.where,
               fmt::format("path {} is not normalised", in_quotes(path.value)),
               "write it without '//', '.', '..' and a '/' at its end");
}

void check_storage(const Checked& checked, Findings& findings) {
  StorageCheck(checked.cluster, findings).run();
}

}  // namespace spark::config
