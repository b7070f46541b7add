#include "cli/daemon_status.hpp"

#include <gtest/gtest.h>

#include "cli/doctor/daemon_check.hpp"
#include "fake/fake_host.hpp"
#include "protocol/paths.hpp"

namespace spark::cli {
namespace {

/// What `status` says of a daemon that wrote that; "none" where it has nothing to say.
std::string text_of(const std::string& status) {
  test::FakeHost machine;
  machine.files().put(protocol::kStatusFile, status);
  const auto read = read_last_status(machine.files());
  if (!read) return read.error().what;
  return *read ? daemon_text(**read) : "none";
}

TEST(DaemonText, OfAReadyNodeIsOneLine) {
  EXPECT_EQ(text_of(R"({"verdict": "ready", "why": "", "generated_at": "2026-11-21T21:56:57Z",
                        "digest": "3b55", "file": {"path": "/f", "refused": null},
                        "paused": null, "drift": []})"),
            "daemon: ready (at 2026-11-21T21:56:57Z)\n");
}

TEST(DaemonText, HasALineForEachThingThatIsInTheWay) {
  EXPECT_EQ(text_of(R"({"verdict": "not ready", "why": "mtu of eth0: 1500, the file says 9000",
                  "generated_at": "T", "digest": "3b55",
                  "file": {"path": "/f", "refused": {"first": "/f:2:1: unknown key"},
                           "waits": true},
                  "paused": {"until": "U", "reason": "new cables"},
                  "drift": [{"kind": "mtu", "key": "eth0", "state": "failed", "why": "no rights"},
                            {"kind": "mtu", "key": "eth1", "state": "contested",
                             "held_until": "H", "why": "3 times", "remedy": "change F:5"},
                            {"kind": "mtu", "key": "eth2", "state": "differs", "why": ""}]})"),
            "daemon: not ready: mtu of eth0: 1500, the file says 9000 (at T)\n"
            "  paused until U, new cables; `spark-reconcile resume` ends it\n"
            "  the file is refused, the last good one is in force: /f:2:1: unknown key\n"
            "  the file has changed; it would be applied after `spark-reconcile resume`\n"
            "  mtu eth0: failed: no rights\n"
            "  mtu eth1: contested until H: 3 times\n"
            "    change F:5\n"
            "    stop who changes it, then `spark-reconcile resume` corrects it again at once\n");
}

TEST(DaemonText, SaysThatNothingIsSetWhereNoFileWasEverGood) {
  EXPECT_EQ(text_of(R"({"verdict": "unknown", "why": "", "generated_at": "T", "digest": null,
                        "file": {"path": "/f", "refused": {"first": "line 2"}},
                        "paused": {"until": "U", "reason": ""}, "drift": []})"),
            "daemon: unknown (at T)\n"
            "  paused until U; `spark-reconcile resume` ends it\n"
            "  the file is refused, and no file was ever applied, so nothing is set: line 2\n");
}

TEST(DaemonText, IsNoneOfAnotherVersionOrOfDamage) {
  for (const auto* status : {"", "{}", "[1]", "not JSON", R"({"file": 1, "paused": null})",
                             R"({"file": {"refused": null}, "paused": null, "drift": 7})"}) {
    EXPECT_EQ(text_of(status), "none") << status;
  }
}

TEST(DaemonText, GivesTheTerminalNoOrdersOfOthers) {
  EXPECT_EQ(text_of(R"({"verdict": "not ready", "why": "by '\u001b[32m\n'", "generated_at": "T",
                        "digest": "3b55",
                        "file": {"path": "/f", "refused": {"first": "a\n  b"}},
                        "paused": {"until": "U", "reason": "\u001b[2J"},
                        "drift": [{"kind": "mtu", "key": "k\n", "state": "failed",
                                   "why": "w\u0007", "remedy": "r\n"}]})"),
            "daemon: not ready: by '\\x1b[32m\\x0a' (at T)\n"
            "  paused until U, \\x1b[2J; `spark-reconcile resume` ends it\n"
            "  the file is refused, the last good one is in force: a\\x0a  b\n"
            "  mtu k\\x0a: failed: w\\x07\n"
            "    r\\x0a\n");
}

TEST(DaemonStatus, NamesWhatWaitsForAJobAndWhoseItIs) {
  const DaemonStatus word{.verdict = "ready",
                          .waits = {"mtu eth1: 9000 → 4000 waits since S\n    python3 (pid 4711)"},
                          .generated_at = "T"};
  EXPECT_EQ(
      daemon_text(word),
      "daemon: ready (at T)\n"
      "  mtu eth1: 9000 → 4000 waits since S\n"
      "    python3 (pid 4711)\n"
      "  made once the job has ended; `spark-reconcile apply` makes it now, and disturbs it\n");
}

TEST(DoctorFindings, OfAContestHaveTheWholeRemedyOnOneLine) {
  const auto findings = findings_of(
      {.verdict = "ready",
       .left_alone = {"mtu eth1: contested: 3 times\n    change F:5\n    stop who changes it",
                      "mtu eth2: failed: no rights"}},
      {});
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].what, "it leaves alone mtu eth1: contested: 3 times");
  EXPECT_EQ(findings[0].remedy, "change F:5; stop who changes it");
  EXPECT_EQ(findings[1].what, "it leaves alone mtu eth2: failed: no rights");
  EXPECT_EQ(findings[1].remedy, "`spark-reconcile events` shows what it did");
}

/// A rail whose first fact that fails is this one.
gate::RailFacts rail_with(const gate::Fact& fact) {
  return {.link = "eth1", .device = "", .ip = {}, .facts = {gate::holds({"X", "x"}, ""), fact}};
}

std::string cause_of_verdict(const gate::GateReport& gate) {
  return findings_of({.verdict = "not ready"}, gate).front().follows_from;
}

TEST(DoctorFindings, OfTheGateFollowFromTheFindingThatSaysTheSame) {
  using gate::Detail;
  using gate::fails;
  using gate::Verdict;
  const auto mtu =
      rail_with(fails({"SR-GATE-002", "mtu"}, Verdict::kNotReady, Detail::kDiffers, "", ""));
  const auto link =
      rail_with(fails({"SR-GATE-001", "link"}, Verdict::kNotReady, Detail::kNoCarrier, "", ""));
  const auto loopback =
      rail_with(fails({"SR-GATE-007", "loopback"}, Verdict::kNotReady, Detail::kTryFailed, "", ""));
  EXPECT_EQ(cause_of_verdict({.rails = {mtu}, .node = {}}), "plan");
  EXPECT_EQ(cause_of_verdict({.rails = {link, mtu}, .node = {}}), "cable");
  EXPECT_EQ(cause_of_verdict({.rails = {loopback}, .node = {}}), "");
  EXPECT_EQ(cause_of_verdict({.rails = {mtu, loopback}, .node = {}}), "")
      << "it has its own reason";
  EXPECT_EQ(cause_of_verdict({.rails = {mtu}, .node = mtu.facts}), "") << "so has the node";
}

}  // namespace
}  // namespace spark::cli
