#include "cluster/told.hpp"

#include <string>

#include <gtest/gtest.h>

#include "unit/cluster/clusters.hpp"

namespace spark::cluster {
namespace {

/// spark1 of a ring of three: spark2 and spark3 are its neighbours, and hear each other.
class LastWordTest : public testing::Test {
 protected:
  LastWordTest() {
    for (auto& hello : ring_.known.told.heard) hello.hello.candidate = "own";
    for (auto& told : ring_.known.told.peers) {
      for (auto& passed : told.details.heard) passed.candidate = "passed on";
    }
  }

  void does_not_hear(const std::string& node) {
    for (auto& hello : ring_.known.told.heard) {
      if (hello.hello.node == node) hello.is_silent = true;
    }
  }
  [[nodiscard]] std::optional<LastWord> word() const {
    return last_word_of("spark3", ring_.known.told);
  }
  [[nodiscard]] std::string candidate() const { return candidate_of("spark3", ring_.known.told); }

  test::KnownCluster ring_ = test::known_ring();
};

TEST_F(LastWordTest, IsItsOwnHelloWhileThoseCome) {
  ASSERT_TRUE(word());
  EXPECT_EQ(word()->by, nullptr);
  EXPECT_FALSE(word()->is_silent);
  EXPECT_EQ(candidate(), "own");
}

TEST_F(LastWordTest, IsOfANeighbourThatStillHearsIt) {
  does_not_hear("spark3");
  ASSERT_TRUE(word());
  EXPECT_EQ(word()->by->node, "spark2");
  EXPECT_FALSE(word()->is_silent);
  EXPECT_EQ(word()->hello->hello.node, "spark2") << "which says that it still holds";
  EXPECT_EQ(candidate(), "passed on");
}

TEST_F(LastWordTest, OfWhoIsSilentForAllIsItsOwn) {
  ring_.goes_silent("spark3");
  ASSERT_TRUE(word());
  EXPECT_TRUE(word()->is_silent);
  EXPECT_EQ(word()->by, nullptr);
  EXPECT_EQ(word()->verdict, "ready") << "before it went silent";
}

TEST_F(LastWordTest, OfASilentNeighbourIsNoNews) {
  does_not_hear("spark3");
  does_not_hear("spark2");
  ASSERT_TRUE(word());
  EXPECT_TRUE(word()->is_silent);
  EXPECT_EQ(word()->by, nullptr);
}

TEST_F(LastWordTest, IsNoneWhereNobodySpeaksOfTheNode) {
  EXPECT_FALSE(last_word_of("spark9", ring_.known.told));
  EXPECT_EQ(candidate_of("spark9", ring_.known.told), "");
}

}  // namespace
}  // namespace spark::cluster
