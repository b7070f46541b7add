#include "fake/fake_pass.hpp"

#include "plan/refusals.hpp"
#include "plan/release.hpp"

namespace spark::test {

plan::Plan plan_in(host::View& view, const config::Node& node) {
  const auto ledger = state::known_ledger(view, node.name).value();
  auto plan = plan::make_plan(node, view, ledger);
  plan::add_refusals(plan, node, view, ledger);
  return plan;
}

plan::Plan plan_on(host::Host& ports, const config::Node& node) {
  host::View view(ports);
  return plan_in(view, node);
}

apply::Report carry_out_on(host::Host& ports, const config::Node& node,
                           const state::ApplyRequest& request,
                           const apply::TransactionObserver& observer) {
  host::View view(ports);
  const auto plan = plan_in(view, node);
  const auto ledger = state::known_ledger(view, node.name).value();
  return apply::Transaction(ports, node, plan, view, ledger, observer, request).run();
}

apply::Report apply_on(host::Host& ports, const config::Node& node,
                       const state::ApplyRequest& request,
                       const apply::TransactionObserver& observer) {
  for (const auto& refusal : plan_on(ports, node).refusals) {
    ADD_FAILURE() << "an apply of this would be refused: " << refusal.what;
  }
  return carry_out_on(ports, node, request, observer);
}

apply::Report release_on(host::Host& ports, const config::Node& node,
                         const state::ApplyRequest& request) {
  return apply_on(ports, plan::released(node, ledger_on(ports, node.name)), request);
}

kinds::Ledger ledger_on(host::Host& ports, const std::string& node) {
  host::View view(ports);
  return state::known_ledger(view, node).value();
}

}  // namespace spark::test
