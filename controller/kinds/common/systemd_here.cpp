#include "kinds/common/systemd_here.hpp"

#include <algorithm>

namespace spark::kinds {

std::optional<std::string> why_no_systemd(host::View& view) {
  const auto& names = view.directory("/run/systemd");
  if (!names) {
    return names.error().what;
  }
  const auto has = [&](const char* name) {
    return std::ranges::find(*names, name) != names->end();
  };
  if (!has("system")) {
    return "systemd does not run here";
  }
  if (has("container")) {
    return "this is a container";
  }
  return std::nullopt;
}

}  // namespace spark::kinds
