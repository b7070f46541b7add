#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json_document.hpp"
#include "config/parse/parse.hpp"
#include "daemon/reconcile/reconciler.hpp"
#include "fake/fake_pass.hpp"
#include "fake/names.hpp"
#include "protocol/paths.hpp"
#include "protocol/peers.hpp"
#include "state/by_hand.hpp"
#include "state/journal.hpp"
#include "state/rollout_skips.hpp"

namespace spark::daemon {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ReconcilerRolloutTest : public test::PassTest {
 protected:
  ReconcilerRolloutTest() {
    host_.files().put(protocol::kDefaultFile, text_);
    pass();
  }

  PassOutcome pass() { return reconciler_.pass({.triggers = {{"test", 1}}, .writers = writers_}); }

  /// Another MTU would join the pair: another buffer alone.
  static std::string other_text() {
    auto text = test::pair_text();
    text.replace(text.find("268435456"), 9, "134217728");
    return text + "rollout: { canary: spark2 }\n";
  }
  void change_file() { host_.files().put(protocol::kDefaultFile, other_text()); }

  void hear(const std::string& file, const std::string& candidate = "") {
    protocol::PeersReport report{.boot_id = state::boot_id(ports_)};
    protocol::HeardHello heard{
        .link = test::kRail, .mac = "02:00:00:00:00:02", .hello = {}, .heard_ms = 1};
    heard.hello.node = "spark2";
    heard.hello.cluster = "pair";
    heard.hello.file = protocol::short_digest(file);
    heard.hello.candidate = protocol::short_digest(candidate);
    heard.hello.verdict = "ready";
    report.heard.push_back(heard);
    host_.files().put(protocol::kPeersReportFile,
                      json_text(document_of(protocol::kPeersReportSchema, report)) + "\n");
  }
  static std::string digest_of(const std::string& text) {
    return config::parse(text).cluster.digest;
  }

  std::map<int, std::string> writers_;
  Reconciler reconciler_{
      ports_,
      {.file = protocol::kDefaultFile, .version = "0", .removal_rest = std::chrono::seconds(0)}};
};

TEST_F(ReconcilerRolloutTest, AFileWaitsForTheCanary) {
  hear(digest_of(text_));
  change_file();
  const auto outcome = pass();
  EXPECT_FALSE(outcome.changed);
  EXPECT_EQ(outcome.state.file.digest, digest_of(text_));
  ASSERT_TRUE(outcome.state.rollout);
  EXPECT_EQ(outcome.state.rollout->digest, digest_of(other_text()));
  EXPECT_THAT(outcome.state.rollout->waits,
              ElementsAre(testing::Field(&RolloutWait::node, "spark2")));
  // Only news of the others makes it look again, or the slow look.
  EXPECT_FALSE(outcome.again_in);
}

TEST_F(ReconcilerRolloutTest, TheOrderIsThatOfTheFileThatWaitsOrElseOfTheOneInForce) {
  EXPECT_TRUE(pass().state.rollout_groups.empty());
  hear(digest_of(text_));
  change_file();
  const auto groups = pass().state.rollout_groups;
  EXPECT_THAT(groups, ElementsAre(ElementsAre("spark2"), ElementsAre("spark1")));
  hear(digest_of(other_text()));
  const auto state = pass().state;
  EXPECT_FALSE(state.rollout);
  EXPECT_EQ(state.file.digest, digest_of(other_text()));
  EXPECT_EQ(state.rollout_groups, groups);
}

TEST_F(ReconcilerRolloutTest, AFileIsTakenOnceTheCanaryHasIt) {
  hear(digest_of(text_));
  change_file();
  pass();
  hear(digest_of(other_text()), digest_of(other_text()));
  EXPECT_TRUE(pass().state.rollout);
  hear(digest_of(other_text()));
  const auto outcome = pass();
  EXPECT_FALSE(outcome.state.rollout);
  EXPECT_TRUE(outcome.changed);
  EXPECT_EQ(outcome.state.file.digest, digest_of(other_text()));
}

TEST_F(ReconcilerRolloutTest, ANodeThatIsSkippedIsWaitedForNoLongerUntilTheFileIsTaken) {
  change_file();
  EXPECT_TRUE(pass().state.rollout);
  ASSERT_TRUE(state::add_rollout_skip(
      host_.files(), {.node = "spark2", .why = "repair", .by = "alice", .at = ""}));
  const auto outcome = pass();
  EXPECT_FALSE(outcome.state.rollout);
  EXPECT_EQ(outcome.state.file.digest, digest_of(other_text()));
  EXPECT_THAT(state::read_rollout_skips(host_.files()), IsEmpty());
}

TEST_F(ReconcilerRolloutTest, NewsOfTheCanaryAsksForAPass) {
  hear(digest_of(text_));
  change_file();
  pass();
  const auto look = [&] {
    return reconciler_.take_verdict(
        GateObservation{.report = {}, .speeds = {}, .hardware = {}, .at = now(), .again_in = {}});
  };
  EXPECT_FALSE(look().pass_due);
  hear(digest_of(other_text()));
  EXPECT_TRUE(look().pass_due);
}

TEST_F(ReconcilerRolloutTest, AChangeOfTheOnlyCableWaitsForNobody) {
  auto text = test::pair_text();
  text.replace(text.find("9000"), 4, "4000");
  host_.files().put(protocol::kDefaultFile, text + "rollout: { canary: spark2 }\n");
  const auto outcome = pass();
  EXPECT_FALSE(outcome.state.rollout);
  EXPECT_TRUE(outcome.changed);
}

TEST_F(ReconcilerRolloutTest, DriftIsCorrectedWhileAFileWaits) {
  change_file();
  EXPECT_TRUE(pass().state.rollout);
  ASSERT_TRUE(host_.netlink().set_mtu(test::kRail, 1500));
  const auto outcome = pass();
  EXPECT_TRUE(outcome.changed);
  EXPECT_TRUE(outcome.state.rollout);
}

}  // namespace
}  // namespace spark::daemon
