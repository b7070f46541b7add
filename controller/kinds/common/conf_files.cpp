#include "kinds/common/conf_files.hpp"

#include <ranges>

#include <fmt/format.h>

#include "base/text.hpp"

namespace spark::kinds {

std::array<std::string, 4> conf_directories(std::string_view name) {
  return {fmt::format("/etc/{}", name), fmt::format("/run/{}", name),
          fmt::format("/usr/local/lib/{}", name), fmt::format("/usr/lib/{}", name)};
}

Result<std::vector<std::string>> conf_paths(host::View& view,
                                            std::span<const std::string> directories) {
  std::map<std::string, std::string> by_name;
  for (const auto& directory : directories) {
    const auto& names = view.directory(directory);
    if (!names) return std::unexpected(names.error());
    for (const auto& name : *names) {
      if (name.ends_with(".conf")) by_name.try_emplace(name, fmt::format("{}/{}", directory, name));
    }
  }
  const auto paths = std::views::values(by_name);
  return std::vector<std::string>(paths.begin(), paths.end());
}

Result<ConfFiles> read_conf_files(host::View& view, const std::vector<std::string>& paths) {
  ConfFiles read;
  for (const auto& path : paths) {
    const auto& text = view.file(path);
    if (!text && text.error().code == ErrorCode::kInvalid) {
      read.skipped.emplace(path, text.error().what);  // a directory, a device, a loop of links
      continue;
    }
    if (!text) return std::unexpected(text.error());
    if (*text) read.files.push_back({path, **text});
  }
  return read;
}

void each_conf_line(std::string_view text,
                    const std::function<void(std::string_view line, int number)>& visit) {
  int number = 0;
  for (const auto whole : lines_of(text)) {
    ++number;
    const auto line = trim(whole);
    if (!line.empty() && line[0] != '#' && line[0] != ';') visit(line, number);
  }
}

std::string_view assigned(std::string_view text, std::string_view key) {
  for (const auto line : lines_of(text)) {
    if (line.starts_with(key)) return line.substr(key.size());
  }
  return {};
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const auto first = text.find_first_not_of(kBlanks);
  return first == std::string_view::npos
             ? std::string_view()
             : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

void each_key(std::string_view text, const std::function<void(const KeyFileLine&)>& visit) {
  KeyFileLine found;
  for (const auto whole : lines_of(text)) {
    ++found.number;
    const auto line = trim(whole);
    if (line.empty() || line.starts_with('#')) continue;
    if (line.starts_with('[') && line.ends_with(']')) {
      found.group = line.substr(1, line.size() - 2);
      found.key = found.value = {};
      visit(found);
    } else if (const auto equals = line.find('='); equals != std::string_view::npos) {
      found.key = trim(line.substr(0, equals));
      found.value = trim(line.substr(equals + 1));
      visit(found);
    }
  }
}

}  // namespace spark::kinds
