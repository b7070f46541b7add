// The measurements of one `bench`, in their order, and what becomes of a rail over which RDMA does
// not pass.

#include "cli/bench/bench_run.hpp"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spark::cli {
namespace {

using protocol::BenchEnd;
using protocol::BenchEnded;
using protocol::BenchTask;
using protocol::PeerOperation;
using protocol::PeerReport;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr double kGiga = 1e9;

BenchPlan plan_of(const std::vector<std::string>& links) {
  BenchPlan plan{.result = {.node = "spark1", .peer = "spark2", .seconds = 2, .queue_pairs = 4},
                 .routes = {},
                 .run = "f00d"};
  for (const auto& link : links) {
    plan.result.rails.push_back({.link = link, .rail = static_cast<int>(plan.result.rails.size())});
    plan.routes.push_back({.link = link});
  }
  return plan;
}

PeerReport failure(const std::string& failed, const std::string& why) {
  PeerReport report;
  report.failed = failed;
  report.why = why;
  return report;
}

/// Both ends of every rail move 10 Gb/s where they move anything.
class BenchRunTest : public testing::Test {
 protected:
  static double bits_of(PeerOperation operation) {
    return operation == PeerOperation::kWrite || operation == PeerOperation::kRead ? 10 * kGiga : 0;
  }

  BenchOutcome bench(const std::vector<std::string>& links) {
    return bench_peer(
        plan_of(links),
        [this](const BenchTask& task, const OnBenchProgress& on_progress) {
          return answer(task, on_progress);
        },
        [this](const std::string& text) { shown_.push_back(text); });
  }

  Result<std::vector<BenchEnded>> answer(const BenchTask& task,
                                         const OnBenchProgress& on_progress) {
    tasks_.push_back(task);
    std::vector<BenchEnded> all;
    for (const auto& route : task.routes) {
      if (on_progress && bits_of(task.ours) > 0) {
        on_progress({.link = route.link, .end = BenchEnd::kOurs, .bits_per_second = 4 * kGiga});
      }
      if (route.link == broken_.link) {
        all.push_back(broken_);
        continue;
      }
      PeerReport ours{.path_mtu = 4096, .latency_p50_us = 3, .latency_p99_us = 5};
      PeerReport theirs = ours;
      ours.bits_per_second = bits_of(task.ours);
      theirs.bits_per_second = bits_of(task.theirs);
      all.push_back({.link = route.link, .ours = ours, .theirs = theirs, .why = ""});
    }
    return all;
  }

