#include "daemon/reconcile/gate_record.hpp"

#include <gtest/gtest.h>

namespace spark::daemon {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

Moment moment_of(std::chrono::milliseconds boot) { return {.wall = {}, .boot = boot}; }

TEST(GateRecord, KeepsEachVerdictUntilTheNext) {
  GateRecord record(moment_of(seconds(1)));
  record.note_verdict(gate::Verdict::kReady, moment_of(seconds(2)));
  record.note_verdict(gate::Verdict::kReady, moment_of(seconds(3)));
  record.note_verdict(gate::Verdict::kNotReady, moment_of(seconds(4)));
  const auto& verdicts = record.part().verdicts;
  ASSERT_EQ(verdicts.size(), 3U);
  EXPECT_EQ(verdicts[0].since.boot, seconds(4));
  EXPECT_EQ(verdicts[1].since.boot, seconds(2));
  EXPECT_EQ(verdicts[2].verdict, gate::Verdict::kUnknown);
}

TEST(GateRecord, ForgetsVerdictsThatEndedTooLongAgo) {
  GateRecord record(moment_of(seconds(0)));
  record.note_verdict(gate::Verdict::kReady, moment_of(hours(1)));
  record.note_verdict(gate::Verdict::kNotReady, moment_of(hours(26)));
  EXPECT_EQ(record.part().verdicts.size(), 2U);
}

}  // namespace
}  // namespace spark::daemon
