#include "cluster/heard_node.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "cluster/view_words.hpp"

namespace spark::cluster {
namespace {

using protocol::Verdict;

constexpr std::size_t kLongestReason = 200;

/// As that node would tell it: its own cages first.
PairView turned(PairView pair) {
  std::swap(pair.node, pair.other);
  for (auto& way : pair.ways) std::swap(way.cage, way.other_cage);
  return pair;
}

}  // namespace

HeardNode heard_node(const Known& known, const ClusterView& view, std::string_view name) {
  HeardNode heard{.by = known.own.name,
                  .node = *std::ranges::find(view.nodes, name, &NodeView::name),
                  .candidate = {},
                  .reasons = {},
                  .told_ago = {},
                  .told_failed = {},
                  .pairs = {},
                  .roots = {}};
  // Of who is silent, what it said before says nothing of now.
  if (is_heard(heard.node)) heard.candidate = candidate_of(name, known.told);
  if (const auto* told = protocol::told_by(known.told.peers, name)) {
    heard.told_ago =
        std::max(known.now - std::chrono::milliseconds(told->told_ms), std::chrono::milliseconds{});
    heard.told_failed = printable(told->failed, kLongestReason);
    // What it told with another verdict is older than its hello.
    if (is_heard(heard.node) &&
        protocol::verdict_named(told->details.verdict).value_or(Verdict::kUnknown) ==
            heard.node.verdict) {
      for (const auto& reason : told->details.reasons) {
        heard.reasons.push_back(printable(reason, kLongestReason));
      }
    }
  }
  for (const auto& pair : view.pairs) {
    if (pair.node == name) heard.pairs.push_back(pair);
    if (pair.other == name) heard.pairs.push_back(turned(pair));
  }
  std::ranges::copy_if(view.roots, std::back_inserter(heard.roots),
                       [&](const diagnosis::Root& root) { return root.problem.node == name; });
  return heard;
}

}  // namespace spark::cluster
