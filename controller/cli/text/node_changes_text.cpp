#include "cli/text/node_changes_text.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/columns.hpp"
#include "cli/text/layout.hpp"
#include "cli/text/plan_screen.hpp"
#include "cli/text/plan_text.hpp"

namespace spark::cli {
namespace {

using Status = NodeChanges::Status;

std::string state_of_link(const config::WantedLink& link) {
  return !link.up ? "" : link.up->value ? "up" : "down";
}

/// One line a link: what the file asks of it.
std::string links_of_node(const config::Node& node) {
  std::size_t width = 0;
  for (const auto& [name, link] : node.links) width = std::max(width, columns(printable(name)));
  std::string text;
  for (const auto& [name, link] : node.links) {
    auto line = fmt::format("  {}  {:<4}", padded(printable(name), width), state_of_link(link));
    if (link.mtu) line += fmt::format("  mtu {}", link.mtu->value);
    for (const auto& address : link.addresses) line += "  " + address.value.text();
    if (link.owner_host) line += "  owner: host";
    text += without_end_blanks(line) + "\n";
  }
  return text.empty() ? "  the file asks for no link\n" : text;
}

/// What many resources have in common is said once.
std::string unknown_text(const std::vector<plan::Unknown>& unknown, const Terminal& terminal) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (const auto& item : unknown) {
    const auto same =
        std::ranges::find_if(groups, [&](const auto& group) { return group.first == item.what; });
    auto& names = same != groups.end()
                      ? same->second
                      : groups.emplace_back(item.what, std::vector<std::string>{}).second;
    if (!item.resource.empty()) names.push_back(printable(item.resource));
  }
  std::string text;
  for (auto& [what, names] : groups) {
    constexpr std::size_t kMost = 3;
    if (names.size() > kMost) {
      const auto more = names.size() - (kMost - 1);
      names.resize(kMost - 1);
      names.push_back(fmt::format("{} more", more));
    }
    text += fmt::format("    {}{}{}\n", listed(names), names.empty() ? "" : ": ", what);
  }
  return text.empty()
             ? text
             : fmt::format("  {}\n{}",
                           terminal.paint(Tone::kChange, "unknown without the machine:"), text);
}

std::string heading_of(const NodeChanges& changes) {
  switch (changes.status) {
    case Status::kNotCompared:
      return {};
    case Status::kSame:
      return ": no change";
    case Status::kChanged:
      return changes.plan.steps.empty() ? ": may change" : ": " + step_counts(changes.plan);
    case Status::kAdded:
      return ": new in the file";
    case Status::kRemoved:
      return ": no longer in the file";
  }
  return {};
}

std::string disturbs_line(const NodeChanges& changes, const Terminal& terminal) {
  const auto disturbs = disturbs_text(changes.plan, changes.node);
  return disturbs.empty()
             ? disturbs
             : fmt::format("  {} {}\n", terminal.paint(Tone::kChange, "disturbs:"), disturbs);
}

std::string body_of(const NodeChanges& changes, const std::string& file, const Terminal& terminal,
                    bool is_screen) {
  if (changes.status == Status::kSame) return {};
  if (changes.status == Status::kRemoved) {
    return "  nothing is changed there before `spark-reconcile release` on that node\n";
  }
  const auto unknown = unknown_text(changes.unknown, terminal);
  if (changes.status != Status::kChanged) return links_of_node(changes.node) + unknown;
  const auto below = disturbs_line(changes, terminal) + unknown;
  return is_screen ? steps_screen(changes.plan, changes.node, file, terminal) +
                         (below.empty() ? "" : "\n" + fitting(below, terminal))
                   : steps_text(changes.plan, file, terminal) + below;
}

std::string blocks_of(const std::vector<NodeChanges>& nodes, const std::string& file,
                      const Terminal& terminal, bool is_screen) {
  std::string text;
  for (const auto& changes : nodes) {
    text += is_screen && !text.empty() ? "\n" : "";
    text += terminal.paint(Tone::kStrong, printable(changes.node.name)) + heading_of(changes) +
            "\n" + body_of(changes, file, terminal, is_screen);
  }
  return text;
}

}  // namespace

std::string node_changes_text(const std::vector<NodeChanges>& nodes, const std::string& file,
                              const Terminal& terminal) {
  return blocks_of(nodes, file, terminal, false);
}

std::string node_changes_screen(const std::vector<NodeChanges>& nodes, const std::string& file,
                                const Terminal& terminal) {
  return blocks_of(nodes, file, terminal, true);
}

std::string count_of_nodes(const std::vector<NodeChanges>& nodes) {
  struct Words {
    Status status;
    const char* of_one;
    const char* of_many;
  };
  constexpr std::array kWords{Words{Status::kChanged, "changes", "change"},
                              Words{Status::kAdded, "is new", "are new"},
                              Words{Status::kRemoved, "is removed", "are removed"},
                              Words{Status::kSame, "is the same", "are the same"}};
  std::vector<std::string> counts;
  for (const auto& [status, of_one, of_many] : kWords) {
    const auto count =
        static_cast<std::size_t>(std::ranges::count(nodes, status, &NodeChanges::status));
    if (count == 0) continue;
    const auto subject = counts.empty() ? counted(count, "node") : std::to_string(count);
    counts.push_back(fmt::format("{} {}", subject, count == 1 ? of_one : of_many));
  }
  return fmt::format("{}", fmt::join(counts, ", "));
}

}  // namespace spark::cli
