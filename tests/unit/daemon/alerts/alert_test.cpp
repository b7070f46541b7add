#include "daemon/alerts/alert.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/reconcile/gid_moves.hpp"
#include "unit/daemon/alerts/alert_world.hpp"

namespace spark::daemon {
namespace {

using namespace std::chrono_literals;

std::string names_of(const NodeState& state) {
  std::string names;
  for (const auto& alert : conditions(state)) names += alert.name + " ";
  return names;
}

Alert only_of(const NodeState& state) {
  const auto alerts = conditions(state);
  EXPECT_EQ(alerts.size(), 1U);
  return alerts.empty() ? Alert{} : alerts.front();
}

TEST(Conditions, AreNoneOnAHealthyNode) { EXPECT_EQ(names_of(healthy()), ""); }

TEST(Conditions, AreNoneBeforeAnythingIsKnown) { EXPECT_EQ(names_of(NodeState{}), ""); }

TEST(Conditions, NameTheFactsThatKeepANodeFromBeingReady) {
  auto state = healthy();
  state.verdict = gate::Verdict::kNotReady;
  state.verdict_since = at(9s);
  state.gate->rails.push_back(rail({{.verdict = gate::Verdict::kNotReady,
                                     .id = "SR-GATE-001",
                                     .name = "link",
                                     .measured = "down"}}));
  const auto alert = only_of(state);
  EXPECT_EQ(alert.name, "SparkNodeNotReady");
  EXPECT_EQ(alert.severity, AlertSeverity::kCritical);
  EXPECT_EQ(alert.labels,
            (std::map<std::string, std::string>{{"cluster", "lab"}, {"node", "spark1"}}));
  EXPECT_EQ(alert.description, "enp1s0f0np0 192.0.2.11 link: down [SR-GATE-001]");
  EXPECT_EQ(alert.since.boot, 9s);
}

TEST(Conditions, CallAnUnknownNodeNoAlert) {
  auto state = healthy();
  state.verdict = gate::Verdict::kUnknown;
  EXPECT_EQ(names_of(state), "");
}

TEST(Conditions, TellANodeThatWaitsForLong) {
  auto state = healthy();
  state.verdict = gate::Verdict::kWaiting;
  state.verdict_since = at(9s);
  state.gate->node.push_back({.verdict = gate::Verdict::kWaiting,
                              .id = "SR-GATE-012",
                              .name = "storage",
                              .measured = "the target does not answer"});
  state.gate_at = at(9s + 14min);
  EXPECT_EQ(names_of(state), "");
  state.gate_at = at(9s + 15min);
  const auto alert = only_of(state);
  EXPECT_EQ(alert.name, "SparkNodeNotReady");
  EXPECT_EQ(alert.summary, "node spark1 still waits");
  EXPECT_EQ(alert.description, "storage: the target does not answer [SR-GATE-012]");
}

TEST(Conditions, TellEpisodesByTheirState) {
  auto state = healthy();
  auto drift = failed_mtu(at(5s));
  state.drifts = {drift};
  drift.state = Drift::State::kDiffers;
  drift.key = "b";
  state.drifts.push_back(drift);
  drift.state = Drift::State::kContested;
  drift.key = "c";
  state.drifts.push_back(drift);
  EXPECT_EQ(names_of(state), "SparkResourceFailed SparkDrift SparkContested ");
  EXPECT_EQ(conditions(state)[0].description,
            "mtu enp1s0f0np0 is 1500, the file says 9000 (cluster.yaml:12:5)\n"
            "set mtu of 'enp1s0f0np0' to 9000: Invalid argument");
}

TEST(Conditions, TellDriftThatIsToBeCorrectedOnlyWhenItStays) {
  auto state = healthy();
  auto drift = failed_mtu(at(5s));
  drift.state = Drift::State::kDiffers;
  drift.due = true;
  state.drifts = {drift};
  state.pass_at = at(64s);
  EXPECT_EQ(names_of(state), "");
  state.pass_at = at(65s);
  EXPECT_EQ(names_of(state), "SparkDrift ");
}

TEST(Conditions, TellWhatToDoAboutAContest) {
  auto state = healthy();
  auto drift = failed_mtu(at(5s));
  drift.state = Drift::State::kContested;
  drift.have = drift.want;
  state.drifts = {drift};
  EXPECT_THAT(only_of(state).description,
              testing::StartsWith("mtu enp1s0f0np0 is 9000 for now, as the file says (cluster"));
  EXPECT_EQ(only_of(state).remedy, "stop the other writer, or take the line out of the file");
  state.drifts[0].remedy = "change or remove /etc/sysctl.d/99-vendor.conf:3";
  EXPECT_EQ(only_of(state).remedy, "change or remove /etc/sysctl.d/99-vendor.conf:3");
}

TEST(Conditions, TellDriftThatComesBackThreeTimes) {
  auto state = healthy();
  const auto drift = [](std::chrono::milliseconds when) {
    return ChangeRecord{.at = at(when),
                        .cause = ChangeRecord::Cause::kDrift,
                        .kind = "mtu",
                        .key = "enp1s0f0np0",
                        .before = "1500",
                        .after = "9000"};
  };
  state.changes = {drift(5h), drift(4h)};
  EXPECT_EQ(names_of(state), "");
  state.changes.push_back(drift(1h));
  const auto alert = only_of(state);
  EXPECT_EQ(alert.name, "SparkRecurringDrift");
  EXPECT_EQ(alert.until->boot, 11h);
  state.changes.back().failure = "mtu a does not hold";
  EXPECT_EQ(names_of(state), "");
  state.changes.back().overwritten = true;  // as quick as that, but drift as the others
  EXPECT_EQ(names_of(state), "SparkRecurringDrift ");
  state.changes.front().at = at(8h);
  EXPECT_EQ(names_of(state), "") << "spread over more than six hours";
}

TEST(Conditions, DoNotCallAFilesOwnChangesDrift) {
  auto state = healthy();
  for (const auto when : {30s, 20s, 10s}) {
    state.changes.push_back(
        {.at = at(when), .cause = ChangeRecord::Cause::kFile, .kind = "mtu", .key = "a"});
  }
  EXPECT_EQ(names_of(state), "");
}

TEST(Conditions, TellARefusedFile) {
  auto state = healthy();
  state.file.refused = "cluster.yaml:3:1: error: unknown key 'x' [SR-SPEC-004]\n";
  state.file.refused_first = "cluster.yaml:3:1: unknown key 'x'";
  state.file.refused_since = at(7s);
  EXPECT_EQ(only_of(state).summary, "the file was refused: cluster.yaml:3:1: unknown key 'x'");
}

TEST(Conditions, TellAMissingGidAndASlowLoopbackOfARail) {
  auto state = healthy();
  state.gate->rails.push_back(rail(
      {{.verdict = gate::Verdict::kNotReady, .id = "SR-GATE-005", .measured = "no RoCE v2 GID"},
       {.verdict = gate::Verdict::kNotReady, .id = "SR-GATE-009", .measured = "9.0 Gb/s"}}));
  EXPECT_EQ(names_of(state), "SparkGidMissing SparkLoopbackBelowFloor ");
  EXPECT_EQ(conditions(state)[0].labels.at("device"), "rocep1s0f0");
  state.gate->rails[0].facts[0].verdict = gate::Verdict::kUnknown;
  EXPECT_EQ(names_of(state), "SparkLoopbackBelowFloor ");
}

TEST(Conditions, TellAMovedGidForTenMinutes) {
  GidIndexes known;
  gate::GateReport report;
  report.rails.push_back(rail({}));
  report.rails[0].gid_index = 3;
  EXPECT_TRUE(observe_gids(known, report, at(1s)).empty());
  report.rails[0].gid_index.reset();  // it may be away in between
  EXPECT_TRUE(observe_gids(known, report, at(2s)).empty());
  report.rails[0].gid_index = 5;
  auto state = healthy();
  remember(state.gid_moves, observe_gids(known, report, at(3s)));
  const auto alert = only_of(state);
  EXPECT_EQ(alert.summary, "the GID of 192.0.2.11 on rocep1s0f0 moved from index 3 to 5");
  EXPECT_EQ(alert.until->boot, 10min + 3s);
  EXPECT_TRUE(observe_gids(known, report, at(4s)).empty());
}

TEST(Conditions, TellASinkThatFailedThreeTimes) {
  auto state = healthy();
  state.sinks.push_back({.name = "webhook http://127.0.0.1:1/", .error = "refused", .failures = 2});
  EXPECT_EQ(names_of(state), "");
  state.sinks[0].failures = 3;
  EXPECT_EQ(only_of(state).labels.at("sink"), "webhook http://127.0.0.1:1/");
}

TEST(Conditions, TellWhyNothingIsChangedOrSeen) {
  auto state = healthy();
  state.refusals = {"a", "b"};
  EXPECT_EQ(only_of(state).description, "a\nb");
  state.refusals.clear();
  state.pass_error = "read links: Operation not permitted";
  EXPECT_EQ(only_of(state).name, "SparkPassFailing");
}

TEST(IsJudged, TakesNothingForOverThatWasNotLookedAt) {
  auto state = healthy();
  state.drifts = {failed_mtu(at(5s))};
  state.verdict = gate::Verdict::kNotReady;
  state.file.refused = "x";
  for (const auto& alert : conditions(state)) {
    EXPECT_FALSE(is_judged(alert, NodeState{})) << alert.name;
    EXPECT_TRUE(is_judged(alert, healthy())) << alert.name;
  }
}

TEST(IsJudged, TakesAnUnreadableResourceForUnknown) {
  auto state = healthy();
  state.drifts = {failed_mtu(at(5s))};
  const auto alert = only_of(state);
  state = healthy();
  state.skipped.push_back({.kind = "mtu", .key = "enp1s0f0np0", .why = "unknown"});
  EXPECT_FALSE(is_judged(alert, state));
  state = healthy();
  state.pass_error = "read links: Operation not permitted";
  EXPECT_FALSE(is_judged(alert, state));
}

TEST(IsJudged, TakesARailsFactThatWasNotReachedForUnknown) {
  auto state = healthy();
  state.gate->rails.push_back(
      rail({{.verdict = gate::Verdict::kNotReady, .id = "SR-GATE-009", .measured = "9.0 Gb/s"}}));
  const auto alert = only_of(state);
  state.gate->rails[0].facts[0] = {.verdict = gate::Verdict::kReady, .id = "SR-GATE-001"};
  EXPECT_FALSE(is_judged(alert, state)) << "a job uses the device";
  state.file.since = at(1h);
  EXPECT_TRUE(is_judged(alert, state)) << "the new file may have no floor";
}

TEST(HowItEnded, TellsACorrectionFromAChangedFile) {
  auto state = healthy();
  state.drifts = {failed_mtu(at(5s))};
  const auto alert = only_of(state);
  EXPECT_EQ(how_it_ended(alert, healthy()), "gone by itself");
  state = healthy();
  state.changes.push_back({.at = at(9s),
                           .cause = ChangeRecord::Cause::kDrift,
                           .kind = "mtu",
                           .key = "enp1s0f0np0",
                           .before = "1500",
                           .after = "9000"});
  EXPECT_EQ(how_it_ended(alert, state), "corrected to 9000");
  state.changes.clear();
  state.file.since = at(8s);
  EXPECT_EQ(how_it_ended(alert, state), "the file changed");
}

TEST(Fingerprint, LeavesOutTheNodeAndKeepsValuesApart) {
  Alert a{.name = "x", .labels = {{"key", "1 link=1:2"}, {"node", "n"}}};
  Alert b{.name = "x", .labels = {{"key", "1"}, {"link", "2"}}};
  EXPECT_NE(fingerprint(a), fingerprint(b));
  b = a;
  b.labels["node"] = "m";
  EXPECT_EQ(fingerprint(a), fingerprint(b));
}

std::string read(const std::string& path) {
  std::ifstream file(SPARK_SOURCE_DIR + ("/" + path));
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(AlertRules, StandInTheManualAndInTheCatalog) {
  const auto manual = read("docs/alerts.md");
  const auto catalog = read("systemd/spark-reconcile.catalog");
  std::set<std::string_view> ids;
  for (const auto& rule : alert_rules()) {
    EXPECT_NE(manual.find("## " + std::string(rule.id) + ": " + std::string(rule.name) + "\n"),
              std::string::npos)
        << rule.name;
    EXPECT_NE(catalog.find("-- " + std::string(rule.message_id) + "\nSubject: "), std::string::npos)
        << rule.name;
    EXPECT_TRUE(ids.insert(rule.message_id).second) << rule.name;
    EXPECT_TRUE(ids.insert(rule.id).second) << rule.name;
  }
}

}  // namespace
}  // namespace spark::daemon
