#include "cluster/rollout_words.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "cluster/view_words.hpp"

namespace spark::cluster {
namespace {

/// A screen has room for a few.
constexpr std::size_t kMostListed = 6;

/// "a", "a and b", "a, b and 12 more".
std::string few_of(std::vector<std::string> names) {
  if (names.size() > kMostListed) {
    const auto more = names.size() - kMostListed + 1;
    names.resize(kMostListed - 1);
    names.push_back(fmt::format("{} more", more));
  }
  return listed(names);
}

/// As the table has it.
std::string text_of_file(const std::string& digest, const ClusterView& view) {
  const bool is_ours = !digest.empty() && digest == protocol::short_digest(view.file.digest);
  return is_ours ? file_text(view.file) : digest_text(digest);
}

/// A verb of one node and of several.
struct StepClause {
  std::string one;
  std::string several;
  bool operator==(const StepClause&) const = default;
};

std::string waited_for(const RolloutNode& node) {
  std::vector<std::string> names;
  for (const auto& [name, why] : node.waits) {
    names.push_back(why.empty() ? name : fmt::format("{}, which {}", name, printable(why)));
  }
  const auto text = few_of(std::move(names));
  return node.since ? fmt::format("{} (for {})", text, age_text(*node.since)) : text;
}

StepClause clause_of(const RolloutNode& node, const ClusterView& view) {
  switch (node.step) {
    case RolloutStep::kHas:
      return {.one = "has it", .several = "have it"};
    case RolloutStep::kTries:
      return {.one = "tries it", .several = "try it"};
    case RolloutStep::kWaits:
      if (node.waits.empty()) return {.one = "takes it later", .several = "take it later"};
      return {.one = "waits for " + waited_for(node), .several = "wait for " + waited_for(node)};
    case RolloutStep::kNotYet: {
      const auto file = node.file.empty() ? std::string("no file") : text_of_file(node.file, view);
      return {.one = "still has " + file, .several = "still have " + file};
    }
    case RolloutStep::kWentBack: {
      const auto text = "tried it, and went back to " + text_of_file(node.file, view);
      return {.one = text, .several = text};
    }
    case RolloutStep::kUnknown:
      break;
  }
  return node.is_silent ? StepClause{.one = "is silent", .several = "are silent"}
                        : StepClause{.one = "is not heard", .several = "are not heard"};
}

std::string from_and_to(const ClusterView& view) {
  const auto& rollout = *view.rollout;
  const auto to = text_of_file(rollout.to, view);
  return rollout.from.empty() ? to : fmt::format("{} → {}", text_of_file(rollout.from, view), to);
}

}  // namespace

std::string rolling_text(const ClusterView& view) {
  if (!view.rollout) return {};
  std::vector<std::pair<StepClause, std::vector<std::string>>> clauses;
  for (const auto& node : view.rollout->nodes) {
    const auto clause = clause_of(node, view);
    auto same = std::ranges::find(clauses, clause, [](const auto& each) { return each.first; });
    if (same == clauses.end()) same = clauses.insert(clauses.end(), {clause, {}});
    same->second.push_back(node.is_away ? node.node + " (away)" : node.node);
  }
  std::vector<std::string> parts;
  for (const auto& [clause, names] : clauses) {
    parts.push_back(
        fmt::format("{} {}", few_of(names), names.size() == 1 ? clause.one : clause.several));
  }
  for (const auto& skipped : view.rollout->skipped) {
    parts.push_back(
        fmt::format("{} does not wait for {}", view.nodes.front().name, printable(skipped)));
  }
  return fmt::format("roll-out of {}: {}", from_and_to(view), fmt::join(parts, "; "));
}

std::string awaited_by(const ClusterView& view, const std::string& node) {
  if (!view.rollout) return {};
  const auto& nodes = view.rollout->nodes;
  const auto own = std::ranges::find(nodes, node, &RolloutNode::node);
  return own == nodes.end() || own->waits.empty() ? std::string() : own->waits.front().node;
}

std::string rolling_brief(const ClusterView& view) {
  if (!view.rollout) return {};
  const auto& rollout = *view.rollout;
  std::set<std::string> awaited;
  for (const auto& node : rollout.nodes) {
    for (const auto& wait : node.waits) awaited.insert(wait.node);
  }
  const auto waits =
      awaited.empty() ? std::string() : ", waits for " + few_of({awaited.begin(), awaited.end()});
  return fmt::format("roll-out of {}: {} of {} nodes {} it{}", text_of_file(rollout.to, view),
                     rollout.has, rollout.nodes.size(), rollout.has == 1 ? "has" : "have", waits);
}

}  // namespace spark::cluster
