#include "cluster/heard_node.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "cluster/view_words.hpp"

namespace spark::cluster {
namespace {

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
  if (auto report = latest_report(name, known.told); report.is_heard) {
    heard.candidate = std::move(report.candidate);
    heard.reasons = std::move(report.reasons);
  }
  if (const auto* told = protocol::told_by(known.told.peers, name)) {
    heard.told_ago =
        std::max(known.now - std::chrono::milliseconds(told->told_ms), std::chrono::milliseconds{});
    heard.told_failed = printable(told->failed, kLongestReason);
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
