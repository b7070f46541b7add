#include "kinds/sysctl/sysctl_boot.hpp"

#include <algorithm>
#include <ranges>
#include <string_view>

#include <fmt/format.h>
#include <fnmatch.h>

#include "base/text.hpp"
#include "kinds/common/conf_files.hpp"

namespace spark::kinds {
namespace {

constexpr std::string_view kLastFile = "/etc/sysctl.conf";

bool is_pattern(const std::string& key) { return key.find_first_of("*?[") != std::string::npos; }

std::vector<SysctlLine> parse_lines(const std::string& text, const std::string& file) {
  std::vector<SysctlLine> lines;
  each_conf_line(text, [&](std::string_view line, int number) {
    const auto equals = line.find('=');
    const bool assigns = equals != std::string_view::npos;
    if (!assigns && line[0] != '-') return;
    auto key = trim(line.substr(0, equals));
    if (key.starts_with('-')) key = trim(key.substr(1));
    if (auto path = host::sysctl_file(key)) {
      lines.push_back({std::move(*path),
                       assigns ? fold_blanks(trim(line.substr(equals + 1))) : std::string(), file,
                       number});
    }
  });
  return lines;
}

}  // namespace

Result<BootSysctls> BootSysctls::read(host::View& view) {
  auto paths = conf_paths(view, conf_directories("sysctl.d"));
  if (!paths) return std::unexpected(paths.error());
  paths->emplace_back(kLastFile);
  auto read = read_conf_files(view, *paths);
  if (!read) return std::unexpected(read.error());
  BootSysctls boot;
  boot.skipped_ = std::move(read->skipped);
  for (const auto& [path, text] : read->files) {
    for (auto& line : parse_lines(text, path)) {
      if (path == kSysctlFile) boot.ours_.insert_or_assign(line.key, line);
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
  const auto path = host::sysctl_file(key).value_or(key);
  if (const auto named = named_.find(path); named != named_.end()) return &named->second;
  const auto reversed = std::views::reverse(patterns_);
  const auto match = std::ranges::find_if(reversed, [&](const SysctlLine& line) {
    return fnmatch(line.key.c_str(), path.c_str(), FNM_PATHNAME) == 0;
  });
  return match == reversed.end() ? nullptr : &*match;
}

const SysctlLine* BootSysctls::later_than_ours(const std::string& key) const {
  const auto named = named_.find(host::sysctl_file(key).value_or(key));
  if (named == named_.end() || named->second.file == kSysctlFile) return nullptr;
  const auto& file = named->second.file;
  return file == kLastFile || file_name(file) > file_name(kSysctlFile) ? &named->second : nullptr;
}

const SysctlLine* BootSysctls::ours(const std::string& key) const {
  const auto found = ours_.find(host::sysctl_file(key).value_or(key));
  return found == ours_.end() ? nullptr : &found->second;
}

std::vector<std::string> BootSysctls::our_keys() const {
  const auto keys = std::views::keys(ours_);
  return {keys.begin(), keys.end()};
}

std::vector<SysctlLine> BootSysctls::named() const {
  const auto lines = std::views::values(named_);
  return {lines.begin(), lines.end()};
}

std::string with_sysctl_line(const std::string& text, const std::string& key,
                             const std::optional<std::string>& value) {
  std::map<std::string, std::string> values;
  for (auto& line : parse_lines(text, kSysctlFile)) {
    values.insert_or_assign(std::move(line.key), std::move(line.value));
  }
  const auto path = host::sysctl_file(key).value_or(key);
  values.erase(path);
  if (value) values.emplace(path, *value);
  if (values.empty()) return {};
  std::string result(kOurHeader);
  for (const auto& [name, set] : values) result += fmt::format("{} = {}\n", name, set);
  return result;
}

}  // namespace spark::kinds
