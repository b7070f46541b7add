#include "host/modules.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace spark::host {

std::string canonical_module_name(std::string_view name) {
  std::string canonical(name);
  std::ranges::replace(canonical, '-', '_');
  return canonical;
}

bool lists_module(std::string_view text, std::string_view canonical_name) {
  constexpr std::string_view kEnding = ".ko";
  return std::ranges::any_of(lines_of(text), [&](std::string_view line) {
    auto file = line.substr(0, line.find(':'));
    file = file.substr(file.rfind('/') + 1);
    const auto ending = file.rfind(kEnding);  // compressed ones go on: .ko.xz
    return ending == canonical_name.size() &&
           canonical_module_name(file.substr(0, ending)) == canonical_name;
  });
}

}  // namespace spark::host
