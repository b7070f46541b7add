#include <gtest/gtest.h>

#include "plan/plan.hpp"

namespace spark::plan {
namespace {

Step step_of(std::string_view kind, std::string key) {
  Step step;
  step.kind = kind;
  step.key = std::move(key);
  return step;
}

TEST(WithoutSteps, KeepsWhatTheLedgerHasOfTheirResources) {
  Plan plan;
  plan.steps = {step_of("address", "r0 192.0.2.11"), step_of("mtu", "r0"), step_of("mtu", "r1")};
  // As it is once all is carried out: the address is gone.
  plan.remember = {{"mtu", {{"r0", {"4000", "1500"}}, {"r1", {"4000", "1500"}}}}};
  const kinds::Ledger ledger{{"address", {{"r0 192.0.2.11", {"24", "absent"}}}},
                             {"mtu", {{"r0", {"9000", "1500"}}}}};
  const auto part = without_steps(plan, {"address r0 192.0.2.11", "mtu r0", "mtu r1"}, ledger);
  EXPECT_TRUE(part.steps.empty());
  EXPECT_EQ(part.remember.at("address").at("r0 192.0.2.11").ours, "24") << "it is ours still";
  EXPECT_EQ(part.remember.at("mtu").at("r0").ours, "9000");
  EXPECT_EQ(part.remember.at("mtu").at("r1").original, "1500") << "as it was before us";
}

TEST(WithoutSteps, LeavesTheOthers) {
  Plan plan;
  plan.steps = {step_of("mtu", "r0"), step_of("mtu", "r1")};
  plan.remember = {{"mtu", {{"r1", {"4000", "9000"}}}}};
  const auto part = without_steps(plan, {"mtu r0"}, {{"mtu", {{"r1", {"9000", "9000"}}}}});
  ASSERT_EQ(part.steps.size(), 1U);
  EXPECT_EQ(part.steps[0].key, "r1");
  EXPECT_EQ(part.remember.at("mtu").at("r1").ours, "4000");
}

}  // namespace
}  // namespace spark::plan
