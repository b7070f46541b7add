#include "host/running_process.hpp"

#include <algorithm>
#include <array>
#include <ranges>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "host/process/helper_program.hpp"
#include "host/process/passwd.hpp"

namespace spark::host {
namespace {

constexpr std::size_t kIdLength = 64;
constexpr std::size_t kShownOfId = 12;  // as `docker ps` has it

bool is_container_id(std::string_view text) {
  return text.size() == kIdLength && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

/// The names of control groups by runtime: PREFIX-ID.scope with systemd's driver.
constexpr std::array kRuntimes{
    std::pair<std::string_view, std::string_view>{"docker-", "docker"},
    std::pair<std::string_view, std::string_view>{"libpod-", "podman"},
    std::pair<std::string_view, std::string_view>{"cri-containerd-", "containerd"},
    std::pair<std::string_view, std::string_view>{"crio-", "cri-o"},
};

std::string container_text(std::string_view runtime, std::string_view id) {
  return fmt::format("{} {}", runtime, id.substr(0, kShownOfId));
}

}  // namespace

std::string text_of(const RunningProcess& process) {
  auto text = fmt::format("{} (pid {})", process.name, process.pid);
  if (!process.user.empty()) text += " of " + process.user;
  const auto& place = process.container.empty() ? process.unit : process.container;
  return place.empty() ? text : text + " in " + place;
}

bool is_own_probe(const RunningProcess& process) {
  constexpr std::size_t kLongestComm = 15;  // TASK_COMM_LEN of the kernel, without its NUL
  return process.name == name_of(Helper::kVerbsProbe).substr(0, kLongestComm);
}

std::string user_of_status(std::string_view status, std::string_view passwd) {
  // Uid: real, effective, saved, of the file system; with tabs between.
  constexpr std::string_view kUid = "Uid:\t";
  for (const auto line : lines_of(status)) {
    if (!line.starts_with(kUid)) continue;
    const auto real_end = line.find('\t', kUid.size());
    if (real_end == std::string_view::npos) return {};
    const auto uid = line.substr(real_end + 1, line.find('\t', real_end + 1) - real_end - 1);
    const auto name = user_name(uid, passwd);
    return name ? std::string(*name) : fmt::format("user {}", uid);
  }
  return {};
}

std::string group_of_process(std::string_view text) {
  // HIERARCHY:CONTROLLERS:PATH; v2 is hierarchy 0.
  std::string_view found;
  for (const auto line : lines_of(text)) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const auto path = line.substr(second + 1);
    const auto controllers = line.substr(first + 1, second - first - 1);
    const bool is_own = controllers.empty() || controllers == "name=systemd";
    if (found.empty() || (is_own && path != "/")) found = path;
  }
  return std::string(found);
}

std::string container_of_group(std::string_view path) {
  std::string_view parent;
  for (const auto range : std::views::split(path, '/')) {
    const std::string_view part(range.begin(), range.end());
    for (const auto& [prefix, runtime] : kRuntimes) {
      if (!part.starts_with(prefix)) continue;
      const auto id = part.substr(prefix.size(), kIdLength);
      if (is_container_id(id)) return container_text(runtime, id);
    }
    // Docker's other driver, cgroupfs: /docker/ID.
    if (parent == "docker" && is_container_id(part)) return container_text(parent, part);
    parent = part;
  }
  return {};
}

}  // namespace spark::host
