#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

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
  return run_verb("events", machine, arguments);
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

/// Two cables with two rails each are out, and in again, as a daemon kept it.
std::string replug() {
  std::string text = R"({"schema": "spark-reconcile/event-log/v1", "events": [)";
  int number = 0;
  const auto add = [&](int second, const std::string& what, const std::string& severity,
                       const std::string& more) {
    text += fmt::format(
        R"({}{{"number": {}, "at": "2026-11-21T21:56:{:02}Z", "what": "{}", "severity": "{}", {}}})",
        number == 0 ? "" : ", ", number + 1, second, what, severity, more);
    ++number;
  };
  add(0, "verdict", "notice",
      R"("text": "spark1: not ready; link of enp1s0f0np0: up, no carrier [SR-GATE-001]",
         "remedy": "plug the cable")");
  for (int rail = 0; rail < 4; ++rail) {
    for (const auto* kind : {"mtu", "link", "address", "roce"}) {
      add(4 + rail, "corrected", "info",
          fmt::format(R"("text": "{} {}: absent → set (link): done", "cause": "link")", kind,
                      rail));
    }
    add(8, "gid_moved", "warning", R"("text": "the RoCE v2 GID moved")");
  }
  add(12, "verdict", "notice", R"("text": "spark1: ready; 28 in sync")");
  return text + "]}";
}

// It was 24 lines, and none said what to do.
TEST(EventsOutput, WhatOneCauseBringsAboutIsOneLineWithItsRemedy) {
  EXPECT_EQ(events_of(replug()).out,
            "2026-11-21T21:56:00Z  ! spark1: not ready; link of enp1s0f0np0: up, no carrier "
            "[SR-GATE-001]; plug the cable; then 16 corrections, 4 moved GIDs (link); spark1: "
            "ready; 28 in sync\n");
  const auto each = events_of(replug(), {.verbosity = 1}).out;
  EXPECT_EQ(std::ranges::count(each, '\n'), 22);
  const auto shown = nlohmann::json::parse(events_of(replug(), {.json = true}).out);
  ASSERT_EQ(shown["events"].size(), 22U);
  EXPECT_EQ(shown["events"][0]["remedy"], "plug the cable");
  EXPECT_EQ(shown["events"][1]["cause"], "link");
  EXPECT_FALSE(shown["events"][0].contains("cause"));
}

TEST(EventsOutput, WhatSomebodyElseChangedEndsThatAndHasItsLine) {
  auto text = replug();
  const auto at = text.find(R"("text": "mtu 2:)");
  text.replace(text.find(R"("cause": "link")", at), 15, R"("cause": "drift")");
  const auto out = events_of(text).out;
  EXPECT_EQ(std::ranges::count(out, '\n'), 3);
  EXPECT_TRUE(out.contains("Z  ✓ mtu 2: absent")) << out;
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
  EXPECT_EQ(run_verb("events", machine).out,
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
