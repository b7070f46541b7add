#include "host/linux/linux_processes.hpp"

#include <algorithm>
#include <ranges>

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/handle.hpp"
#include "host/process/file_io.hpp"

namespace spark::host {
namespace {

constexpr std::string_view kRoot = "/sys/fs/cgroup";
constexpr std::size_t kMostOfOneGroup = 4;
/// Far deeper than slices are nested; the kernel sets no limit of its own.
constexpr int kDeepest = 16;

Result<MemlockLimit> memlock_of(std::string_view pid) {
  const auto path = fmt::format("/proc/{}/limits", pid);
  const auto text = read_proc(path);
  if (!text) return std::unexpected(text.error());
  const auto limit = parse_memlock_limit(*text);
  return limit
             ? Result<MemlockLimit>(*limit)
             : fail(ErrorCode::kSystem, fmt::format("read '{}': no limit of locked memory", path));
}

/// The group's own entry, not those below it; none where it is empty or has just ended.
void add_group(const std::string& path, std::vector<ProcessGroup>& groups) {
  const auto processes = read_proc(fmt::format("{}{}/cgroup.procs", kRoot, path));
  if (!processes) return;
  std::vector<MemlockLimit> limits;
  for (const auto line : std::views::split(*processes, '\n')) {
    const std::string_view pid(line.begin(), line.end());
    if (const auto limit = pid.empty() ? std::unexpected(Error{}) : memlock_of(pid)) {
      limits.push_back(*limit);
    }
    if (limits.size() == kMostOfOneGroup) break;
  }
  if (!limits.empty()) {
    const auto largest = std::ranges::max(limits, {}, &MemlockLimit::soft);
    groups.push_back({.path = path, .memlock_soft = largest.soft, .memlock_hard = largest.hard});
  }
}

std::vector<std::string> groups_below(const std::string& path) {
  const Handle<DIR, closedir> stream(opendir(fmt::format("{}{}", kRoot, path).c_str()));
  std::vector<std::string> names;
  while (const auto* entry = stream ? readdir(stream.get()) : nullptr) {
    const std::string_view name = entry->d_name;
    if (entry->d_type == DT_DIR && name != "." && name != "..") names.emplace_back(name);
  }
  std::ranges::sort(names);
  return names;
}

void add_tree(const std::string& path, int depth, std::vector<ProcessGroup>& groups) {
  add_group(path, groups);
  if (depth == kDeepest) return;
  for (const auto& name : groups_below(path)) {
    add_tree(fmt::format("{}/{}", path, name), depth + 1, groups);
  }
}

}  // namespace

Result<std::vector<ProcessGroup>> LinuxProcesses::groups() {
  if (access(fmt::format("{}/cgroup.controllers", kRoot).c_str(), F_OK) != 0) {
    return fail(ErrorCode::kUnsupported,
                fmt::format("look at running processes: no unified control groups at '{}'", kRoot));
  }
  // PID 1 is there, so if it cannot be seen, others cannot be either.
  if (const auto init = memlock_of("1"); !init) {
    return fail(ErrorCode::kPermission,
                "look at running processes: those of others are hidden; run it as root");
  }
  std::vector<ProcessGroup> groups;
  for (const auto& name : groups_below("")) {
    if (name.ends_with(".slice") || name == "init.scope") add_tree("/" + name, 1, groups);
  }
  return groups;
}

Result<std::optional<RunningProcess>> LinuxProcesses::process(std::uint32_t pid) {
  const auto directory = fmt::format("/proc/{}", pid);
  const auto name = read_proc(directory + "/comm");
  const auto status = read_proc(directory + "/status");
  for (const auto* text : {&name, &status}) {
    if (*text) continue;
    // Also one that ends between the opening and the reading (ESRCH).
    if (access(directory.c_str(), F_OK) != 0) return std::nullopt;
    return std::unexpected(text->error());
  }
  const auto groups = read_proc(directory + "/cgroup").value_or("");
  const auto group = group_of_process(groups);
  return RunningProcess{.pid = pid,
                        .name = name->substr(0, name->find('\n')),
                        .user = user_of_status(*status, read_proc("/etc/passwd").value_or("")),
                        .container = container_of_group(group),
                        .unit = std::string(unit_of_group(group))};
}

std::optional<ProcessPlace> LinuxProcesses::place(std::uint32_t pid) {
  return parse_process_stat(read_proc(fmt::format("/proc/{}/stat", pid)).value_or(""),
                            static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK)));
}

}  // namespace spark::host
