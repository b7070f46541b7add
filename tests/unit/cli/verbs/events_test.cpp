#include <gtest/gtest.h>

#include "protocol/paths.hpp"
#include "state/history.hpp"
#include "unit/cli/verb_run.hpp"

namespace spark::cli {
namespace {

/// A correction, a verdict, a contest, and what failed.
constexpr const char* kEvents = R"({"schema": "spark-reconcile/event-log/v1", "events": [
  {"number": 1, "at": "2026-11-21T21:56:57Z", "what": "corrected", "severity": "info",
   "text": "mtu enp1s0f0np0: 1500 → 9000"},
  {"number": 2, "at": "2026-11-21T21:57:10Z", "what": "verdict", "severity": "notice",
   "text": "ready: the node is proven"},
  {"number": 3, "at": "2026-11-21T21:58:00Z", "what": "contested", "severity": "warning",
   "text": "mtu enp1s0f1np1: corrected 3 times within 10 minutes"},
  {"number": 4, "at": "2026-11-21T21:59:00Z", "what": "correction_failed", "severity": "error",
   "text": "address enp1s0f0np0: Permission denied"}]})";

Printed events_of(const std::string& file, const Arguments& arguments = {}) {
  test::FakeHost machine;
  if (!file.empty()) machine.files().put(protocol::kEventsFile, file);
  return run_verb(events, machine, arguments);
}

TEST(EventsOutput, HasTheOldestFirstWithASignOfItsSeverity) {
  const auto printed = events_of(kEvents);
  EXPECT_EQ(printed.code, ExitCode::kDone);
  EXPECT_EQ(printed.out,
            "2026-11-21T21:56:57Z  ✓ mtu enp1s0f0np0: 1500 → 9000\n"
            "2026-11-21T21:57:10Z  · ready: the node is proven\n"
            "2026-11-21T21:58:00Z  ! mtu enp1s0f1np1: corrected 3 times within 10 minutes\n"
            "2026-11-21T21:59:00Z  ✗ address enp1s0f0np0: Permission denied\n");
  EXPECT_EQ(printed.err,
            "no daemon runs here now. To start it: systemctl enable --now spark-reconcile\n");
}

TEST(EventsOutput, PaintsTheSigns) {
  EXPECT_TRUE(events_of(kEvents, {.color = Color::kAlways})
                  .out.starts_with("2026-11-21T21:56:57Z  \x1b[32m✓\x1b[0m mtu"));
}

TEST(EventsOutput, SaysThatNothingHasHappenedWhereNoDaemonRan) {
  const auto printed = events_of("");
  EXPECT_EQ(printed.code, ExitCode::kDone);
  EXPECT_EQ(printed.out, "");
  EXPECT_TRUE(printed.err.starts_with("nothing has happened here")) << printed.err;
}

TEST(EventsOutput, RefusesADamagedFile) {
  for (const auto* file : {"not JSON", "[]", "{}", R"({"events": 7})"}) {
    const auto printed = events_of(file);
    EXPECT_EQ(printed.code, ExitCode::kError) << file;
    EXPECT_EQ(printed.out, "") << file;
    EXPECT_TRUE(printed.err.contains("events.json")) << printed.err;
  }
}

TEST(EventsOutput, AFileOfTheDaemonHasTheIdThatTheHistoryGotLater) {
  constexpr const char* kFiles = R"({"schema": "spark-reconcile/event-log/v1", "events": [
    {"number": 1, "at": "2026-11-21T21:50:00Z", "what": "file_in_force", "severity": "notice",
     "text": "in force", "digest": "3b55aa001122ff"},
    {"number": 2, "at": "2026-11-21T21:56:58Z", "what": "file_in_force", "severity": "notice",
     "text": "in force", "digest": "3b55aa001122ff"},
    {"number": 3, "at": "2026-11-21T21:56:59Z", "what": "file_in_force", "severity": "notice",
     "text": "in force", "digest": "3b55aa001122ff"}]})";
  test::FakeHost machine;
  machine.files().put(protocol::kEventsFile, kFiles);
  ASSERT_TRUE(state::add_to_history(machine.files(), "spark1",
                                    {.id = "1",
                                     .at = "2026-11-21T21:56:57Z",
                                     .by = state::kByDaemon,
                                     .digest = "3b55aa001122ff",
                                     .change_id = "slurm-7"},
                                    "text"));
  EXPECT_EQ(run_verb(events, machine).out,
            "2026-11-21T21:50:00Z  · in force\n"
            "2026-11-21T21:56:58Z  · in force (change slurm-7)\n"
            "2026-11-21T21:56:59Z  · in force\n");
}

TEST(EventsOutput, GivesTheTerminalNoOrdersOfOthers) {
  const auto printed = events_of(R"({"schema": "spark-reconcile/event-log/v1", "events": [
    {"number": 1, "at": "T\u001b[2J", "what": "corrected", "severity": "info",
     "text": "mtu a\nb: \u001b[32m1 → 2\u202e"}]})");
  EXPECT_EQ(printed.out, "T\\x1b[2J  ✓ mtu a\\x0ab: \\x1b[32m1 → 2\\u202e\n");
}

}  // namespace
}  // namespace spark::cli
