#include "state/history.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fake/fake_host.hpp"

namespace spark::state {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::SizeIs;
using Outcome = Generation::Outcome;

class HistoryTest : public testing::Test {
 protected:
  void add(const std::string& digest, Outcome outcome = Outcome::kApplied) {
    ASSERT_TRUE(add_to_history(host_.files(), "spark1",
                               {.id = "id-" + digest, .digest = digest, .outcome = outcome},
                               "text of " + digest));
  }
  std::vector<Generation> history() { return read_history(host_.files(), "spark1").value(); }

  test::FakeHost host_;
};

TEST_F(HistoryTest, CountsGenerationsAndKeepsTheirFiles) {
  add("a");
  add("b", Outcome::kRolledBack);
  EXPECT_THAT(history(),
              ElementsAre(Field(&Generation::number, 1U), Field(&Generation::number, 2U)));
  EXPECT_EQ(read_generation(host_.files(), "spark1", "a").value(), "text of a");
  EXPECT_EQ(history().back().outcome, Outcome::kRolledBack);
}

TEST_F(HistoryTest, ReadsTheOutcomeThatEarlierBuildsWroteOfARollbackByHand) {
  add("a", Outcome::kRolledBackByHand);
  auto text = host_.files().read(history_path("spark1")).value().value();
  const std::string now = "rolled_back_by_hand";
  text.replace(text.find(now), now.size(), "taken_back");
  host_.files().put(history_path("spark1"), text);
  EXPECT_EQ(history().back().outcome, Outcome::kRolledBackByHand);
}

TEST_F(HistoryTest, IsWrittenAsEarlierBuildsReadIt) {
  ASSERT_TRUE(add_to_history(host_.files(), "spark1",
                             {.id = "7-1",
                              .at = "2026-01-31T09:30:00Z",
                              .by = "alice",
                              .file = "cluster.yaml",
                              .digest = "a",
                              .changes = 4,
                              .outcome = Outcome::kUnconfirmed},
                             ""));
  EXPECT_EQ(host_.files().read(history_path("spark1")).value(), R"({
 "generations": [
  {
   "at": "2026-01-31T09:30:00Z",
   "by": "alice",
   "changes": 4,
   "digest": "a",
   "file": "cluster.yaml",
   "id": "7-1",
   "number": 1,
   "outcome": "unconfirmed"
  }
 ],
 "schema": "spark-reconcile/history/v1"
}
)");
}

TEST_F(HistoryTest, KeepsTheCommitThatAFileCameFrom) {
  const FileCommit commit{.id = std::string(40, 'a'),
                          .subject = "mtu 9000",
                          .principal = "alice@lab",
                          .tag = {},
                          .time = 1769851800};
  ASSERT_TRUE(add_to_history(host_.files(), "spark1", {.id = "1", .digest = "a", .commit = commit},
                             "text"));
  add("b");
  add("a");
  EXPECT_EQ(history().front().commit, commit);
  EXPECT_FALSE(history().back().commit) << "an apply by hand comes from no commit";
  EXPECT_EQ(commit_of(history(), "a"), commit);
  EXPECT_FALSE(commit_of(history(), "b"));
  const auto shown = to_json(history().front())["commit"];
  EXPECT_EQ(shown["committed_at"], "2026-01-31T09:30:00Z");
  EXPECT_EQ(shown["principal"], "alice@lab");
  EXPECT_TRUE(shown["tag"].is_null());
}

TEST_F(HistoryTest, CountsAnOutcomeOfALaterVersionAsIncomplete) {
  add("a");
  auto text = host_.files().read(history_path("spark1")).value().value();
  const std::string now = "applied";
  host_.files().put(history_path("spark1"), text.replace(text.find(now), now.size(), "praised"));
  EXPECT_EQ(history().back().outcome, Outcome::kIncomplete);
}

