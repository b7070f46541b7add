#include "jobs/findings.hpp"

#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spark::jobs {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr std::uint64_t kGigabit = 1'000'000'000;

/// A cage with both rails in the file, and a job on them.
class FindingsTest : public testing::Test {
 protected:
  static RailTraffic rail(int number) {
    return {.link = config::dgx_name({0, number}),
            .device = "",
            .rail = config::Rail{0, number},
            .in_file = true,
            .has_carrier = true,
            .limit = 126 * kGigabit,
            .counts_rdma = true,
            .carried = BitRate{},
            .beside_rdma = BitRate{},
            .sent_again = 0,
            .out_of_order = 0,
            .congestion = 0,
            .unknown = ""};
  }

  void carry(std::size_t number, std::uint64_t gigabits) {
    rails_[number].carried = BitRate{.received = kGigabit, .sent = gigabits * kGigabit};
  }

  void use(std::size_t number) {
    if (jobs_.empty()) {
      jobs_.push_back({.process = {.pid = 4711, .name = "vllm"}, .pids = {4711}});
    }
    jobs_[0].rails.push_back({.link = rails_[number].link, .queue_pairs = 8});
  }

  /// After having measured for so long, a second at a time.
  [[nodiscard]] std::vector<Finding> found(seconds lasted = seconds(1)) const {
    OneRailFor one_rail;
    for (seconds passed{0}; passed < lasted; passed += seconds(1)) {
      one_rail = one_rail_for(one_rail, rails_, jobs_, seconds(1));
    }
    return findings(rails_, jobs_, one_rail, {{rails_[0].link, {"spark2"}}});
  }

  static auto is(const std::string& id, bool is_alert, const std::string& part) {
    return AllOf(Field(&Finding::id, id), Field(&Finding::is_alert, is_alert),
                 Field(&Finding::what, HasSubstr(part)));
  }

  std::vector<RailTraffic> rails_{rail(0), rail(1)};
  std::vector<Job> jobs_;
};

TEST_F(FindingsTest, BothRailsAtWorkAreNone) {
  use(0);
  use(1);
  carry(0, 95);
  carry(1, 94);
  EXPECT_THAT(found(seconds(120)), IsEmpty());
}

TEST_F(FindingsTest, NoJobIsNone) { EXPECT_THAT(found(), IsEmpty()); }

TEST_F(FindingsTest, AnIdleTwinIsANoteForAMinuteAndThenAnAlert) {
  use(0);
  use(1);
  carry(0, 95);
  EXPECT_THAT(found(seconds(59)), ElementsAre(is("SR-JOB-001", false, "next to nothing")));
  EXPECT_THAT(found(seconds(60)), ElementsAre(is("SR-JOB-001", true, "vllm (pid 4711)")));
}

TEST_F(FindingsTest, ABusyRailWhoseTwinHasNoQueuePairIsAnAlertAfterAMinute) {
  use(0);
  carry(0, 95);
  EXPECT_THAT(found(seconds(60)), ElementsAre(is("SR-JOB-001", true, "no job has a queue pair")));
}

TEST_F(FindingsTest, AQuietJobOnOneRailIsANoteForever) {
  use(0);
  carry(0, 3);
  EXPECT_THAT(found(seconds(600)), ElementsAre(is("SR-JOB-001", false, "no job has a queue pair")));
  use(1);
  EXPECT_THAT(found(seconds(600)), IsEmpty()) << "small messages are no fault";
}

TEST_F(FindingsTest, OneRailFillsACableOf100G) {
  use(0);
  for (auto& rail : rails_) rail.limit = 100 * kGigabit;
  carry(0, 96);
  EXPECT_THAT(found(seconds(120)), IsEmpty());
  for (auto& rail : rails_) rail.counts_rdma = false;
  EXPECT_THAT(found(seconds(120)), ElementsAre(is("SR-JOB-001", true, "")))
      << "virtual rails share no cage";
}

