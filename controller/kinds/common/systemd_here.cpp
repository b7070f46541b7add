#include "kinds/common/systemd_here.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

namespace spark::kinds {

std::optional<std::string> why_no_systemd(host::View& view) {
  const auto& names = view.directory("/run/systemd");
  if (!names) return names.error().what;
  const auto has = [&](const char* name) {
    return std::ranges::find(*names, name) != names->end();
  };
  if (!has("system")) return "systemd does not run here";
  if (has("container")) return "this is a container";
  return std::nullopt;
}

std::set<std::string> enabled_units(host::View& view) {
  constexpr const char* kUnits = "/etc/systemd/system";
  std::set<std::string> units;
  const auto& names = view.directory(kUnits);
  for (const auto& name : names ? *names : std::vector<std::string>{}) {
    if (!name.ends_with(".wants") && !name.ends_with(".requires")) continue;
    const auto& wanted = view.directory(fmt::format("{}/{}", kUnits, name));
    if (wanted) units.insert(wanted->begin(), wanted->end());
  }
  return units;
}

}  // namespace spark::kinds
