#include "daemon/news.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <syslog.h>

namespace spark::daemon {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// "<5>in force …", as the journal has them.
std::vector<std::string> lines(const NodeState& former, const NodeState& state) {
  std::vector<std::string> lines;
  for (const auto& [priority, text] : news(former, state)) {
    lines.push_back("<" + std::to_string(priority) + ">" + text);
  }
  return lines;
}

NodeState quiet() {
  NodeState state;
  state.node = "spark1";
  state.file.path = "/etc/spark-reconcile/cluster.yaml";
  state.file.digest = "0123456789abcdef";
  return state;
}

ChangeRecord change(const std::string& after, const std::string& failure = "") {
  return {.cause = ChangeRecord::Cause::kDrift,
          .kind = "mtu",
          .key = "enp1s0f0np0",
          .before = "1500",
          .after = after,
          .failure = failure};
}

TEST(News, OfTheSameStateThereIsNone) { EXPECT_THAT(lines(quiet(), quiet()), IsEmpty()); }

TEST(News, SayWhichFileComesIntoForce) {
  EXPECT_THAT(lines({}, quiet()),
              ElementsAre("<5>in force for node 'spark1': '/etc/spark-reconcile/cluster.yaml', "
                          "digest 0123456789ab"));
}

TEST(News, SayThatAFileIsRefusedAndWhenThatIsOver) {
  auto refused = quiet();
  refused.file.refused = "two\nfindings";
  refused.file.refused_first = "cluster.yaml:3:1: error: unknown key";
  EXPECT_THAT(lines(quiet(), refused),
              ElementsAre("<4>refused: cluster.yaml:3:1: error: unknown key"));
  EXPECT_THAT(lines(refused, quiet()), ElementsAre("<5>no file is refused any more"));
}

TEST(News, SayWhatKeepsEverythingFromBeingChanged) {
  auto refused = quiet();
  refused.refusals = {"'eth0' is the link of this connection [SR-GUARD-001]"};
  EXPECT_THAT(
      lines(quiet(), refused),
      ElementsAre("<4>nothing is changed: 'eth0' is the link of this connection [SR-GUARD-001]"));
  EXPECT_THAT(lines(refused, refused), IsEmpty());
  EXPECT_THAT(lines(refused, quiet()), ElementsAre("<5>nothing hinders a change any more"));
}

TEST(News, SayEachCorrectionWithItsCauseTheOldestFirst) {
  auto before = quiet();
  before.changes = {change("4000")};
  before.counters.corrections["mtu"] = 1;
  auto after = before;
  after.changes.push_front(change("9000"));
  after.changes.push_front(change("9000", "set mtu: Invalid argument"));
  after.counters.corrections["mtu"] = 2;
  after.counters.failures["mtu"] = 1;
  EXPECT_THAT(lines(before, after),
              ElementsAre("<6>mtu enp1s0f0np0: 1500 → 9000 (drift): done",
                          "<4>mtu enp1s0f0np0: 1500 → 9000 (drift): set mtu: Invalid argument"));
}

TEST(News, SayThatThePassFailsAndWorksAgain) {
  auto failing = quiet();
  failing.pass_error = "read links: Permission denied";
  EXPECT_THAT(lines(quiet(), failing), ElementsAre("<3>read links: Permission denied"));
  EXPECT_THAT(lines(failing, quiet()), ElementsAre("<5>it can look at the node again"));
}

TEST(News, SayTheVerdict) {
  auto ready = quiet();
  ready.verdict = gate::Verdict::kReady;
  EXPECT_THAT(lines(quiet(), ready), ElementsAre("<5>spark1: ready; 0 in sync"));
}

TEST(News, NameWhatAskedForAPass) {
  EXPECT_EQ(sources_text({{"netlink", 7}, {"timer", 1}}), "netlink 7, timer 1");
}

}  // namespace
}  // namespace spark::daemon
