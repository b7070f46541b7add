#include "daemon/alerts/alert_store.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "unit/daemon/alerts/alert_world.hpp"

namespace spark::daemon {
namespace {

using namespace std::chrono_literals;

/// "raised SparkDrift", a line each.
std::string told(const std::vector<Transition>& transitions) {
  std::string text;
  for (const auto& transition : transitions) {
    text += transition.what == Transition::What::kRaised
                ? "raised " + transition.alert.name + "\n"
                : "resolved " + transition.alert.name + ": " + transition.how + "\n";
  }
  return text;
}

TEST(AlertStore, RaisesOnceAndResolvesAfterAQuietMinute) {
  AlertStore book;
  EXPECT_EQ(told(book.update(failing(), at(10s))), "raised SparkResourceFailed\n");
  EXPECT_EQ(told(book.update(failing(), at(20s))), "");
  EXPECT_EQ(told(book.update(healthy(), at(30s))), "");
  EXPECT_EQ(book.due(), 90s);
  EXPECT_EQ(told(book.update(healthy(), at(89s))), "");
  EXPECT_EQ(told(book.update(healthy(), at(90s))),
            "resolved SparkResourceFailed: gone by itself\n");
  EXPECT_EQ(told(book.update(healthy(), at(200s))), "");
  EXPECT_EQ(book.due(), std::nullopt);
}

TEST(AlertStore, KeepsAFlappingAlertOneAndWaitsLonger) {
  AlertStore book;
  std::string all = told(book.update(failing(), at(10s)));
  auto now = 10s;
  for (int i = 0; i < 3; ++i) {
    now += 30s;
    all += told(book.update(healthy(), at(now)));
    now += 30s;
    all += told(book.update(failing(), at(now)));
  }
  EXPECT_EQ(all, "raised SparkResourceFailed\n");
  now += 1s;
  EXPECT_EQ(told(book.update(healthy(), at(now))), "");
  EXPECT_EQ(book.due(), now + 8min) << "three returns: eight times a minute";
  EXPECT_EQ(told(book.update(healthy(), at(now + 8min))),
            "resolved SparkResourceFailed: gone by itself\n");
}

TEST(AlertStore, CountsReturnsForAnHour) {
  EXPECT_EQ(patience(0), 1min);
  EXPECT_EQ(patience(1), 2min);
  EXPECT_EQ(patience(99), 15min);
  AlertStore book;
  book.update(failing(), at(0s));
  book.update(healthy(), at(1min));
  EXPECT_NE(told(book.update(healthy(), at(2min))), "");
  EXPECT_EQ(told(book.update(failing(), at(3min))), "raised SparkResourceFailed\n");
  book.update(healthy(), at(4min));
  EXPECT_EQ(book.due(), 6min);
  EXPECT_NE(told(book.update(healthy(), at(6min))), "");
  book.update(healthy(), at(66min));
  EXPECT_TRUE(book.entries().empty()) << "forgotten an hour after its end";
}

TEST(AlertStore, KeepsWhatIsUnknown) {
  AlertStore book;
  book.update(failing(), at(10s));
  auto blind = healthy();
  blind.pass_error = "read links: Operation not permitted";
  EXPECT_EQ(told(book.update(blind, at(20s))), "raised SparkPassFailing\n");
  EXPECT_EQ(told(book.update(blind, at(1h))), "");
}

TEST(AlertStore, KeepsWhatHappenedUntilItsTimeIsOver) {
  auto state = healthy();
  state.gid_moves.push_back({.at = at(10s), .link = "l", .device = "d", .ip = "192.0.2.11"});
  AlertStore book;
  EXPECT_EQ(told(book.update(state, at(11s))), "raised SparkGidMoved\n");
  EXPECT_EQ(told(book.update(healthy(), at(5min))), "") << "no longer in the state";
  EXPECT_EQ(book.due(), 10min + 10s);
  EXPECT_EQ(told(book.update(state, at(10min + 10s))),
            "resolved SparkGidMoved: its time is over\n");
  EXPECT_EQ(told(book.update(state, at(11min))), "") << "still in the state";
}

TEST(AlertStore, IsBounded) {
  auto state = healthy();
  for (std::size_t i = 0; i < AlertStore::kMost + 9; ++i) {
    auto drift = failed_mtu(at(5s));
    drift.key = std::to_string(i);
    state.drifts.push_back(drift);
  }
  AlertStore book;
  EXPECT_EQ(book.update(state, at(10s)).size(), AlertStore::kMost);
  EXPECT_EQ(book.entries().size(), AlertStore::kMost);
  EXPECT_EQ(book.dropped(), 9U);
  book.update(healthy(), at(20s));
  EXPECT_EQ(book.update(healthy(), at(2min)).size(), AlertStore::kMost);
  EXPECT_EQ(told(book.update(failing(), at(3min))), "raised SparkResourceFailed\n")
      << "what is over makes room";
}

AlertStore restarted(const AlertStore& book, std::string_view boot, std::string_view later_boot,
                     const Moment& now) {
  const auto text = book.to_json(boot).dump();
  auto read = AlertStore::from_json(nlohmann::json::parse(text), later_boot, now);
  EXPECT_TRUE(read) << (read ? "" : read.error().what);
  return read ? *std::move(read) : AlertStore{};
}

TEST(AlertStore, NeitherRepeatsNorForgetsAcrossARestart) {
  AlertStore before;
  before.update(failing(), at(10s));
  auto book = restarted(before, "b1", "b1", at(20s));
  EXPECT_EQ(told(book.update(NodeState{}, at(20s))), "") << "nothing was looked at yet";
  EXPECT_EQ(told(book.update(failing(), at(30s))), "");
  EXPECT_EQ(book.entries().begin()->second.alert.since.boot, 5s);
  book.update(healthy(), at(40s));
  book = restarted(book, "b1", "b1", at(50s));
  EXPECT_EQ(told(book.update(healthy(), at(99s))), "");
  EXPECT_EQ(told(book.update(healthy(), at(100s))),
            "resolved SparkResourceFailed: gone by itself\n");
}

TEST(AlertStore, MeasuresByTheWallClockAcrossABoot) {
  AlertStore before;
  before.update(failing(), at(1h));
  before.update(healthy(), at(1h + 10s));
  // Booted again 30 seconds later, 5 seconds ago.
  const Moment now{at(1h + 45s).wall, 5s};
  auto book = restarted(before, "b1", "b2", now);
  EXPECT_EQ(book.due(), 30s) << "quiet since 35 seconds";
  // And with a clock that was set back: no moment of the past lies ahead.
  book = restarted(before, "b1", "b2", {at(1s).wall, 5s});
  EXPECT_EQ(book.due(), 65s);
}

TEST(AlertStore, KeepsAnEventForItsWholeTimeAcrossABoot) {
  auto state = healthy();
  state.loss = StateLoss{.at = at(10s), .what = "the ledger is gone"};
  AlertStore before;
  before.update(state, at(20s));
  auto book = restarted(before, "b1", "b2", {at(1h).wall, 5s});
  EXPECT_EQ(book.due(), 71h + 15s) << "three days after the loss";
  // And with a clock that was set back by a year: three days from now.
  book = restarted(before, "b1", "b2", {at(10s).wall - 8760h, 5s});
  EXPECT_EQ(book.due(), 72h + 5s);
}

TEST(AlertStore, TellsABrokenFileFromAnEmptyOne) {
  const auto now = at(1s);
  for (const char* text :
       {"{}", "[]", "null", R"({"schema": "spark-reconcile/alerts/v1"})",
        R"({"schema": "spark-reconcile/alerts/v1", "boot_id": "b", "entries": [7]})",
        R"({"schema": "spark-reconcile/alerts/v2", "boot_id": "b", "entries": []})"}) {
    EXPECT_FALSE(AlertStore::from_json(nlohmann::json::parse(text), "b", now)) << text;
  }
  EXPECT_TRUE(AlertStore::from_json(AlertStore{}.to_json("b"), "b", now));
}

TEST(Transition, ComesBackFromJson) {
  AlertStore book;
  const auto raised = book.update(failing(), at(10s)).at(0);
  const auto read = transition_from_json(to_json(raised));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->alert.labels, raised.alert.labels);
  EXPECT_EQ(read->at.wall, raised.at.wall);
  EXPECT_FALSE(transition_from_json(nlohmann::json::array()));
}

}  // namespace
}  // namespace spark::daemon
