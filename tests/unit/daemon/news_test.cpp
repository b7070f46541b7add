#include "daemon/news.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <syslog.h>

namespace spark::daemon {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// "<5>in force …", as the journal has them.
std::vector<std::string> lines(const NodeState& former, const NodeState& state) {
  std::vector<std::string> lines;
  for (const auto& item : news(former, state)) {
    lines.push_back("<" + std::to_string(item.priority) + ">" + item.text);
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

TEST(News, OfWhatPreventsAllChangesHaveTheRemedyOfThePage) {
  auto state = quiet();
  state.file.refused = state.file.refused_first = "cluster.yaml:3:1: error: unknown key";
  state.refusals = {"address: it would cut the machine off [SR-GUARD-001]"};
  const auto items = news(quiet(), state);
  ASSERT_EQ(items.size(), 2U);
  EXPECT_EQ(items[0].remedy,
            "fix the file (`spark-reconcile validate`); the last good one stays in force");
  EXPECT_EQ(items[1].remedy, "`spark-reconcile plan` names each reason with its id");
}

TEST(News, TellWhatBecameOfAFileForAllNodes) {
  using all_nodes::Stage;
  const auto at = [](Stage stage, Stage other) {
    auto state = quiet();
    state.all_nodes = all_nodes::Progress{
        .terms = {.id = "1f", .origin = "spark2", .by = "alice", .digest = "d", .nodes = {}},
        .why = stage == Stage::kBack ? "spark2: mtu" : "",
        .until = {},
        .nodes = {{.node = "spark1", .stage = stage, .why = {}, .plan = {}},
                  {.node = "spark2", .stage = other, .why = {}, .plan = {}}}};
    return state;
  };
  const auto heard = at(Stage::kHeard, Stage::kYes);
  EXPECT_THAT(lines(quiet(), heard), ElementsAre("<5>alice on spark2 offers a file to all nodes"));
  EXPECT_THAT(lines(heard, at(Stage::kKept, Stage::kKept)),
              ElementsAre("<5>all nodes keep the file that alice on spark2 offered"));
  EXPECT_THAT(lines(heard, at(Stage::kBack, Stage::kBack)), IsEmpty()) << "only planned";
  EXPECT_THAT(lines(at(Stage::kGoing, Stage::kYes), at(Stage::kBack, Stage::kBack)),
              ElementsAre("<4>no node keeps the file that alice on spark2 offered: spark2: mtu"));
  EXPECT_THAT(lines(heard, at(Stage::kBack, Stage::kKept)),
              Contains("<4>not all nodes keep the file that alice on spark2 offered"));
  EXPECT_THAT(lines(quiet(), at(Stage::kKept, Stage::kKept)), IsEmpty()) << "a restart";
}

TEST(News, SayThatAChangedFileWaitsForAllNodes) {
  auto state = quiet();
  state.file.waits_for_all = true;
  const auto items = news(quiet(), state);
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(items[0].text, "'/etc/spark-reconcile/cluster.yaml' is changed, and waits");
  EXPECT_THAT(items[0].remedy, HasSubstr("`sudo spark-reconcile apply --all`"));
}

TEST(News, NameAnInterruptedApplyOnceWithItsCommands) {
  auto state = quiet();
  state.unfinished = {.what = "an apply was interrupted", .remedy = "`spark-reconcile apply`"};
  const auto items = news(quiet(), state);
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(items[0].text, "an apply was interrupted");
  EXPECT_EQ(items[0].remedy, "`spark-reconcile apply`");
  EXPECT_THAT(lines(state, state), IsEmpty());
}

TEST(News, SayWhichFileComesIntoForce) {
  EXPECT_THAT(lines({}, quiet()),
              ElementsAre("<5>in force for node 'spark1': '/etc/spark-reconcile/cluster.yaml', "
                          "digest 0123456789ab"));
}

TEST(News, NameNoNodeWhereThisMachineIsNone) {
  auto state = quiet();
  state.node.clear();
  EXPECT_THAT(lines({}, state), ElementsAre("<5>in force: '/etc/spark-reconcile/cluster.yaml', "
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
  after.changes.front().writer = "NetworkManager (process 412)";
  after.changes.push_front(change("9000", "set mtu: Invalid argument"));
  after.counters.corrections["mtu"] = 2;
  after.counters.failures["mtu"] = 1;
  EXPECT_THAT(
      lines(before, after),
      ElementsAre("<5>mtu enp1s0f0np0: 1500 → 9000 (drift, while NetworkManager (process 412) "
                  "changed addresses of the link): done",
                  "<4>mtu enp1s0f0np0: 1500 → 9000 (drift): set mtu: Invalid argument"));
}

TEST(News, OfAChangeThatIsNoDriftAreForThoseWhoAskForMore) {
  auto after = quiet();
  after.changes.push_front(change("9000"));
  after.changes.front().cause = ChangeRecord::Cause::kFile;
  after.counters.corrections["mtu"] = 1;
  EXPECT_THAT(lines(quiet(), after), ElementsAre("<6>mtu enp1s0f0np0: 1500 → 9000 (file): done"));
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

TEST(News, HaveTheCauseOfAChangeAndTheRemedyOfTheVerdict) {
  auto state = quiet();
  state.changes = {change("9000")};
  state.changes.front().cause = ChangeRecord::Cause::kLink;
  state.counters.corrections["mtu"] = 1;
  state.verdict = gate::Verdict::kNotReady;
  state.gate = gate::GateReport{};
  state.gate->node.push_back({.verdict = gate::Verdict::kNotReady,
                              .id = "SR-GATE-013",
                              .name = "mount",
                              .measured = "absent",
                              .remedy = "spark-reconcile apply"});
  const auto told = news(quiet(), state);
  ASSERT_EQ(told.size(), 2U);
  EXPECT_EQ(told[0].cause, "link");
  EXPECT_EQ(told[1].remedy, "spark-reconcile apply");
  EXPECT_EQ(event_of(told[1], {}).remedy, "spark-reconcile apply");
}

TEST(News, SayWhyTheVerdictIsNotReady) {
  auto unknown = quiet();
  unknown.verdict = gate::Verdict::kNotReady;
  EXPECT_THAT(lines(quiet(), unknown),
              ElementsAre("<5>spark1: not ready; 0 in sync; the gate has not looked yet"));
}

TEST(News, SayHowATrialEndedAndNothingWhereSomebodyEndedIt) {
  auto former = quiet();
  former.source = SourceState{.on_trial = true, .bad = {{.digest = "z", .why = "mtu", .at = ""}}};
  auto state = quiet();
  state.source = SourceState{.bad = former.source->bad};
  EXPECT_THAT(lines(former, state),
              ElementsAre("<5>the file from git is good: nothing that held before it fails now"));
  state.file.digest = "of the file before";
  state.source->bad.push_back({.digest = "x", .why = "gid", .at = ""});
  EXPECT_THAT(lines(former, state), Contains("<4>the file from git is bad: gid"));
  state.source->bad.clear();
  EXPECT_THAT(lines(former, state), Not(Contains(HasSubstr("from git"))));
}

TEST(News, SayThatAResourceIsContestedAndWhenThatIsOver) {
  auto contested = quiet();
  contested.drifts = {{.kind = "mtu",
                       .key = "enp1s0f0np0",
                       .state = Drift::State::kContested,
                       .why = "corrected 3 times in 60 s",
                       .held_until = {.wall = std::chrono::sys_seconds(std::chrono::hours(10))}}};
  EXPECT_THAT(lines(quiet(), contested),
              ElementsAre("<4>mtu enp1s0f0np0: contested until 1970-01-01T10:00:00Z: corrected 3 "
                          "times in 60 s"));
  EXPECT_EQ(
      news(quiet(), contested).front().remedy,
      "stop the other writer, or take the line out of the file; then `spark-reconcile resume` "
      "corrects it at once");
  EXPECT_THAT(lines(contested, contested), IsEmpty());
  EXPECT_THAT(lines(contested, quiet()), ElementsAre("<5>mtu enp1s0f0np0: no longer contested"));
}

TEST(News, SayOnceWhatWaitsForAJob) {
  auto waiting = quiet();
  waiting.disturb_waits = {
      {.kind = "mtu",
       .key = "enp1s0f0np0",
       .have = "9000",
       .want = "4000",
       .uses = {{.link = "enp1s0f0np0", .rail = config::Rail{0, 0}, .process_count = 1}}}};
  EXPECT_THAT(lines(quiet(), waiting),
              ElementsAre("<5>mtu enp1s0f0np0: 9000 → 4000 waits: a job uses rail 0 of cage 0 "
                          "(enp1s0f0np0)"));
  EXPECT_THAT(lines(waiting, waiting), IsEmpty());
  EXPECT_THAT(lines(waiting, quiet()), IsEmpty()) << "the change has a line of its own";
}

TEST(News, SayThatItIsPausedByWhomAndWhy) {
  auto paused = quiet();
  paused.paused = state::Paused{.until = {.wall = std::chrono::sys_seconds(std::chrono::hours(1))},
                                .reason = "new cable",
                                .by = "ann"};
  EXPECT_THAT(lines(quiet(), paused),
              ElementsAre("<5>paused until 1970-01-01T01:00:00Z by ann: new cable"));
  EXPECT_THAT(lines(paused, quiet()),
              ElementsAre("<5>the pause has ended; drift is corrected again"));
}

TEST(News, SayThatTheNodeIsReleased) {
  auto released = quiet();
  released.released = Released{.at = "2026-01-31T09:30:00Z", .by = "ann"};
  EXPECT_THAT(lines(quiet(), released),
              ElementsAre("<5>released at 2026-01-31T09:30:00Z by ann: nothing is set until "
                          "`spark-reconcile apply` or `resume`"));
  EXPECT_THAT(lines(released, quiet()),
              ElementsAre("<5>the release has ended; the file applies again"));
}

TEST(News, SayThatAGidMovedOnce) {
  auto moved = quiet();
  moved.gid_moves = {
      {.link = "enp1s0f0np0", .device = "rocep1s0f0", .ip = "192.0.2.1", .from = 3, .to = 5}};
  EXPECT_THAT(lines(quiet(), moved),
              ElementsAre("<4>the RoCE v2 GID of 192.0.2.1 on enp1s0f0np0 (rocep1s0f0) moved from "
                          "index 3 to 5: programs that use the old index hang"));
  EXPECT_THAT(lines(moved, moved), IsEmpty());
}

TEST(News, SayWhatWasLostOfTheRecords) {
  auto lost = quiet();
  lost.loss = StateLoss{.at = {.wall = std::chrono::sys_seconds(std::chrono::hours(1))},
                        .what = "the ledger was removed"};
  EXPECT_THAT(lines(quiet(), lost), ElementsAre("<4>the ledger was removed"));
  EXPECT_THAT(lines(lost, lost), IsEmpty());
}

TEST(News, AreEventsOfTheirMoment) {
  const auto event =
      event_of({4, "hindered", "no change"},
               {.wall = std::chrono::sys_seconds(std::chrono::hours(2)), .boot = {}});
  EXPECT_EQ(event.at, "1970-01-01T02:00:00Z");
  EXPECT_EQ(event.what, "hindered");
  EXPECT_EQ(event.severity, "warning");
  EXPECT_EQ(event.text, "no change");
}

TEST(News, NameWhatAskedForAPass) {
  EXPECT_EQ(sources_text({{"netlink", 7}, {"timer", 1}}), "netlink 7, timer 1");
}

/// What each of the news says of the change that caused it.
std::vector<std::string> change_ids(const NodeState& former, const NodeState& state) {
  std::vector<std::string> ids;
  for (const auto& item : news(former, state)) ids.push_back(item.change_id);
  return ids;
}

TEST(News, NameTheChangeThatCausedThem) {
  auto applied = quiet();
  applied.change_id = "C1";
  EXPECT_THAT(change_ids({}, applied), ElementsAre("C1"));
  EXPECT_EQ(event_of(news({}, applied).front(), {}).change_id, "C1");
  EXPECT_EQ(event_of(news({}, applied).front(), {}).digest, applied.file.digest);
  auto failed = applied;
  failed.pass_error = "read links: No such device";
  EXPECT_THAT(change_ids(applied, failed), ElementsAre("")) << "no change caused that";
}

TEST(News, NameTheChangeThatBeganAPauseAndTheOneThatEndedIt) {
  using std::chrono::seconds;
  const auto before = quiet();
  auto paused = before;
  paused.paused = state::Paused{.since = {.wall = {}, .boot = seconds(10)},
                                .until = {.wall = {}, .boot = seconds(70)},
                                .change_id = "C2"};
  EXPECT_THAT(change_ids(before, paused), ElementsAre("C2"));
  EXPECT_THAT(change_ids(paused, before), ElementsAre("C2")) << "its time was over";
  auto resumed = before;
  resumed.by_hand = {.boot = seconds(20), .change_id = "C3"};
  EXPECT_THAT(change_ids(paused, resumed), ElementsAre("C3"));
  resumed.by_hand = {.boot = seconds(20), .change_id = {}};
  EXPECT_THAT(change_ids(paused, resumed), ElementsAre("")) << "it was resumed without one";
}

TEST(News, OfAReleaseWaitForTheHistory) {
  auto before = quiet();
  before.change_id = "C1";
  auto marked = before;
  marked.released = Released{};
  EXPECT_THAT(change_ids(before, marked), testing::IsEmpty()) << "the history has it not yet";
  auto noted = marked;
  noted.released = Released{.at = "2026-01-31T00:01:00Z", .by = "alice"};
  noted.change_id = "C2";
  EXPECT_THAT(change_ids(marked, noted), ElementsAre("C2"));
  EXPECT_THAT(change_ids(noted, noted), testing::IsEmpty());
}

TEST(News, NameTheChangeThatEndedARelease) {
  using std::chrono::seconds;
  auto state = quiet();
  state.change_id = "C4";
  state.pass_at = {.wall = std::chrono::sys_days{std::chrono::year{2026} / 1 / 31} + seconds(100),
                   .boot = seconds(1100)};
  auto released = state;
  released.released = Released{.at = "2026-01-31T00:01:00Z", .by = "alice"};
  EXPECT_THAT(change_ids(quiet(), released), testing::Contains("C4"));
  state.by_hand = {.boot = seconds(1070), .change_id = "C5"};
  EXPECT_THAT(change_ids(released, state), ElementsAre("C5"));
  state.by_hand.boot = seconds(1050);
  EXPECT_THAT(change_ids(released, state), ElementsAre("C4")) << "an apply ended it";
}

}  // namespace
}  // namespace spark::daemon
