#include "cluster/make_rollout.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/rollout_words.hpp"
#include "unit/cluster/clusters.hpp"

namespace spark::cluster {
namespace {

using test::kNewDigest;
using test::known_pair;
using test::known_ring;
using test::known_ring_that_rolled_here;
using test::known_ring_that_rolls;
using test::kOldDigest;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string old_text(const test::KnownCluster& ring) {
  return ring.known.own.file.digest.substr(0, 7);
}

TEST(RolloutView, IsNoneWhereAllNodesHaveOneFile) {
  auto ring = known_ring();
  ring.rolls_by({{"spark3"}, {"spark1", "spark2"}});
  EXPECT_FALSE(ring.view().rollout);
  EXPECT_EQ(rolling_text(ring.view()), "");
  EXPECT_EQ(rolling_brief(ring.view()), "");
  ring.has_files("spark3", ring.known.own.file.digest, ring.known.own.file.digest);
  EXPECT_FALSE(ring.view().rollout) << "a trial of the file that all have";
}

TEST(RolloutView, IsNoneOfTwoFilesThatNobodyRollsOut) {
  auto ring = known_ring();
  ring.has_another_file("spark3");
  EXPECT_FALSE(ring.view().rollout);
}

TEST(RolloutView, SaysWhoTriesWhoWaitsAndSinceWhen) {
  const auto ring = known_ring_that_rolls();
  const auto view = ring.view();
  ASSERT_TRUE(view.rollout);
  EXPECT_EQ(view.rollout->to, std::string(kNewDigest).substr(0, 16));
  EXPECT_EQ(view.rollout->from, ring.known.own.file.digest.substr(0, 16));
  EXPECT_EQ(view.rollout->has, 1);
  EXPECT_EQ(rolling_text(view),
            "roll-out of " + old_text(ring) +
                " → 3f9a1c0: spark3 tries it; spark1 waits for spark3, which tries it (for 4 min); "
                "spark2 waits for spark3");
  EXPECT_EQ(rolling_brief(view), "roll-out of 3f9a1c0: 1 of 3 nodes has it, waits for spark3");
}

TEST(RolloutView, IsSaidWhereThisNodeHasTheFileAlready) {
  const auto ring = known_ring_that_rolled_here();
  EXPECT_EQ(rolling_text(ring.view()), "roll-out of 2b77d10 → " + old_text(ring) +
                                           ": spark1 has it; spark3 is silent; spark2 waits for "
                                           "spark3");
}

TEST(RolloutView, ThatTwoFilesAreThereMeanwhileIsNoFault) {
  EXPECT_TRUE(known_ring_that_rolls().view().roots.empty());
  auto ring = known_ring_that_rolled_here();
  for (const auto& root : ring.view().roots) EXPECT_NE(root.problem.found.id, "SR-GATE-020");

  ring = known_ring();
  ring.rolls_by({{"spark3"}, {"spark1", "spark2"}});
  ring.has_files("spark3", kNewDigest, "");
  ASSERT_FALSE(ring.view().roots.empty()) << "nobody tries it or waits with it";
  EXPECT_EQ(ring.view().roots.front().problem.found.id, "SR-GATE-020");
}

TEST(RolloutView, SaysThatThisNodeTriedItAndWentBack) {
  auto ring = known_ring();
  const auto old = ring.known.own.file.digest;
  ring.rolls_by({{"spark1"}, {"spark2", "spark3"}});
  for (const auto* name : {"spark2", "spark3"}) ring.has_files(name, old, kNewDigest);
  EXPECT_THAT(rolling_text(ring.view()), HasSubstr("spark1 still has "));
  ring.known.rollout.bad = {kNewDigest};
  EXPECT_THAT(rolling_text(ring.view()),
              HasSubstr("spark1 tried it, and went back to " + old_text(ring) + "; spark2"));
}

TEST(RolloutView, NamesWhomThisNodeWaitsFor) {
  EXPECT_EQ(awaited_by(known_ring_that_rolls().view(), "spark1"), "spark3");
  EXPECT_EQ(awaited_by(known_ring_that_rolls().view(), "spark3"), "");
  EXPECT_EQ(awaited_by(known_ring().view(), "spark1"), "");
}

TEST(RolloutView, NeedsNoNewerFileThatWaitsWhereTheFirstGroupHasIt) {
  auto ring = known_ring();
  ring.rolls_by({{"spark3"}, {"spark1", "spark2"}});
  ring.has_files("spark3", kNewDigest, "");
  EXPECT_EQ(rolling_text(ring.view()), "roll-out of " + old_text(ring) +
                                           " → 3f9a1c0: spark3 has it; spark1 and spark2 still "
                                           "have " +
                                           old_text(ring));
}

TEST(RolloutView, WaitsForNobodyThatIsAway) {
  auto ring = known_ring_that_rolled_here();
  ring.known.shape.away = {"spark3"};
  EXPECT_THAT(rolling_text(ring.view()),
              HasSubstr("spark3 (away) is silent; spark2 takes it later"));
}

TEST(RolloutView, SaysForWhomThisNodeDoesNotWait) {
  auto ring = known_ring_that_rolls();
  ring.known.rollout.held->skipped = {"spark9: in repair"};
  EXPECT_THAT(rolling_text(ring.view()), HasSubstr("; spark1 does not wait for spark9: in repair"));
}

TEST(RolloutView, HasNoOrderWhereTheFileAsksForNone) {
  auto pair = known_pair();
  pair.has_files("spark2", pair.known.own.file.digest, kNewDigest);
  EXPECT_EQ(rolling_text(pair.view()), "roll-out of " + old_text(pair) +
                                           " → 3f9a1c0: spark1 still has " + old_text(pair) +
                                           "; spark2 takes it later");
}

TEST(RolloutView, OfManyNodesNamesAFew) {
  auto all = test::known_switch(12);
  for (int i = 2; i <= 12; ++i) {
    all.has_files("spark" + std::to_string(i), kOldDigest, all.known.own.file.digest);
  }
  all.rolls_by({{"spark1"}});
  EXPECT_THAT(rolling_text(all.view()),
              StartsWith("roll-out of 2b77d10 → " + old_text(all) +
                         ": spark1 has it; spark10, spark11, spark12, spark2, spark3 and 6 more "
                         "take it later"));
}

}  // namespace
}  // namespace spark::cluster
