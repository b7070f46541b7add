#include <gtest/gtest.h>

#include "protocol/paths.hpp"
#include "unit/cli/verb_run.hpp"

namespace spark::cli {
namespace {

/// A correction, one that failed, and a resource that somebody else writes.
constexpr const char* kStatus = R"({
  "changes": [
    {"at": "2026-11-21T21:57:10Z", "cause": "drift", "kind": "address",
     "key": "enp1s0f0np0 198.51.100.11", "before": "absent", "after": "/24",
     "failure": "add address: Permission denied"},
    {"at": "2026-11-21T21:56:57Z", "cause": "file", "kind": "mtu", "key": "enp1s0f0np0",
     "before": "1500", "after": "9000", "failure": null}],
  "drift": [
    {"kind": "mtu", "key": "enp1s0f1np1", "state": "contested", "since": "2026-11-21T21:58:00Z",
     "held_until": "2026-11-21T22:28:00Z", "why": "corrected 3 times within 10 minutes",
     "remedy": "change /etc/netplan/40-cx7.yaml:5"},
    {"kind": "sysctl", "key": "net.core.rmem_max", "state": "differs", "why": ""}]
})";

Printed events_of(const std::string& status, const Arguments& arguments = {}) {
  test::FakeHost machine;
  if (!status.empty()) machine.files().put(protocol::kStatusFile, status);
  return run_verb(events, machine, arguments);
}

TEST(EventsOutput, HasTheOldestFirstAndThenWhatIsContested) {
  const auto printed = events_of(kStatus);
  EXPECT_EQ(printed.code, ExitCode::kDone);
  EXPECT_EQ(printed.out,
            "2026-11-21T21:56:57Z  file   ✓ mtu enp1s0f0np0: 1500 → 9000\n"
            "2026-11-21T21:57:10Z  drift  ✗ address enp1s0f0np0 198.51.100.11: absent → /24\n"
            "      add address: Permission denied\n"
            "2026-11-21T21:58:00Z  drift  ! mtu enp1s0f1np1: contested until "
            "2026-11-21T22:28:00Z: corrected 3 times within 10 minutes\n"
            "    change /etc/netplan/40-cx7.yaml:5\n"
            "    stop who changes it, then `spark-reconcile resume` corrects it again at once\n");
  EXPECT_EQ(printed.err, "");
}

TEST(EventsOutput, PaintsTheSigns) {
  EXPECT_EQ(events_of(R"({"changes": [{"at": "T", "cause": "drift", "kind": "mtu", "key": "a",
                          "before": "1", "after": "2", "failure": null}], "drift": []})",
                      {.color = Color::kAlways})
                .out,
            "T  drift  \x1b[32m✓\x1b[0m mtu a: 1 → 2\n");
}

TEST(EventsOutput, AreNoneWhereNoDaemonHasWritten) {
  for (const auto* status : {"", "not JSON", "[]", "{}", R"({"changes": 7, "drift": []})"}) {
    const auto printed = events_of(status);
    EXPECT_EQ(printed.code, ExitCode::kDone) << status;
    EXPECT_EQ(printed.out, "") << status;
  }
}

TEST(EventsOutput, GivesTheTerminalNoOrdersOfOthers) {
  EXPECT_EQ(events_of(R"({"changes": [{"at": "T\u001b[2J", "cause": "drift", "kind": "mtu",
                          "key": "a\nb", "before": "\u001b[32m1", "after": "2\u202e",
                          "failure": "x\ny"}],
                          "drift": [{"kind": "mtu", "key": "k\n9", "state": "contested",
                          "since": "S", "why": "by '\u001b[32m'", "remedy": "r\nr"}]})",
                      {.color = Color::kAlways})
                .out,
            "T\\x1b[2J  drift  \x1b[31m✗\x1b[0m mtu a\\x0ab: \\x1b[32m1 → 2\\u202e\n"
            "      x\\x0ay\n"
            "S  drift  \x1b[31m!\x1b[0m mtu k\\x0a9: contested: by '\\x1b[32m'\n"
            "    r\\x0ar\n"
            "    stop who changes it, then `spark-reconcile resume` corrects it again at once\n");
}

}  // namespace
}  // namespace spark::cli