TEST_F(FindingsTest, ABreakBeginsTheMinuteAgain) {
  use(0);
  use(1);
  carry(0, 95);
  auto one_rail = one_rail_for({}, rails_, jobs_, seconds(59));
  carry(1, 90);
  one_rail = one_rail_for(one_rail, rails_, jobs_, seconds(1));
  EXPECT_THAT(one_rail, IsEmpty());
}

TEST_F(FindingsTest, ATwinWithoutACarrierIsSaid) {
  use(0);
  rails_[1].has_carrier = false;
  EXPECT_THAT(found(),
              ElementsAre(AllOf(Field(&Finding::what, HasSubstr("which has no carrier")),
                                Field(&Finding::remedy, HasSubstr("spark-reconcile gate")))));
}

TEST_F(FindingsTest, ATwinThatLostItsCarrierUnderAJobIsIdle) {
  use(0);
  use(1);
  carry(0, 95);
  rails_[1].has_carrier = false;
  rails_[1].limit.reset();
  EXPECT_THAT(found(seconds(60)),
              ElementsAre(is("SR-JOB-001", true, "(enP2p1s0f0np0) has no carrier")));
}

TEST_F(FindingsTest, WhereNobodyTellsTheQueuePairsNoneIsMissing) {
  use(0);
  rails_[1].unknown = "the kernel does not tell";
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(FindingsTest, ARailThatTheFileDoesNotHave) {
  use(0);
  use(1);
  rails_[1].in_file = false;
  EXPECT_THAT(found(), ElementsAre(is("SR-JOB-002", false, "the file does not have")));
}

TEST_F(FindingsTest, SeveralUsersOfARailUseIt) {
  use(0);
  jobs_.push_back(jobs_.front());
  EXPECT_THAT(found(), ElementsAre(is("SR-JOB-001", false,
                                      "vllm (pid 4711) and vllm (pid 4711) use rail 0")));
  jobs_ = without_names(jobs_);
  EXPECT_THAT(found(), ElementsAre(is("SR-JOB-001", false, "2 jobs use rail 0")));
  carry(0, 95);
  use(1);
  EXPECT_THAT(found(seconds(60)), ElementsAre(is("SR-JOB-001", true, "2 jobs have rail 0")));
  jobs_.pop_back();
  EXPECT_THAT(found(seconds(60)), ElementsAre(is("SR-JOB-001", true, "a job has rail 0")));
}

TEST_F(FindingsTest, TcpInPlaceOfRdma) {
  rails_[0].beside_rdma = BitRate{.received = 20 * kGigabit, .sent = 0};
  EXPECT_THAT(found(), ElementsAre(is("SR-JOB-003", false, "20.0 Gb/s without RDMA")));
  carry(0, 60);
  EXPECT_THAT(found(), IsEmpty()) << "a volume over TCP beside RDMA";
}

TEST_F(FindingsTest, WhereRdmaIsNotCountedAloneNothingIsSaidOfTcp) {
  rails_[0].counts_rdma = false;
  rails_[0].beside_rdma.reset();
  carry(0, 90);
  EXPECT_THAT(found(), IsEmpty());
}

TEST_F(FindingsTest, WhatIsSentAgainNamesTheOtherEnd) {
  use(0);
  use(1);
  rails_[0].sent_again = 12.5;
  EXPECT_THAT(found(),
              ElementsAre(is("SR-JOB-004", false, "sends to spark2 again 12.5 times a second")));
}

TEST_F(FindingsTest, RailsOutOfBalanceAreANote) {
  use(0);
  use(1);
  carry(0, 100);
  carry(1, 30);
  EXPECT_THAT(found(seconds(120)), ElementsAre(is("SR-JOB-005", false, "30.0 Gb/s")));
}

TEST_F(FindingsTest, WhatIsNotKnownIsNoFinding) {
  use(0);
  use(1);
  for (auto& rail : rails_) {
    rail.carried.reset();
    rail.limit.reset();
    rail.sent_again.reset();
  }
  EXPECT_THAT(found(seconds(120)), IsEmpty());
}

}  // namespace
}  // namespace spark::jobs
