#include "helpers/peers/rail_turns.hpp"

#include <chrono>
#include <memory>
#include <string>
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
  constexpr seconds kNever{300};
  auto turn = turns.take("a");
  ASSERT_TRUE(turn);
  const auto begin = Steady::now();
  std::thread other([&] { EXPECT_TRUE(turns.await("a", Steady::now() + kNever)); });
  turn.reset();
  other.join();
  EXPECT_LT(Steady::now() - begin, kNever) << "it was not woken";
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

TEST(RailTurns, OneRunGoesOnBetweenItsMeasurements) {
  RailTurns turns;
  const auto join = [&](const std::string& node, const std::string& run) {
    return turns.await_run(node, run, false, Steady::now());
  };
  {
    const auto first = join("spark2", "run");
    EXPECT_TRUE(first);
    EXPECT_TRUE(join("spark2", "run")) << "over another rail";
    EXPECT_FALSE(join("spark2", "another"));
    EXPECT_FALSE(join("spark3", "run"));
    EXPECT_EQ(turns.runs_with(), "spark2");
  }
  EXPECT_FALSE(join("spark3", "another")) << "the next measurement may come";
  EXPECT_TRUE(join("spark2", "run"));
}

TEST(RailTurns, ARunWhoseNextMeasurementIsLateIsOver) {
  RailTurns turns(std::chrono::milliseconds(1));
  static_cast<void>(turns.await_run("spark2", "run", false, Steady::now()));
  EXPECT_TRUE(turns.await_run("spark3", "another", false, Steady::now() + seconds(30)))
      << "nobody said that the first one was broken off";
  EXPECT_EQ(turns.runs_with(), "spark3");
}

TEST(RailTurns, ARunIsOverSoonAfterItsLastMeasurement) {
  RailTurns turns(std::chrono::hours(1), std::chrono::milliseconds(1));
  static_cast<void>(turns.await_run("spark2", "run", true, Steady::now()));
  EXPECT_TRUE(turns.await_run("spark2", "the next", true, Steady::now() + seconds(30)));
  // But for its other rails.
  RailTurns slow(std::chrono::hours(1), std::chrono::hours(1));
  static_cast<void>(slow.await_run("spark2", "run", true, Steady::now()));
  EXPECT_FALSE(slow.await_run("spark3", "another", true, Steady::now()));
  EXPECT_TRUE(slow.await_run("spark2", "run", true, Steady::now()));
}

TEST(RailTurns, TheNextRunIsWokenWhenTheOneUnderWayIsOver) {
  constexpr seconds kNever{300};
  RailTurns turns(std::chrono::milliseconds(1), std::chrono::milliseconds(1));
  auto under_way = turns.await_run("spark2", "run", true, Steady::now());
  ASSERT_TRUE(under_way);
  const auto begin = Steady::now();
  std::thread other(
      [&] { EXPECT_TRUE(turns.await_run("spark3", "another", true, Steady::now() + kNever)); });
  under_way.reset();
  other.join();
  EXPECT_LT(Steady::now() - begin, kNever) << "it was not woken";
}

}  // namespace
}  // namespace spark::helpers
