#include "cli/text/status_text.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "cli/text/cable_text.hpp"
#include "cli/text/plan_text.hpp"

namespace spark::cli {
namespace {

/// What is there, and what should be where the two differ.
std::string compared(const std::string& have, const std::string& want, const Terminal& terminal) {
  return have == want ? have : have + terminal.paint(Tone::kBad, fmt::format(" (want {})", want));
}

std::string up_text(const config::WantedLink& wanted, const host::LinkInfo& link,
                    const Terminal& terminal) {
  const auto have = std::string(link.up ? "up" : "down");
  return wanted.up ? compared(have, wanted.up->value ? "up" : "down", terminal) : have;
}

std::string mtu_text(const config::WantedLink& wanted, const host::LinkInfo& link,
                     const Terminal& terminal) {
  const auto have = std::to_string(link.mtu);
  return "mtu " + (wanted.mtu ? compared(have, std::to_string(wanted.mtu->value), terminal) : have);
}

/// A screen shows the first few; `plan --json` has them all.
constexpr std::size_t kMostAddresses = 4;

std::string address_text(host::View& view, const config::WantedLink& wanted,
                         const host::LinkInfo& link, const Terminal& terminal) {
  std::vector<std::string> have;
  std::ranges::transform(view.addresses_on(link), std::back_inserter(have), &IpPrefix::text);
  std::vector<std::string> shown(have.begin(), have.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                  have.size(), kMostAddresses)));
  if (have.size() > shown.size()) {
    shown.push_back(fmt::format("and {} more", have.size() - shown.size()));
  }
  for (const auto& address : wanted.addresses) {
    if (std::ranges::find(have, address.value.text()) == have.end()) {
      shown.push_back(terminal.paint(Tone::kBad, fmt::format("(want {})", address.value.text())));
      if (shown.size() > 2 * kMostAddresses) {
        break;
      }
    }
  }
  return fmt::format("{}", fmt::join(shown, ", "));
}

std::string link_line(PlanContext& context, const config::WantedLink& wanted,
                      std::string_view branch, const Terminal& terminal) {
  auto& view = context.view;
  const auto rail = wanted.rail ? fmt::format("rail {}  ", wanted.rail->rail) : std::string();
  const auto head = fmt::format("  {}{}{}", branch, rail, padded(wanted.name, 15));
  const auto* link = view.link(wanted.name);
  if (link == nullptr) {
    return fmt::format("{}  {}\n", head,
                       wanted.role == config::LinkRole::kUnused
                           ? "no such device, as good as down"
                           : terminal.paint(Tone::kChange, "no such device (waiting)"));
  }
  const auto carrier =
      link->carrier ? std::string("carrier") : terminal.paint(Tone::kChange, "no carrier");
  const auto addresses = address_text(view, wanted, *link, terminal);
  return fmt::format("{}  {}  {}  {}{}{}\n", head, up_text(wanted, *link, terminal), carrier,
                     mtu_text(wanted, *link, terminal), addresses.empty() ? "" : "  ", addresses);
}

constexpr std::string_view kUnused = "unused";

/// What hangs on the other end of a cage.
std::string far_end(const config::Node& node, int cage) {
  const config::Peer* first = nullptr;
  std::size_t peers = 0;
  for (const auto& peer : node.peers) {
    const auto ours = node.links.find(peer.link);
    if (ours != node.links.end() && ours->second.rail && ours->second.rail->cage == cage &&
        peer.rail == ours->second.rail->rail) {
      first = first == nullptr ? &peer : first;
      peers += peer.rail == first->rail ? 1 : 0;
    }
  }
  if (first == nullptr) {
    return std::string(kUnused);
  }
  if (first->segment.empty() && first->external) {
    return fmt::format("══ cable ══ {}, no node", first->node);
  }
  return first->segment.empty()
             ? fmt::format("══ cable ══ {} cage {}", first->node, first->cage)
             : fmt::format("══ switch {} ══ {}", first->segment, counted(peers, "peer"));
}

std::string status_title(const PlanContext& context, const Terminal& terminal) {
  const auto& node = context.selection.node;
  const auto text = fmt::format("{} of cluster '{}'  {}, digest {:.12}", node.name, node.cluster,
                                printable(context.file.name), node.digest);
  return terminal.paint(Tone::kStrong, text) + "\n";
}

}  // namespace

std::string status_text(PlanContext& context, const CablesShown& cables, const Terminal& terminal) {
  const auto& node = context.selection.node;
  std::map<int, std::vector<const config::WantedLink*>> cages;
  std::vector<const config::WantedLink*> others;
  for (const auto& [name, link] : node.links) {
    (link.rail ? cages[link.rail->cage] : others).push_back(&link);
  }
  std::string text = status_title(context, terminal);
  for (auto& [cage, rails] : cages) {
    std::ranges::sort(rails, {}, [](const config::WantedLink* link) { return link->rail; });
    const auto far = far_end(node, cage);
    text += fmt::format("\n  cage {} {}{}\n", cage, far,
                        far == kUnused ? "" : "  " + cable_mark(rails, cables, terminal));
    for (const auto* rail : rails) {
      text += link_line(context, *rail, rail == rails.back() ? "└─ " : "├─ ", terminal);
    }
  }
  if (!others.empty()) {
    text += "\n  other links\n";
  }
  for (const auto* link : others) {
    text += link_line(context, *link, link == others.back() ? "└─ " : "├─ ", terminal);
  }
  const auto skipped =
      cable_hints_text(context, terminal) + skipped_text(context.plan, context.file.name, terminal);
  return text + (skipped.empty() ? "\n" : "\n" + skipped + "\n");
}

std::string released_text(const Command& command) {
  return fmt::format("{}: this node is released: nothing is set. `{}` or `{}` ends that\n",
                     command.terminal.paint(Tone::kChange, "released"),
                     command_line_for("apply", command.arguments),
                     command_line_for("resume", command.arguments));
}

std::string status_line(const plan::Plan& plan, const Command& command) {
  const auto& terminal = command.terminal;
  const auto counts = counts_text(plan);
  if (!plan.refusals.empty()) {
    return terminal.paint(Tone::kBad, "refused") + ": " + printable(plan.refusals.front().what) +
           "\n";
  }
  if (!plan.steps.empty()) {
    return fmt::format("{}: {}. Next: {}\n", terminal.paint(Tone::kBad, "differs"), counts,
                       command_line_for("plan", command.arguments));
  }
  if (plan.status() != ExitCode::kDone) {
    return fmt::format("{}: {}\n", terminal.paint(Tone::kChange, "not everything is enforced"),
                       counts);
  }
  return fmt::format("{}: {}\n", terminal.paint(Tone::kGood, "in sync"), counts);
}

}  // namespace spark::cli
