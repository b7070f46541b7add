#include "cluster/cluster_view.hpp"

#include <algorithm>

namespace spark::cluster {

std::string_view name_of(Standing standing) {
  return kStandings.at(static_cast<std::size_t>(standing));
}

Standing standing_named(std::string_view name) {
  const auto* const found = std::ranges::find(kStandings, name);
  return found == kStandings.end() ? Standing::kUnknown
                                   : static_cast<Standing>(found - kStandings.begin());
}

const PairView* ClusterView::pair(std::string_view one, std::string_view other) const {
  const auto found = std::ranges::find_if(pairs, [&](const PairView& pair) {
    return (pair.node == one && pair.other == other) || (pair.node == other && pair.other == one);
  });
  return found == pairs.end() ? nullptr : &*found;
}

}  // namespace spark::cluster