TEST_F(HistoryTest, SaysWhereItIsDamaged) {
  const auto what_is_wrong_with = [&](const std::string& text) {
    host_.files().put(history_path("spark1"), text);
    const auto read = read_history(host_.files(), "spark1");
    return read ? "" : read.error().what;
  };
  EXPECT_THAT(what_is_wrong_with("{}"), testing::HasSubstr("(at '/schema': expected 'spark-"));
  EXPECT_THAT(what_is_wrong_with(R"({"schema": "spark-reconcile/history/v1"})"),
              testing::HasSubstr("(at '/generations': expected a list)"));
  EXPECT_THAT(what_is_wrong_with(
                  R"({"schema": "spark-reconcile/history/v1", "generations": [{"id": ""}]})"),
              testing::HasSubstr("(at '/generations/0/number': expected this key)"));
}

TEST_F(HistoryTest, KeepsTheLastHundredAndOnlyTheirFiles) {
  for (int i = 1; i <= 103; ++i) {
    add(std::to_string(i));
  }
  add("50");
  EXPECT_THAT(history(), SizeIs(100));
  EXPECT_EQ(history().back().number, 104U);
  EXPECT_FALSE(read_generation(host_.files(), "spark1", "4").value());
  EXPECT_TRUE(read_generation(host_.files(), "spark1", "5").value());
}

TEST_F(HistoryTest, TheLastGoodOneIsTheNewestOfAnotherFileThatStayed) {
  EXPECT_FALSE(last_good_before_now({}));
  add("a");
  EXPECT_FALSE(last_good_before_now(history()));
  add("b");
  add("c", Outcome::kRolledBack);
  add("b");
  EXPECT_EQ(last_good_before_now(history())->digest, "a");
  InForce record;
  record.bad.push_back({.digest = "a", .why = "mtu", .at = "2026-01-31"});
  EXPECT_FALSE(last_good_before_now(history(), record))
      << "it failed by itself after it was applied";
  ASSERT_TRUE(note_outcome(host_.files(), "spark1", "id-a", Outcome::kRolledBackByHand));
  EXPECT_FALSE(last_good_before_now(history()));
}

TEST_F(HistoryTest, WhatWasRolledBackIsRejectedUntilItIsAppliedAgain) {
  add("a", Outcome::kPending);
  EXPECT_FALSE(was_rejected(history(), "a"));
  ASSERT_TRUE(note_outcome(host_.files(), "spark1", "id-a", Outcome::kUnconfirmed));
  EXPECT_TRUE(was_rejected(history(), "a"));
  EXPECT_FALSE(was_rejected(history(), "b"));
  add("a");
  EXPECT_FALSE(was_rejected(history(), "a"));
}

TEST_F(HistoryTest, TheLastSettledOneIsNeitherPendingNorRolledBack) {
  EXPECT_FALSE(last_settled({}));
  add("a");
  add("b", Outcome::kPending);
  EXPECT_EQ(last_settled(history())->digest, "a");
  ASSERT_TRUE(note_outcome(host_.files(), "spark1", "id-b", Outcome::kApplied));
  EXPECT_EQ(last_settled(history())->digest, "b");
  // Somebody applied it once more, after a drift, and did not confirm that.
  ASSERT_TRUE(add_to_history(host_.files(), "spark1",
                             {.id = "again", .digest = "b", .outcome = Outcome::kUnconfirmed},
                             "text of b"));
  EXPECT_EQ(last_settled(history())->digest, "a");
}

TEST_F(HistoryTest, WhatStaysTakesTheOtherBack) {
  const auto return_to_a = [this](Outcome outcome) {
    ASSERT_TRUE(add_to_history(host_.files(), "spark1",
                               {.id = "return", .digest = "a", .outcome = outcome}, "text of a",
                               "b"));
  };
  add("a");
  add("b");
  add("b");
  return_to_a(Outcome::kRolledBack);
  EXPECT_FALSE(was_rejected(history(), "b"));
  return_to_a(Outcome::kApplied);
  EXPECT_TRUE(was_rejected(history(), "b"));
  EXPECT_EQ(in_force(history())->digest, "a");
  EXPECT_FALSE(last_good_before_now(history())) << "not the other one of b";
}

