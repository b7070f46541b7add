#include "kinds/common/remedy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "kinds/common/lifelines.hpp"

namespace spark::kinds {

std::optional<std::string> untouchable(const std::string& link, const config::Node* node,
                                       host::View& view) {
  if (node != nullptr) {
    const auto wanted = node->links.find(link);
    if (wanted != node->links.end() && wanted->second.owner_host) {
      return fmt::format("the file leaves {} to the host", link);
    }
  }
  const auto lifelines = find_lifelines(node, view);
  if (!lifelines) {
    return fmt::format("what this machine is reached through is unknown: {}",
                       lifelines.error().what);
  }
  const auto* lifeline = carried_by(link, *lifelines, view);
  if (lifeline == nullptr) return std::nullopt;
  return lifeline->link == link
             ? fmt::format("{}: {}", link, lifeline->why)
             : fmt::format("{} carries '{}': {}", link, printable(lifeline->link), lifeline->why);
}

std::string remedy_of_absent_card(host::View& view) {
  const auto& hardware = view.hardware();
  return hardware && !hardware->cable_hotplug
             ? "the card is absent, and not because no cable is plugged: DGX OS does not power it "
               "off here; `lspci -d 15b3:` shows whether the bus has it, `journalctl -k -b` what "
               "the kernel said of it"
             : "plug the cable: a Spark powers its ConnectX-7 off without one; `lspci -d 15b3:` "
               "shows whether the card is there";
}

Result<std::string> text_of(const Remedy& remedy, const config::Node* node, host::View& view) {
  for (const auto& link : remedy.links) {
    if (auto why = untouchable(link, node, view)) return fail(ErrorCode::kInvalid, *std::move(why));
  }
  const auto links = fmt::format("{}", fmt::join(remedy.links, ", "));
  switch (remedy.kind) {
    case Remedy::Kind::kLeaveMaster:
      return fmt::format("`sudo ip link set {} nomaster`", links);
    case Remedy::Kind::kRemoveAddress:
      return fmt::format("`sudo ip address del {} dev {}`", remedy.address, links);
    case Remedy::Kind::kIgnoreAdverts:
      return fmt::format("`sudo sysctl -w net/ipv6/conf/{}/accept_ra=0`", links);
    case Remedy::Kind::kDisableUnit:
      return fmt::format("`sudo systemctl disable {}`", remedy.unit);
    case Remedy::Kind::kTakeLinesOut:
      return fmt::format("take the commands of {} out of line {} of {}{}", links,
                         fmt::join(remedy.lines, ", "), in_quotes(remedy.path),
                         remedy.unit.empty() ? "" : "; do not disable " + remedy.unit);
  }
  return fail(ErrorCode::kInvalid, "no such command");
}

}  // namespace spark::kinds
