#include "helpers/peers/rail_turns.hpp"

#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

namespace spark::helpers {
namespace {

using std::chrono::seconds;
using Steady = std::chrono::steady_clock;

TEST(RailTurns, OneProbeAtATimeGoesOverARail) {
  RailTurns turns;
  {
    const auto turn = turns.take("a");
    ASSERT_TRUE(turn);
    EXPECT_FALSE(turns.is_free("a"));
    EXPECT_FALSE(turns.take("a"));
    EXPECT_FALSE(turns.await("a", Steady::now()));
    EXPECT_TRUE(turns.take("b")) << "another rail is another turn";
  }
  EXPECT_TRUE(turns.is_free("a"));
  EXPECT_TRUE(turns.take("a"));
}

TEST(RailTurns, WhoWaitsComesNext) {
  RailTurns turns;
  auto turn = turns.take("a");
  ASSERT_TRUE(turn);
  std::thread other([&] { EXPECT_TRUE(turns.await("a", Steady::now() + seconds(30))); });
  turn.reset();
  other.join();
  EXPECT_TRUE(turns.is_free("a"));
}

TEST(RailTurns, ATurnThatWasMovedIsLeftOnce) {
  RailTurns turns;
  auto turn = turns.take("a");
  ASSERT_TRUE(turn);
  const auto moved = std::make_unique<Turn>(std::move(*turn));
  turn.reset();
  EXPECT_FALSE(turns.is_free("a"));
}

TEST(RailTurns, OneRunGoesOnUntilItIsOver) {
  RailTurns turns;
  {
    const auto first = turns.join_run("spark2", "run");
    EXPECT_TRUE(first);
    EXPECT_TRUE(turns.join_run("spark2", "run")) << "over another rail";
    EXPECT_FALSE(turns.join_run("spark2", "another"));
    EXPECT_FALSE(turns.join_run("spark3", "run"));
    EXPECT_EQ(turns.runs_with(), "spark2");
  }
  EXPECT_FALSE(turns.join_run("spark3", "another")) << "the next measurement may come";
  EXPECT_TRUE(turns.join_run("spark2", "run"));
}

}  // namespace
}  // namespace spark::helpers
