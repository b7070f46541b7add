#pragma once
// A pass over a fake machine: from a file to the plan, and to what an apply of it leaves. Each has
// a View of its own and reads the ledger, as the program does.

#include <string>

#include <gtest/gtest.h>

#include "apply/transaction.hpp"
#include "fake/fake_cluster.hpp"
#include "plan/plan.hpp"
#include "state/journal.hpp"

namespace spark::test {

/// With all refusals.
plan::Plan plan_in(host::View& view, const config::Node& node);
plan::Plan plan_on(host::Host& ports, const config::Node& node);
/// Carries that plan out, also where it has refusals.
apply::Report carry_out_on(host::Host& ports, const config::Node& node,
                           const state::ApplyRequest& request = {},
                           const apply::TransactionObserver& observer = {});
/// As the verb `apply`: a plan that is refused is the test's error.
apply::Report apply_on(host::Host& ports, const config::Node& node,
                       const state::ApplyRequest& request = {},
                       const apply::TransactionObserver& observer = {});
/// Hands the node back, as the verb `release`.
apply::Report release_on(host::Host& ports, const config::Node& node,
                         const state::ApplyRequest& request = {});
/// The ledger of `node`, also while a journal is open.
kinds::Ledger ledger_on(host::Host& ports, const std::string& node = "spark1");

/// A Spark as it comes, and one file for it.
class PassTest : public testing::Test {
 protected:
  PassTest() { add_spark(host_); }

  config::Node node() { return node_on(host_, text_); }
  plan::Plan plan() { return plan_on(ports_, node()); }
  plan::Plan plan(const std::string& text) { return plan_on(ports_, node_on(host_, text)); }
  apply::Report apply(const state::ApplyRequest& request = {},
                      const apply::TransactionObserver& observer = {}) {
    return apply_on(ports_, node(), request, observer);
  }
  apply::Report apply(const std::string& text, const state::ApplyRequest& request = {}) {
    return apply_on(ports_, node_on(host_, text), request);
  }
  kinds::Ledger ledger() { return ledger_on(ports_); }

  FakeHost host_;
  host::Host ports_ = host_.host();
  std::string text_ = pair_text();
};

}  // namespace spark::test
