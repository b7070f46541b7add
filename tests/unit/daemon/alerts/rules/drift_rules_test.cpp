#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/alerts/rules/rules.hpp"
#include "unit/daemon/alerts/alert_world.hpp"

namespace spark::daemon {
namespace {

using namespace std::chrono_literals;

TEST(Conditions, TellDriftByItsState) {
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
  EXPECT_EQ(
      only_of(state).remedy,
      "stop the other writer, or take the line out of the file; then `spark-reconcile resume` "
      "corrects it at once");
  state.drifts[0].remedy = "change or remove /etc/sysctl.d/99-vendor.conf:3";
  EXPECT_EQ(only_of(state).remedy,
            "change or remove /etc/sysctl.d/99-vendor.conf:3; then `spark-reconcile resume` "
            "corrects it at once");
}

ChangeRecord corrected_drift(std::chrono::milliseconds when) {
  return {.at = at(when),
          .cause = ChangeRecord::Cause::kDrift,
          .kind = "mtu",
          .key = "enp1s0f0np0",
          .before = "1500",
          .after = "9000"};
}

TEST(Conditions, TellDriftThatComesBackThreeTimes) {
  auto state = healthy();
  state.changes = {corrected_drift(5h), corrected_drift(4h)};
  EXPECT_EQ(names_of(state), "");
  state.changes.push_back(corrected_drift(1h));
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

TEST(Conditions, TellTheFirstCorrectionWhereTheFileWantsThat) {
  auto state = healthy();
  state.drift_alert_at = 1;
  EXPECT_EQ(names_of(state), "");
  state.changes = {corrected_drift(5h)};
  const auto alert = only_of(state);
  EXPECT_EQ(alert.name, "SparkRecurringDrift");
  EXPECT_EQ(alert.summary, "mtu enp1s0f0np0 had to be corrected once");
  EXPECT_EQ(alert.description, "last from 1500 to 9000; somebody else changed it");
  EXPECT_EQ(alert.until->boot, 11h);
}

TEST(Conditions, TellNoCorrectionWhereTheFileWantsNone) {
  auto state = healthy();
  state.drift_alert_at.reset();
  state.changes = {corrected_drift(5h), corrected_drift(4h), corrected_drift(3h)};
  EXPECT_EQ(names_of(state), "");
}

TEST(Conditions, DoNotCallAFilesOwnChangesDrift) {
  auto state = healthy();
  for (const auto when : {30s, 20s, 10s}) {
    state.changes.push_back(
        {.at = at(when), .cause = ChangeRecord::Cause::kFile, .kind = "mtu", .key = "a"});
  }
  EXPECT_EQ(names_of(state), "");
}

}  // namespace
}  // namespace spark::daemon
