// What becomes of a transaction by how its steps go: done, waiting, failed, or without their
// device.

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "apply/transaction.hpp"
#include "fake/fake_cluster.hpp"
#include "kinds/network/mtu.hpp"

namespace spark::apply {
namespace {

TEST(StepReport, OfADoneStepHasNothingToSay) {
  const StepReport report;
  EXPECT_TRUE(report.is_done());
  EXPECT_FALSE(report.waits());
  EXPECT_EQ(report.why_not(), "");
}

TEST(StepReport, OfAWaitingStepSaysWhatItWaitsFor) {
  const StepReport report{.outcome = kinds::Waits{"the target is silent"}};
  EXPECT_FALSE(report.is_done());
  EXPECT_TRUE(report.waits());
  EXPECT_EQ(report.why_not(), "the target is silent");
}

TEST(StepReport, OfAFailedStepSaysWhyAndDoesNotWaitWhateverTheCode) {
  for (const auto code : {ErrorCode::kSystem, ErrorCode::kTimeout, ErrorCode::kBusy}) {
    const StepReport report{.outcome = fail(code, "set mtu of 'eth0': no")};
    EXPECT_FALSE(report.is_done());
    EXPECT_FALSE(report.waits());
    EXPECT_EQ(report.why_not(), "set mtu of 'eth0': no");
  }
}

TEST(StepReport, OfAStepThatLostItsDeviceWaits) {
  const StepReport report{.outcome = fail(ErrorCode::kNotFound, "no link 'eth0'"),
                          .lost_device = true};
  EXPECT_FALSE(report.is_done());
  EXPECT_TRUE(report.waits());
  EXPECT_EQ(report.why_not(), "no link 'eth0'");
}

/// A Spark as it comes, and a plan one step of which, an MTU, goes as a test says.
class OutcomeTest : public testing::Test {
 protected:
  OutcomeTest() : node_((test::add_spark(host_), test::node_on(host_, test::pair_text()))) {
    plan_ = plan::make_plan(node_, view_, {});
    const auto mtu = std::ranges::find(plan_.steps, kinds::Mtu::kName, &plan::Step::kind);
    index_ = static_cast<std::size_t>(mtu - plan_.steps.begin());
  }

  plan::Step& step() { return plan_.steps.at(index_); }

  Report apply_with(const kinds::Outcome& outcome) {
    step().apply = [outcome](host::Host&) { return outcome; };
    step().roll_back = [this](host::Host&) {
      ++rolled_back_;
      return kinds::Outcome{};
    };
    return Transaction(ports_, node_, plan_, view_, {}, TransactionObserver{}).run();
  }

  test::FakeHost host_;
  config::Node node_;
  host::Host ports_ = host_.host();
  host::View view_{ports_};
  plan::Plan plan_;
  std::size_t index_ = 0;
  int rolled_back_ = 0;  ///< how often the step was
};

TEST_F(OutcomeTest, AStepThatWaitsStopsNoOtherAndIsNotReadBack) {
  const auto report = apply_with(kinds::Waits{"the target is silent"});
  EXPECT_EQ(report.outcome, Report::Outcome::kApplied);
  EXPECT_EQ(report.exit_code(), ExitCode::kWaiting);
  ASSERT_EQ(report.steps.size(), plan_.steps.size());
  EXPECT_TRUE(report.steps.at(index_).waits());
  EXPECT_FALSE(report.steps.at(index_).lost_device);
  EXPECT_EQ(std::ranges::count_if(report.steps, &StepReport::waits), 1);
  EXPECT_EQ(rolled_back_, 0);
}

TEST_F(OutcomeTest, AStepThatWaitsIsRolledBackWithTheOthers) {
  host_.refuse_if("/etc/hosts");
  const auto report = apply_with(kinds::Waits{"the target is silent"});
  EXPECT_EQ(report.outcome, Report::Outcome::kRolledBack);
  EXPECT_EQ(rolled_back_, 1) << "it may have left a unit that tries again";
}

TEST_F(OutcomeTest, AStepThatFailsEndsTheApplyWhateverItsCode) {
  for (const auto code : {ErrorCode::kTimeout, ErrorCode::kBusy}) {
    const auto report = apply_with(fail(code, "nobody answers"));
    EXPECT_EQ(report.outcome, Report::Outcome::kRolledBack);
    ASSERT_EQ(report.steps.size(), index_ + 1);
    EXPECT_FALSE(report.steps.at(index_).waits());
    ASSERT_TRUE(report.failure);
    EXPECT_EQ(*report.failure, (Error{code, step().name() + ": nobody answers"}));
  }
}

TEST_F(OutcomeTest, AStepWithoutItsDeviceStopsNoOtherAndIsNotRolledBack) {
  const auto link = step().effect.link;
  ASSERT_FALSE(link.empty());
  host_.netlink().unplug(link);
  host_.refuse_if("/etc/hosts");
  const auto report = apply_with(fail(ErrorCode::kNotFound, "no link"));
  EXPECT_EQ(report.outcome, Report::Outcome::kRolledBack) << testing::PrintToString(report.differs);
  EXPECT_GT(report.steps.size(), index_ + 1);
  EXPECT_TRUE(report.steps.at(index_).lost_device);
  EXPECT_TRUE(report.steps.at(index_).waits());
  EXPECT_FALSE(report.steps.at(index_).is_done());
  EXPECT_EQ(rolled_back_, 0);
}

TEST_F(OutcomeTest, AStepThatDoesNotFindSomethingElseThanItsDeviceFails) {
  const auto report = apply_with(fail(ErrorCode::kNotFound, "no such unit"));
  EXPECT_EQ(report.outcome, Report::Outcome::kRolledBack);
  EXPECT_FALSE(report.steps.at(index_).lost_device);
  EXPECT_FALSE(report.steps.at(index_).waits());
}

TEST_F(OutcomeTest, ATimeoutOfAKindThatNeverWaitsIsAFailure) {
  host_.refuse_if("set mtu", ErrorCode::kTimeout);
  const auto report = Transaction(ports_, node_, plan_, view_, {}, TransactionObserver{}).run();
  EXPECT_EQ(report.outcome, Report::Outcome::kRolledBack);
}

}  // namespace
}  // namespace spark::apply
