#include "helpers/web/page_last_day.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/daemon/states.hpp"

namespace spark::helpers {
namespace {

using daemon::ago;
using daemon::test_now;
using node_state::NodeState;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(LastDay, IsWhollyReadyWhereNothingHappened) {
  NodeState state;
  state.verdicts = {{gate::Verdict::kReady, ago(std::chrono::hours(30))}};
  EXPECT_THAT(last_day_html(state, test_now()),
              AllOf(HasSubstr(R"(class="good" x="0.00%" y="16" width="100.00%")"),
                    HasSubstr("ready for 1 d; 0 changes."), Not(HasSubstr("before"))));
}

TEST(LastDay, HasAPartForEachVerdictTheNewestAtTheEnd) {
  NodeState state;
  state.started = ago(std::chrono::hours(18));
  state.verdicts = {{gate::Verdict::kReady, ago(std::chrono::hours(6))},
                    {gate::Verdict::kNotReady, ago(std::chrono::hours(12))},
                    {gate::Verdict::kUnknown, ago(std::chrono::hours(18))}};
  const auto html = last_day_html(state, test_now());
  EXPECT_THAT(html, AllOf(HasSubstr(R"(class="good" x="75.00%" y="16" width="25.00%")"),
                          HasSubstr(R"(class="bad" x="50.00%" y="0" width="25.00%")"),
                          HasSubstr(R"(class="warn" x="25.00%" y="8" width="25.00%")"),
                          HasSubstr("2 changes; before that is not known: the daemon was started "
                                    "then")));
}

TEST(LastDay, SaysThatOfManyChangesTheEarlierOnesAreNotKept) {
  NodeState state;
  state.started = ago(std::chrono::hours(18));
  state.verdicts = {{gate::Verdict::kReady, ago(std::chrono::hours(6))},
                    {gate::Verdict::kNotReady, ago(std::chrono::hours(12))}};
  EXPECT_THAT(last_day_html(state, test_now()),
              HasSubstr("1 change; earlier changes are not kept"));
}

TEST(LastDay, AMomentIsStillSeen) {
  NodeState state;
  state.verdicts = {{gate::Verdict::kNotReady, ago(std::chrono::seconds(1))},
                    {gate::Verdict::kReady, ago(std::chrono::hours(30))}};
  EXPECT_THAT(last_day_html(state, test_now()),
              HasSubstr(R"(class="bad" x="99.70%" y="0" width="0.30%")"));
}

TEST(LastDay, IsNotShownBeforeThereIsAVerdict) {
  EXPECT_EQ(last_day_html(NodeState{}, test_now()), "");
}

}  // namespace
}  // namespace spark::helpers
