#include "kinds/network/port_of.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

namespace spark::kinds {

std::optional<PortOf> port_of(host::View& view, const host::LinkInfo& link) {
  constexpr std::array<std::string_view, 4> kTakePackets{"bridge", "bond", "team", "openvswitch"};
  const auto* master = link.master == 0 ? nullptr : view.link(link.master);
  if (master == nullptr || std::ranges::find(kTakePackets, master->kind) == kTakePackets.end()) {
    return std::nullopt;
  }
  return PortOf{
      .what =
          fmt::format("a port of the {} '{}', which takes its packets", master->kind, master->name),
      .remedy = fmt::format("take it out of {0}, for now with `ip link set {1} nomaster`, and in "
                            "the file that sets {0} up",
                            master->name, link.name)};
}

}  // namespace spark::kinds
