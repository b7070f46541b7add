#include "cluster/cluster_view.hpp"

#include <algorithm>

namespace spark::cluster {

const PairView* ClusterView::pair(std::string_view one, std::string_view other) const {
  const auto found = std::ranges::find_if(pairs, [&](const PairView& pair) {
    return (pair.node == one && pair.other == other) || (pair.node == other && pair.other == one);
  });
  return found == pairs.end() ? nullptr : &*found;
}

const diagnosis::Root* ClusterView::root_at(std::string_view node) const {
  const auto found =
      std::ranges::find(roots, node, [](const diagnosis::Root& root) { return root.problem.node; });
  return found == roots.end() ? nullptr : &*found;
}

}  // namespace spark::cluster
