#include "plan/refusals.hpp"

#include <iterator>

namespace spark::plan {

void add_refusals(Plan& plan, const config::Node& node, host::View& view,
                  const kinds::Ledger& ledger) {
  auto clashes = find_subnet_clashes(plan, node, view, ledger);
  if (!clashes.empty()) {
    // Whatever else is found follows from that, and would be judged of a plan that nobody wants.
    std::ranges::move(clashes, std::back_inserter(plan.refusals));
    return;
  }
  std::ranges::move(guard(plan, node, view, ledger), std::back_inserter(plan.refusals));
  if (plan.kinds == Kinds::kAll) {
    std::ranges::move(find_diversions(plan, node, view), std::back_inserter(plan.refusals));
  }
}

}  // namespace spark::plan