  BenchEnded broken_;  ///< what the rail of that link comes to; none: no rail
  std::vector<BenchTask> tasks_;
  std::vector<std::string> shown_;
};

std::vector<std::string> words_of(const state::BenchResult& result) {
  std::vector<std::string> words;
  for (const auto& figure : result.figures) {
    std::string text;
    for (const auto& link : figure.links) text += link + " ";
    words.push_back(text + figure.operation + " " + figure.direction + " " +
                    std::to_string(static_cast<int>(figure.bits_per_second / kGiga)));
  }
  return words;
}

TEST_F(BenchRunTest, EachRailThenBothAndBothWaysAtLast) {
  const auto outcome = bench({"a", "b"});
  EXPECT_EQ(outcome.failed, "");
  EXPECT_THAT(words_of(outcome.result),
              ElementsAre("a write to 10", "a write from 10", "a read to 10", "a read from 10",
                          "b write to 10", "b write from 10", "b read to 10", "b read from 10",
                          "a b write to 20", "a b write from 20", "a b read to 20",
                          "a b read from 20", "a b write both 40"));
  EXPECT_THAT(tasks_, SizeIs(bench_count(2)));
  for (const auto& task : tasks_) {
    EXPECT_EQ(task.run, "f00d") << "the peer takes part in one run";
    EXPECT_EQ(task.is_last, &task == &tasks_.back()) << "the next run can begin at once";
  }
  for (const auto& rail : outcome.result.rails) {
    EXPECT_EQ(rail.path_mtu, 4096U);
    EXPECT_EQ(rail.latency_p50_us, 3);
    EXPECT_EQ(rail.latency_p99_us, 5);
  }
}

TEST_F(BenchRunTest, AReadBringsTheBytesToWhoReads) {
  static_cast<void>(bench({"a"}));
  ASSERT_THAT(tasks_, SizeIs(bench_count(1)));
  EXPECT_EQ(tasks_[0].ours, PeerOperation::kVerify) << "what cannot be verified is not measured";
  EXPECT_EQ(std::pair(tasks_[1].ours, tasks_[1].theirs),
            std::pair(PeerOperation::kWrite, PeerOperation::kNone));
  EXPECT_EQ(std::pair(tasks_[3].ours, tasks_[3].theirs),
            std::pair(PeerOperation::kNone, PeerOperation::kRead))
      << "to the peer";
  EXPECT_EQ(std::pair(tasks_[5].ours, tasks_[5].theirs),
            std::pair(PeerOperation::kWrite, PeerOperation::kWrite));
}

TEST_F(BenchRunTest, WhatMovesIsShownAsItComes) {
  static_cast<void>(bench({"a", "b"}));
  EXPECT_THAT(shown_, testing::Contains("rail 0 (a) WRITE to spark2: 4.0 Gb/s (2 of 14)"));
  EXPECT_THAT(shown_, testing::Contains("2 rails WRITE to spark2: 8.0 Gb/s (10 of 14)"));
  EXPECT_THAT(shown_, testing::Contains("2 rails WRITE to and from spark2: 8.0 Gb/s (14 of 14)"));
}

TEST_F(BenchRunTest, ARailOverWhichRdmaDoesNotPassIsLeftOut) {
  broken_ = {.link = "b",
             .ours = failure("other end", "it ended with a report before its offer"),
             .theirs = failure("find the GID", "no RoCE v2 GID of 192.0.2.12"),
             .why = ""};
  const auto outcome = bench({"a", "b"});
  EXPECT_EQ(outcome.failed, "");
  EXPECT_THAT(tasks_, SizeIs(1 + 4)) << "the latency of both, and the four numbers of the first";
  EXPECT_EQ(outcome.result.figures.at(0).failed, "");
  for (const std::size_t of_other : {4U, 8U, 12U}) {
    EXPECT_EQ(outcome.result.figures.at(of_other).failed,
              "b: spark2: find the GID: no RoCE v2 GID of 192.0.2.12");
  }
}

TEST_F(BenchRunTest, WherePeerRefusesThereIsNoNumber) {
  broken_ = {.link = "a",
             .ours = std::nullopt,
             .theirs = std::nullopt,
             .why = "spark2: a job uses rocep1s0f0",
             .is_busy = true};
  const auto outcome = bench({"a"});
  EXPECT_EQ(outcome.failed, "a: spark2: a job uses rocep1s0f0");
  EXPECT_TRUE(outcome.is_busy);
  EXPECT_THAT(outcome.result.figures, SizeIs(0));
}

TEST_F(BenchRunTest, AnEndThatSaysNothingIsNoProof) {
  broken_ = {.link = "a", .ours = std::nullopt, .theirs = std::nullopt, .why = ""};
  EXPECT_THAT(bench({"a"}).failed, HasSubstr("one end did not report"));
}

TEST_F(BenchRunTest, AHelperThatDoesNotStartIsSaidOnce) {
  const auto outcome = bench_peer(
      plan_of({"a"}),
      [](const BenchTask&, const OnBenchProgress&) -> Result<std::vector<BenchEnded>> {
        return fail(ErrorCode::kNotFound, "'spark-peers' is not there");
      },
      [](const std::string&) {});
  EXPECT_EQ(outcome.failed, "'spark-peers' is not there");
}

}  // namespace
}  // namespace spark::cli
