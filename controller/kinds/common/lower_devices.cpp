#include "kinds/common/lower_devices.hpp"

namespace spark::kinds {

std::set<std::string> with_lower_devices(host::View& view, const std::string& link) {
  std::set<std::string> names{link};
  const auto& links = view.links();
  if (!links) return names;
  for (bool grew = true; grew;) {
    grew = false;
    for (const auto& upper : *links) {
      for (const auto& lower : *links) {
        if (names.contains(upper.name) && host::stands_on(upper, lower)) {
          grew |= names.insert(lower.name).second;
        }
      }
    }
  }
  return names;
}

}  // namespace spark::kinds
