#include "host/unit_files.hpp"

#include <array>
#include <map>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "base/text.hpp"

namespace spark::host {
namespace {

/// What hides first. Transient units have their file, and drop-ins, in /run/systemd/transient.
constexpr std::array<std::string_view, 5> kPlaces = {
    "/etc/systemd/system", "/run/systemd/transient", "/run/systemd/system",
    "/usr/local/lib/systemd/system", "/usr/lib/systemd/system"};

/// "a@b.service" is made from "a@.service"; empty: the unit has no instance name.
std::string template_of(const std::string& unit) {
  const auto at = unit.find('@');
  const auto dot = unit.rfind('.');
  return at == std::string::npos || at > dot ? std::string()
                                             : unit.substr(0, at + 1) + unit.substr(dot);
}

void add_settings(const std::string& text, const std::string& file, const std::string& key,
                  std::vector<UnitSetting>& settings) {
  bool in_service = false;
  int number = 0;
  for (const auto whole : lines_of(text)) {
    ++number;
    const auto line = fold_blanks(whole);
    if (line.starts_with('[')) {
      in_service = line == "[Service]";
      continue;
    }
    const auto equals = line.find('=');
    if (in_service && equals != std::string::npos && fold_blanks(line.substr(0, equals)) == key) {
      settings.push_back({fold_blanks(line.substr(equals + 1)), file, number});
    }
  }
}

Result<std::optional<std::string>> find_unit_file(Files& files, const std::string& unit,
                                                  std::string& path) {
  for (const auto& name : {unit, template_of(unit)}) {
    if (name.empty()) continue;
    for (const auto place : kPlaces) {
      path = fmt::format("{}/{}", place, name);
      auto text = files.read(path);
      if (!text || *text) return text;
    }
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> drop_in_directories(const std::string& unit) {
  std::vector<std::string> names{unit};
  if (auto common = template_of(unit); !common.empty()) names.push_back(std::move(common));
  const auto dot = unit.rfind('.');
  const auto type = unit.substr(dot + 1);
  for (auto dash = unit.rfind('-', dot); dash != std::string::npos && dash > 0;
       dash = unit.rfind('-', dash - 1)) {
    names.push_back(fmt::format("{}.{}", unit.substr(0, dash + 1), type));
  }
  names.push_back(type);
  for (auto& name : names) name += ".d";
  return names;
}

Result<std::vector<UnitSetting>> read_unit_settings(Files& files, const std::string& unit,
                                                    const std::string& key) {
  std::string path;
  const auto own = find_unit_file(files, unit, path);
  if (!own) return std::unexpected(own.error());
  if (!*own) return fail(ErrorCode::kNotFound, fmt::format("there is no unit file of '{}'", unit));
  std::vector<UnitSetting> settings;
  add_settings(**own, path, key, settings);
  std::map<std::string, std::string> drop_ins;  // path by file name: the first one hides the others
  for (const auto& directory : drop_in_directories(unit)) {
    for (const auto place : kPlaces) {
      const auto folder = fmt::format("{}/{}", place, directory);
      const auto names = files.list(folder);
      if (!names) return std::unexpected(names.error());
      for (const auto& name : *names) {
        if (name.ends_with(".conf")) drop_ins.try_emplace(name, fmt::format("{}/{}", folder, name));
      }
    }
  }
  for (const auto& [name, file] : drop_ins) {
    const auto text = files.read(file);
    if (!text) return std::unexpected(text.error());
    add_settings(text->value_or(""), file, key, settings);
  }
  return settings;
}

}  // namespace spark::host
