#include "diagnosis/wiring.hpp"

#include <algorithm>

namespace spark::diagnosis {

const RailEnd* Wiring::rail(std::string_view node, std::string_view link) const {
  const auto found = std::ranges::find_if(
      rails, [&](const RailEnd& end) { return end.node == node && end.link == link; });
  return found == rails.end() ? nullptr : &*found;
}

bool Wiring::is_neighbour(const std::string& node) const {
  return std::ranges::any_of(
      rails, [&](const RailEnd& end) { return end.node == own && end.leads_to.contains(node); });
}

bool Wiring::is_behind_silence(const std::string& node) const {
  if (is_neighbour(node) || !unheard.contains(node)) return false;
  return std::ranges::all_of(rails, [&](const RailEnd& end) {
    return end.node != own || std::ranges::all_of(end.leads_to, [&](const std::string& other) {
             return unheard.contains(other);
           });
  });
}

}  // namespace spark::diagnosis
