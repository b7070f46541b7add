#include "kinds/network/port_of.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "base/text.hpp"
#include "kinds/common/remedy.hpp"

namespace spark::kinds {

std::optional<PortOf> port_of(host::View& view, const host::LinkInfo& link,
                              const config::Node* node) {
  constexpr std::array<std::string_view, 4> kTakePackets{"bridge", "bond", "team", "openvswitch"};
  const auto* master = link.master == 0 ? nullptr : view.link(link.master);
  if (master == nullptr || std::ranges::find(kTakePackets, master->kind) == kTakePackets.end()) {
    return std::nullopt;
  }
  const auto command = text_of(Remedy{Remedy::Kind::kLeaveMaster, {link.name}}, node, view);
  return PortOf{
      .what = fmt::format("a port of the {} '{}', which takes its packets", master->kind,
                          printable(master->name)),
      .remedy = command ? fmt::format("take it out of {0}, for now with {1}, and in the file that "
                                      "sets {0} up",
                                      printable(master->name), *command)
                        : fmt::format("not now, since {}. Once that is so no more, take it out of "
                                      "{} in the file that sets it up",
                                      command.error().what, printable(master->name))};
}

RdmaOfLink rdma_of_link(host::View& view, const std::string& link) {
  RdmaOfLink place{.link = view.link(link)};
  if (place.link == nullptr) {
    place.why_not = waiting_for_link(link);
    return place;
  }
  place.port = view.rdma_port(*place.link);
  if (place.port == nullptr) place.why_not = without_rdma_device(*place.link);
  return place;
}

Skipped waits_or_unreadable(const Error& error) {
  return error.code == ErrorCode::kNotFound
             ? Skipped{Skipped::Why::kWaiting, "SR-ROCE-003", error.what}
             : unreadable(error);
}

}  // namespace spark::kinds
