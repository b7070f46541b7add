#include "cli/text/status_text.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/columns.hpp"
#include "base/text.hpp"
#include "cli/text/cable_text.hpp"
#include "cli/text/cages.hpp"
#include "cli/text/layout.hpp"
#include "cli/text/plan_screen.hpp"
#include "cli/text/plan_text.hpp"
#include "cli/text/state_words.hpp"
#include "diagnosis/texts.hpp"
#include "plan/wanted.hpp"

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

std::vector<std::string> address_texts(host::View& view, const config::WantedLink& wanted,
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
      if (shown.size() > 2 * kMostAddresses) break;
    }
  }
  return shown;
}

/// Those of the file: another one stands in the way of one that is not enforced, and is named
/// below.
std::vector<std::string> route_texts(const PlanContext& context, const std::string& link,
                                     const Terminal& terminal) {
  std::vector<std::string> shown;
  for (const auto& route : plan::route_states(context.selection.node, context.plan)) {
    if (route.link != link) continue;
    shown.push_back(route.state == "in_sync" ? route.text
                    : route.state == "differs"
                        ? terminal.paint(Tone::kBad, fmt::format("(want {})", route.text))
                        : terminal.paint(Tone::kChange, fmt::format("{} ({})", route.text,
                                                                    in_words(route.state))));
  }
  return shown;
}

/// What there is to say of a link: its state, its MTU, its addresses, its routes.
std::vector<std::string> link_texts(PlanContext& context, const config::WantedLink& wanted,
                                    const Terminal& terminal) {
  auto& view = context.view;
  const auto* link = view.link(wanted.name);
  if (link == nullptr) {
    return {wanted.role == config::LinkRole::kUnused
                ? "no such device, as good as down"
                : terminal.paint(Tone::kChange, "no such device (waiting)")};
  }
  std::vector<std::string> texts{
      up_text(wanted, *link, terminal),
      link->carrier ? std::string("carrier") : terminal.paint(Tone::kChange, "no carrier"),
      mtu_text(wanted, *link, terminal)};
  if (const auto addresses = address_texts(view, wanted, *link, terminal); !addresses.empty()) {
    texts.push_back(fmt::format("{}", fmt::join(addresses, ", ")));
  }
  if (const auto routes = route_texts(context, wanted.name, terminal); !routes.empty()) {
    texts.push_back(fmt::format("route {}", fmt::join(routes, ", ")));
  }
  return texts;
}

std::string link_line(PlanContext& context, const config::WantedLink& wanted,
                      std::string_view branch, const Terminal& terminal) {
  const auto rail = wanted.rail ? fmt::format("rail {}  ", wanted.rail->rail) : std::string();
  return fmt::format("  {}{}{}  {}\n", branch, rail, padded(wanted.name, 15),
                     fmt::join(link_texts(context, wanted, terminal), "  "));
}

/// What is connected to the other end of a cage; empty: the file names nothing.
std::string far_end(const config::Node& node, int cage) {
  const auto [first, peers] = end_of(node, cage);
  if (first == nullptr) return {};
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
  std::string text = status_title(context, terminal);
  for (const auto& group : grouped_links(node)) {
    const auto far = group.cage ? far_end(node, *group.cage) : std::string();
    text += !group.cage   ? std::string("\n  other links\n")
            : far.empty() ? fmt::format("\n  cage {} unused\n", *group.cage)
                          : fmt::format("\n  cage {} {}  {}\n", *group.cage, far,
                                        cable_mark(group.links, cables, terminal));
    for (const auto& link : group.links) {
      text += link_line(context, node.links.at(link), link == group.links.back() ? "└─ " : "├─ ",
                        terminal);
    }
  }
  const auto skipped =
      cable_hints_text(context, terminal) + skipped_text(context.plan, context.file.name, terminal);
  return text + (skipped.empty() ? "\n" : "\n" + skipped + "\n");
}

