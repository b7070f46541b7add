#include "resource/sysctl_boot.hpp"

#include <algorithm>
#include <array>
#include <ranges>
#include <string_view>

#include <fmt/format.h>
#include <fnmatch.h>

#include "base/text.hpp"

namespace spark {
namespace {

constexpr std::array kDirectories = {"/etc/sysctl.d", "/run/sysctl.d", "/usr/local/lib/sysctl.d",
                                     "/usr/lib/sysctl.d"};
constexpr std::string_view kLastFile = "/etc/sysctl.conf";
constexpr const char* kHeader =
    "# Written by spark-reconcile from cluster.yaml; edits here are drift and are undone.\n";

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const auto first = text.find_first_not_of(kBlanks);
  return first == std::string_view::npos
             ? std::string_view()
             : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

bool is_pattern(const std::string& key) { return key.find_first_of("*?[") != std::string::npos; }

std::vector<SysctlLine> parse_lines(const std::string& text, const std::string& file) {
  std::vector<SysctlLine> lines;
  int number = 0;
  for (const auto part : std::views::split(text, '\n')) {
    ++number;
    const auto line = trim(std::string_view(part.begin(), part.end()));
    const auto equals = line.find('=');
    const bool assigns = equals != std::string_view::npos;
    if (line.empty() || line[0] == '#' || line[0] == ';' || (!assigns && line[0] != '-')) {
      continue;
    }
    auto key = trim(line.substr(0, equals));
    if (key.starts_with('-')) {
      key = trim(key.substr(1));
    }
    if (auto path = sysctl_file(key)) {
      lines.push_back({std::move(*path),
                       assigns ? fold_blanks(trim(line.substr(equals + 1))) : std::string(), file,
                       number});
    }
  }
  return lines;
}

/// Paths of the files that count, in the order in which they are applied.
Result<std::vector<std::string>> files_in_order(View& view) {
  std::map<std::string, std::string> by_name;
  for (const auto* directory : kDirectories) {
    const auto& names = view.directory(directory);
    if (!names) return std::unexpected(names.error());
    for (const auto& name : *names) {
      if (name.ends_with(".conf")) {
        by_name.try_emplace(name, fmt::format("{}/{}", directory, name));
      }
    }
  }
  std::vector<std::string> paths;
  std::ranges::copy(std::views::values(by_name), std::back_inserter(paths));
  paths.emplace_back(kLastFile);
  return paths;
}

}  // namespace

Result<BootSysctls> BootSysctls::read(View& view) {
  const auto paths = files_in_order(view);
  if (!paths) return std::unexpected(paths.error());
  BootSysctls boot;
  for (const auto& path : *paths) {
    const auto& text = view.file(path);
    // A directory, a device, a loop of links: systemd-sysctl(8) goes on without it too.
    if (!text && text.error().code == ErrorCode::kInvalid) {
      boot.skipped_.emplace(path, text.error().what);
      continue;
    }
    if (!text) return std::unexpected(text.error());
    if (!*text) {
      continue;
    }
    for (auto& line : parse_lines(**text, path)) {
      if (path == kSysctlFile) {
        boot.ours_.insert_or_assign(line.key, line);
      }
      if (is_pattern(line.key)) {
        boot.patterns_.push_back(std::move(line));
      } else {
        boot.named_.insert_or_assign(line.key, line);
      }
    }
  }
  return boot;
}

const SysctlLine* BootSysctls::winner(const std::string& key) const {
  const auto path = sysctl_file(key).value_or(key);
  if (const auto named = named_.find(path); named != named_.end()) {
    return &named->second;
  }
  const auto reversed = std::views::reverse(patterns_);
  const auto match = std::ranges::find_if(reversed, [&](const SysctlLine& line) {
    return fnmatch(line.key.c_str(), path.c_str(), FNM_PATHNAME) == 0;
  });
  return match == reversed.end() ? nullptr : &*match;
}

const SysctlLine* BootSysctls::later_than_ours(const std::string& key) const {
  const auto named = named_.find(sysctl_file(key).value_or(key));
  if (named == named_.end() || named->second.file == kSysctlFile) {
    return nullptr;
  }
  const auto& file = named->second.file;
  const auto base_name = [](std::string_view path) { return path.substr(path.rfind('/') + 1); };
  return file == kLastFile || base_name(file) > base_name(kSysctlFile) ? &named->second : nullptr;
}

const SysctlLine* BootSysctls::ours(const std::string& key) const {
  const auto found = ours_.find(sysctl_file(key).value_or(key));
  return found == ours_.end() ? nullptr : &found->second;
}

std::vector<std::string> BootSysctls::our_keys() const {
  const auto keys = std::views::keys(ours_);
  return {keys.begin(), keys.end()};
}

std::string with_sysctl_line(const std::string& text, const std::string& key,
                             const std::optional<std::string>& value) {
  std::map<std::string, std::string> values;
  for (auto& line : parse_lines(text, kSysctlFile)) {
    values.insert_or_assign(std::move(line.key), std::move(line.value));
  }
  const auto path = sysctl_file(key).value_or(key);
  values.erase(path);
  if (value) {
    values.emplace(path, *value);
  }
  if (values.empty()) {
    return {};
  }
  std::string result = kHeader;
  for (const auto& [name, set] : values) {
    result += fmt::format("{} = {}\n", name, set);
  }
  return result;
}

}  // namespace spark
