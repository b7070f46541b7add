#include "reconcile/objections.hpp"

#include <algorithm>
#include <iterator>

#include "reconcile/diversion.hpp"
#include "reconcile/guard.hpp"

namespace spark {

void add_objections(Plan& plan, const Node& node, View& view) {
  std::ranges::move(guard(plan, node, view), std::back_inserter(plan.objections));
  std::ranges::move(find_diversions(plan, node, view), std::back_inserter(plan.objections));
}

}  // namespace spark