std::string status_screen(PlanContext& context, const CablesShown& cables,
                          const Terminal& terminal) {
  const auto& node = context.selection.node;
  const auto width = terminal.width().value_or(80);
  auto text = title_line(node, context.file.name, "", terminal);
  for (const auto& group : grouped_links(node)) {
    const bool has_end = group.cage && end_of(node, *group.cage).first != nullptr;
    text += fmt::format("\n{}{}\n", terminal.paint(Tone::kStrong, title_of(group, node)),
                        has_end ? "  " + cable_mark(group.links, cables, terminal) : "");
    std::size_t name_width = 0;
    for (const auto& link : group.links) name_width = std::max(name_width, columns(link));
    for (const auto& link : group.links) {
      const auto head = link_head(node, link, name_width, width);
      text += pieces(head, link_texts(context, node.links.at(link), terminal), width);
    }
  }
  const auto skipped = fitting(cable_hints_text(context, terminal), terminal) +
                       skipped_screen(context.plan, false, terminal);
  return text + (skipped.empty() ? "\n" : "\n" + skipped + "\n");
}

namespace {

/// How it stands and why, and what to do.
std::string below_problem(const diagnosis::Problem& problem) {
  const auto* const between = problem.state.empty() || problem.why.empty() ? "" : ": ";
  std::string lines;
  for (const auto& line :
       {problem.state + between + problem.why, written(text_of(problem.remedy))}) {
    if (!line.empty()) lines += fmt::format("    {}\n", printable(line));
  }
  return lines;
}

}  // namespace

std::string roots_text(const std::vector<diagnosis::Root>& roots, const Terminal& terminal) {
  const auto head = [&terminal](const diagnosis::Alike& alike) {
    const bool is_bad = alike.problem.verdict == protocol::Verdict::kNotReady;
    return fmt::format("  {} {}",
                       terminal.paint(is_bad ? Tone::kBad : Tone::kChange, is_bad ? "✗" : "!"),
                       printable(written(text_of(alike))));
  };
  std::string text;
  for (const auto& root : roots) {
    const auto all = alike_in(root);
    const auto below = below_problem(all.front().problem);
    std::string others;
    text += head(all.front()) + written(follows_text(root)) + "\n";
    for (const auto& alike : all | std::views::drop(1)) {
      if (const auto own = below_problem(alike.problem); own != below) {
        others += head(alike) + "\n" + own;
      } else {
        text += fmt::format("    {}\n", printable(written(sentence_of(alike))));
      }
    }
    text += below + others;
  }
  return text;
}

std::string released_text(const Command& command) {
  return fmt::format("{}: this node is released: nothing is set. `{}` or `{}` ends that\n",
                     command.terminal.paint(Tone::kChange, "released"),
                     command_line_for("apply", command.arguments),
                     command_line_for("resume", command.arguments));
}

namespace {

/// The word of the state, and what there is to say of it.
std::string state_text(const plan::Plan& plan, const std::string& counts,
                       const Terminal& terminal) {
  const auto [word, tone] = look_of(state_of(plan));
  return fmt::format("{}: {}", terminal.paint(tone, word),
                     plan.refusals.empty() ? counts : printable(plan.refusals.front().what));
}

}  // namespace

std::string status_line(const plan::Plan& plan, const Command& command) {
  const bool has_next = state_of(plan) == NodeState::kDiffers;
  return fmt::format("{}{}{}\n", state_text(plan, counts_text(plan), command.terminal),
                     has_next ? ". Next: " : "",
                     has_next ? command_line_for("plan", command.arguments) : std::string());
}

std::string status_closing(const plan::Plan& plan, const Command& command) {
  const auto& terminal = command.terminal;
  const auto state = state_of(plan);
  const auto text = fitting(state_text(plan, screen_counts(plan), terminal), terminal);
  const auto line = [&](std::string_view label, std::string_view verb) {
    return text + next_line(label, command_line_for(verb, command.arguments));
  };
  if (state == NodeState::kInSync) return line("Is it ready?", "gate");
  return state == NodeState::kDiffers ? line("What differs", "plan") : line("Why", "plan");
}

}  // namespace spark::cli