TEST_F(HistoryTest, ADamagedOneIsAnErrorAndNoReasonNotToApply) {
  add("a");
  host_.files().put("/var/lib/spark-reconcile/spark1/history.json", "{\"generations\": [{}]}");
  EXPECT_EQ(read_history(host_.files(), "spark1").error().code, ErrorCode::kInvalid);
  add("b");
  EXPECT_THAT(history(), SizeIs(1));
}

TEST_F(HistoryTest, WhatANewerVersionWroteIsKeptBesideANewOne) {
  constexpr auto kPath = "/var/lib/spark-reconcile/spark1/history.json";
  const auto* const newer = R"({"schema": "spark-reconcile/history/v2", "generations": []})";
  host_.files().put(kPath, newer);
  EXPECT_FALSE(read_history(host_.files(), "spark1"));
  ASSERT_TRUE(add_to_history(host_.files(), "spark1", {.id = "id-a", .digest = "a"}, "text"));
  EXPECT_THAT(read_history(host_.files(), "spark1").value(), SizeIs(1));
  EXPECT_EQ(host_.files().read(std::string(kPath) + ".damaged").value(), newer);
}

TEST_F(HistoryTest, KeepsTheIdOfTheChangeThatAddedOrEndedAnEntry) {
  auto& files = host_.files();
  ASSERT_TRUE(add_to_history(
      files, "spark1", {.id = "1", .digest = "a", .outcome = Outcome::kPending, .change_id = "C1"},
      "text"));
  EXPECT_EQ(to_json(history().back())["change_id"], "C1");
  ASSERT_TRUE(note_outcome(files, "spark1", "1", Outcome::kApplied).value());
  EXPECT_EQ(history().back().change_id, "C1") << "a confirmation without one leaves it";
  ASSERT_TRUE(note_outcome(files, "spark1", "1", Outcome::kApplied, "C2").value());
  EXPECT_EQ(history().back().change_id, "C2");
  add("b");
  EXPECT_FALSE(to_json(history().back()).contains("change_id"));
}

TEST_F(HistoryTest, GivesTheIdToWhatTheDaemonAppliedFirstAndToNothingElse) {
  auto& files = host_.files();
  const Moment at = now();
  const auto note = [&](const std::string& digest, const std::string& id) {
    ASSERT_TRUE(note_change_id(files, "spark1", digest, id, at));
  };
  const auto add_daemons = [&](const std::string& digest, Outcome outcome,
                               std::chrono::minutes ago) {
    ASSERT_TRUE(add_to_history(files, "spark1",
                               {.id = digest,
                                .at = utc_text(at.wall - ago),
                                .by = kByDaemon,
                                .digest = digest,
                                .outcome = outcome},
                               "text"));
  };
  note("a", "C1");  // there is no entry
  add_daemons("a", Outcome::kApplied, std::chrono::minutes(9));
  note("b", "C1");
  EXPECT_EQ(history().back().change_id, "") << "another file";
  note("a", "C1");
  note("a", "C2");
  EXPECT_EQ(history().back().change_id, "C1");
  add("c");
  note("c", "C1");
  EXPECT_EQ(history().back().change_id, "") << "somebody applied it by hand";
  add_daemons("d", Outcome::kApplied, std::chrono::minutes(11));
  note("d", "C3");
  EXPECT_EQ(history().back().change_id, "") << "what came so long ago is another change";
  add_daemons("e", Outcome::kRolledBack, std::chrono::minutes(0));
  note("e", "C4");
  EXPECT_EQ(history().back().change_id, "") << "it was rolled back";
}

}  // namespace
}  // namespace spark::state
