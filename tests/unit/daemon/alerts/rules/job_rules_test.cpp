#include <gtest/gtest.h>

#include "daemon/alerts/rules/rules.hpp"
#include "unit/daemon/alerts/alert_world.hpp"

namespace spark::daemon {
namespace {

using namespace std::chrono_literals;

/// A job has had one rail near its limit since the tenth minute.
NodeState on_one_rail() {
  auto state = healthy();
  state.started = at(1s);
  state.jobs.at = at(11min);
  state.jobs.running = 1;
  state.jobs.findings = {{.id = "SR-JOB-001",
                          .is_alert = true,
                          .link = "enp1s0f0np0",
                          .what = "a job has rail 0 of cage 0 (enp1s0f0np0) near its limit",
                          .remedy = "start the job with the variables of both rails"}};
  return state;
}

TEST(Conditions, TellThatAJobUsesOneRailOfTwo) {
  const auto alert = only_of(on_one_rail());
  EXPECT_EQ(alert.name, "SparkJobOneRail");
  EXPECT_EQ(label_of(alert, "link"), "enp1s0f0np0");
  EXPECT_EQ(alert.summary,
            "enp1s0f0np0: jobs use it, and not the other rail of its cage [SR-JOB-001]");
  EXPECT_EQ(alert.description, "a job has rail 0 of cage 0 (enp1s0f0np0) near its limit");
  EXPECT_EQ(alert.remedy, "start the job with the variables of both rails");
}

TEST(Conditions, ANoteAboutAJobIsNoAlert) {
  auto state = on_one_rail();
  state.jobs.findings.front().is_alert = false;
  EXPECT_EQ(names_of(state), "");
}

TEST(IsJudged, AJobOnOneRailOnceADaemonCouldSeeItAgain) {
  const auto alert = only_of(on_one_rail());
  EXPECT_FALSE(is_judged(alert, healthy())) << "there was no look yet";
  auto state = on_one_rail();
  state.jobs.findings.clear();
  EXPECT_TRUE(is_judged(alert, state));
  state.started = at(10min + 30s);
  EXPECT_FALSE(is_judged(alert, state)) << "half a minute says nothing of a whole one";
  state.started = at(9min + 57s);
  EXPECT_FALSE(is_judged(alert, state)) << "it has measured for less than it has run";
  state.jobs.running = 0;
  EXPECT_TRUE(is_judged(alert, state)) << "the job has ended";
  state.jobs.running.reset();
  EXPECT_FALSE(is_judged(alert, state)) << "whether it has ended is not known";
}

TEST(HowItEnded, SaysThatTheJobHasEnded) {
  const auto alert = only_of(on_one_rail());
  auto state = on_one_rail();
  state.jobs.findings.clear();
  EXPECT_EQ(how_it_ended(alert, state), "gone by itself");
  state.jobs.running = 0;
  EXPECT_EQ(how_it_ended(alert, state), "the job has ended");
}

}  // namespace
}  // namespace spark::daemon
