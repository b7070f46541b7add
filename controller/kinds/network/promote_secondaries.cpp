#include "kinds/network/promote_secondaries.hpp"

#include <fmt/format.h>

namespace spark::kinds {

std::string promote_key(const std::string& link) {
  return fmt::format("net/ipv4/conf/{}/promote_secondaries", link);
}

bool promotes_secondaries(host::View& view, const std::string& link) {
  for (const auto& key : {promote_key("all"), promote_key(link)}) {
    if (const auto& value = view.sysctl(key); value && value->text != "0") return true;
  }
  return false;
}

}  // namespace spark::kinds
