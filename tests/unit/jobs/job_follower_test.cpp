#include "jobs/job_follower.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/jobs/looks.hpp"

namespace spark::jobs {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

/// A cage with both rails in the file, looked at again and again.
class JobFollowerTest : public testing::Test {
 protected:
  /// A process of alice, which begins now.
  void begin(std::uint32_t pid, const std::string& container = "") {
    const host::RunningProcess process{.pid = pid,
                                       .name = "vllm",
                                       .user = "alice",
                                       .container = container,
                                       .unit = "session-4.scope"};
    seen_[pid] = {.process = process,
                  .place = host::ProcessPlace{.parent = 1, .started = now_.boot}};
  }

  RailSnapshot& rail(std::size_t number) { return rails_[number]; }
  void open_pair(std::size_t number, std::uint32_t pid) { rail(number).queue_pairs.push_back(pid); }
  void close_pairs() {
    for (auto& rail : rails_) rail.queue_pairs.clear();
  }
  void send(std::size_t number, std::uint64_t octets) {
    rail(number).counters.rdma_words->sent += octets / 4;
  }

  void look() { follower_.take({.at = now_.boot, .rails = rails_}, seen_, now_, {}); }
  void look_after(seconds passed) {
    now_ = later(now_, passed);
    look();
  }
  /// Another daemon begins with what this one wrote.
  void restart(bool keeps_names = true) {
    follower_ = JobFollower(*JobLog::from_text(follower_.log().to_text()), keeps_names);
  }

  [[nodiscard]] const JobRecord& record(std::size_t place = 0) const {
    return follower_.log().jobs().at(place);
  }
  /// What the job sent over that rail of its record.
  [[nodiscard]] std::optional<std::uint64_t> sent(std::size_t place = 0) const {
    return record().rails.at(place).octets.transform(
        [](const host::BothWays& octets) { return octets.sent; });
  }

  std::vector<RailSnapshot> rails_{test::rail_look({0, 0}), test::rail_look({0, 1})};
  SeenProcesses seen_;
  Moment now_{.wall = Time{std::chrono::sys_days{std::chrono::year{2026} / 1 / 31}},
              .boot = hours(100)};
  JobFollower follower_{{}, true};
};

TEST_F(JobFollowerTest, AJobIsRecordedByTheFirstLookThatSeesIt) {
  look();
  EXPECT_FALSE(follower_.is_due());
  now_ = later(now_, seconds(6));
  begin(50);
  open_pair(0, 50);
  look_after(seconds(4));
  ASSERT_THAT(follower_.log().jobs(), SizeIs(1));
  EXPECT_EQ(record().number, 1U);
  EXPECT_EQ(record().not_before, now_.wall - seconds(4)) << "its process began then";
  EXPECT_EQ(record().seen, now_.wall);
  EXPECT_FALSE(record().ended);
  EXPECT_EQ(record().name, "vllm");
  EXPECT_EQ(record().user, "alice");
  EXPECT_EQ(record().pid, 50U);
  EXPECT_TRUE(follower_.is_due());
  look_after(seconds(10));
  EXPECT_THAT(follower_.log().jobs(), SizeIs(1));
  EXPECT_EQ(record().last_seen, now_.wall);
}

TEST_F(JobFollowerTest, AnOldProcessHadNoQueuePairsAtTheLookBefore) {
  begin(50);
  look_after(hours(1));
  open_pair(0, 50);
  look_after(seconds(10));
  EXPECT_EQ(record().not_before, now_.wall - seconds(10));
}

TEST_F(JobFollowerTest, AProcessThatEndedDuringTheLookIsNoJob) {
  look();
  open_pair(0, 77);  // as a probe, whose name is gone with it
  look_after(seconds(10));
  EXPECT_THAT(follower_.log().jobs(), SizeIs(0));
  EXPECT_FALSE(follower_.is_due());
}

TEST_F(JobFollowerTest, OfTheFirstLookAJobIsAsOldAsItsProcess) {
  begin(50);
  open_pair(0, 50);
  open_pair(1, 77);
  seen_.emplace(77, SeenProcess{.process = {.pid = 77, .name = "train"}, .place = {}});
  look_after(hours(1));
  ASSERT_THAT(follower_.log().jobs(), SizeIs(2));
  EXPECT_EQ(record(0).not_before, now_.wall - hours(1));
  EXPECT_EQ(record(1).not_before, now_.wall);
  EXPECT_FALSE(sent()) << "nobody knows what it sent before";
  send(0, 400);
  look_after(seconds(10));
  EXPECT_EQ(sent(), 400U);
}

TEST_F(JobFollowerTest, OctetsAreOfAllLooksFromTheOneBeforeToTheFirstWithout) {
  look();
  send(0, 400);
  begin(50);
  open_pair(0, 50);
  look_after(seconds(10));
  EXPECT_EQ(sent(), 400U);
  send(0, 4000);
  look_after(seconds(10));
  send(0, 8);
  send(1, 1000);
  close_pairs();
  look_after(seconds(10));
  EXPECT_EQ(sent(), 4408U);
  send(0, 100);
  look_after(seconds(10));
  EXPECT_EQ(sent(), 4408U) << "it was not there any more";
  EXPECT_THAT(record().rails, SizeIs(1));
}

TEST_F(JobFollowerTest, ARailThatAJobLeavesIsCountedOnceMore) {
  look();
  begin(50);
  open_pair(0, 50);
  open_pair(1, 50);
  look_after(seconds(10));
  rail(1).queue_pairs.clear();
  send(1, 40);
  look_after(seconds(10));
  send(1, 400);
  look_after(seconds(10));
  EXPECT_EQ(sent(1), 40U);
}

TEST_F(JobFollowerTest, AJobHasEndedAtTheFirstLookWithoutQueuePairs) {
  begin(50);
  open_pair(0, 50);
  look();
  const auto last_seen = now_.wall;
  close_pairs();
  look_after(seconds(10));
  const auto first_without = now_.wall;
  look_after(seconds(29));
  EXPECT_FALSE(record().ended);
  EXPECT_TRUE(follower_.is_due());
  look_after(seconds(1));
  EXPECT_EQ(record().ended, first_without);
  EXPECT_EQ(record().last_seen, last_seen);
  EXPECT_FALSE(record().is_end_unseen);
  EXPECT_FALSE(follower_.is_due());
}

TEST_F(JobFollowerTest, AfterAShortRestAJobGoesOn) {
  begin(50);
  open_pair(0, 50);
  look();
  close_pairs();
  look_after(seconds(10));
  open_pair(0, 50);
  look_after(seconds(19));
  EXPECT_THAT(follower_.log().jobs(), SizeIs(1));
  close_pairs();
  look_after(seconds(10));
  const auto first_without = now_.wall;
  open_pair(0, 50);
  look_after(seconds(30));
  ASSERT_THAT(follower_.log().jobs(), SizeIs(2));
  EXPECT_EQ(record(0).ended, first_without);
  EXPECT_EQ(record(1).not_before, first_without);
}

TEST_F(JobFollowerTest, AContainerGoesOnWithOtherProcesses) {
  begin(50, "docker 3f2a1b0c9d8e");
  open_pair(0, 50);
  look();
  close_pairs();
  begin(60, "docker 3f2a1b0c9d8e");
  open_pair(1, 60);
  look_after(seconds(10));
  ASSERT_THAT(follower_.log().jobs(), SizeIs(1));
  EXPECT_EQ(record().container, "docker 3f2a1b0c9d8e");
  EXPECT_THAT(record().rails, SizeIs(2));
}

TEST_F(JobFollowerTest, AnotherProcessWithTheSamePidIsAnotherJob) {
  begin(50);
  open_pair(0, 50);
  look();
  now_ = later(now_, seconds(5));
  begin(50);
  look_after(seconds(5));
  EXPECT_THAT(follower_.log().jobs(), SizeIs(2));
}

TEST_F(JobFollowerTest, ADeviceThatComesBackLosesOnlyWhatItMovedMeanwhile) {
  look();
  begin(50);
  open_pair(0, 50);
  send(0, 400);
  look_after(seconds(10));
  rail(0).link_index += 10;
  rail(0).counters.rdma_words = host::BothWays{};
  look_after(seconds(10));
  EXPECT_EQ(sent(), 400U);
  send(0, 4000);
  look_after(seconds(10));
  EXPECT_EQ(sent(), 4400U);
}

TEST_F(JobFollowerTest, CountsWhatWasSentAgainWhereTheDriverDoes) {
  rail(0).counters.events = {{"packet_seq_err", 10}};
  look();
  begin(50);
  open_pair(0, 50);
  open_pair(1, 50);
  rail(0).counters.events = {{"packet_seq_err", 13}};
  look_after(seconds(10));
  rail(0).counters.events = {{"packet_seq_err", 14}};
  look_after(seconds(10));
  EXPECT_EQ(record().rails.at(0).sent_again, 4U);
  EXPECT_FALSE(record().rails.at(1).sent_again);
}

TEST_F(JobFollowerTest, WhereRdmaIsNotCountedAloneOctetsAreOfTheLink) {
  rail(0).counters.rdma_words.reset();
  look();
  begin(50);
  open_pair(0, 50);
  rail(0).counters.link_octets->sent = 40;
  look_after(seconds(10));
  EXPECT_FALSE(record().rails.at(0).counts_rdma);
  EXPECT_EQ(sent(), 40U);
}

TEST_F(JobFollowerTest, ARailOfTwoJobsIsShared) {
  begin(50);
  begin(60);
  open_pair(0, 50);
  open_pair(0, 60);
  open_pair(1, 60);
  look();
  ASSERT_THAT(follower_.log().jobs(), SizeIs(2));
  EXPECT_EQ(follower_.followed().running, 2U);
  rail(0).queue_pairs = {50};
  look_after(seconds(10));
  EXPECT_TRUE(record(0).rails.at(0).is_shared) << "part of the octets are of both";
  EXPECT_FALSE(record(1).rails.at(1).is_shared);
}

TEST_F(JobFollowerTest, WhereNobodyCanSayTheJobHasNotEnded) {
  begin(50);
  open_pair(0, 50);
  look();
  close_pairs();
  rail(0).unknown = "the kernel does not tell";
  for (int i = 0; i < 5; ++i) look_after(seconds(10));
  EXPECT_FALSE(record().ended);
  rail(0).unknown.clear();
  look_after(seconds(10));
  const auto first_without = now_.wall;
  look_after(seconds(30));
  EXPECT_EQ(record().ended, first_without);
}

TEST_F(JobFollowerTest, WithoutNamesARecordHasNoneAndStillGoesOn) {
  follower_ = JobFollower({}, false);
  begin(50, "docker 3f2a1b0c9d8e");
  open_pair(0, 50);
  look();
  look_after(seconds(10));
  ASSERT_THAT(follower_.log().jobs(), SizeIs(1));
  EXPECT_THAT(follower_.log().to_text(),
              AllOf(Not(HasSubstr("vllm")), Not(HasSubstr("alice")), Not(HasSubstr("docker")),
                    Not(HasSubstr("session"))));
  EXPECT_EQ(record().pid, 0U);
}

TEST_F(JobFollowerTest, NamesThatAreNotKeptAnyMoreGo) {
  begin(50);
  open_pair(0, 50);
  look();
  restart(false);
  EXPECT_THAT(follower_.log().to_text(), Not(HasSubstr("vllm")));
}

TEST_F(JobFollowerTest, AJobGoesOnUnderTheNextDaemon) {
  begin(50);
  open_pair(0, 50);
  look();
  send(0, 400);
  look_after(seconds(10));
  restart();
  EXPECT_TRUE(follower_.is_due());
  send(0, 4000);
  look_after(seconds(40));
  send(0, 8);
  look_after(seconds(10));
  ASSERT_THAT(follower_.log().jobs(), SizeIs(1));
  EXPECT_FALSE(record().ended);
  EXPECT_EQ(sent(), 408U) << "nobody looked meanwhile";
}

TEST_F(JobFollowerTest, WithoutNamesAJobGoesOnUnderTheNextDaemonToo) {
  follower_ = JobFollower({}, false);
  begin(50, "docker 3f2a1b0c9d8e");
  open_pair(0, 50);
  look();
  restart(false);
  look_after(seconds(5));
  ASSERT_THAT(follower_.log().jobs(), SizeIs(1));
  EXPECT_FALSE(record().ended);
  restart(false);
  now_ = later(now_, seconds(5));
  begin(50);
  look();
  ASSERT_THAT(follower_.log().jobs(), SizeIs(2)) << "that one began later";
  EXPECT_TRUE(record(0).is_end_unseen);
}

TEST_F(JobFollowerTest, AJobThatEndedWithoutADaemonEndedUnseen) {
  begin(50);
  open_pair(0, 50);
  look();
  const auto last_seen = now_.wall;
  restart();
  close_pairs();
  look_after(seconds(40));
  EXPECT_EQ(record().last_seen, last_seen);
  EXPECT_EQ(record().ended, now_.wall);
  EXPECT_TRUE(record().is_end_unseen);
  EXPECT_FALSE(follower_.is_due());
}

TEST_F(JobFollowerTest, ABootEndsAllJobsWhateverHasTheirPidsThen) {
  begin(50, "docker 3f2a1b0c9d8e");
  open_pair(0, 50);
  look();
  restart();
  now_ = {.wall = now_.wall + seconds(90), .boot = seconds(60)};
  begin(50, "docker 3f2a1b0c9d8e");
  look();
  ASSERT_THAT(follower_.log().jobs(), SizeIs(2));
  EXPECT_TRUE(record(0).is_end_unseen);
  EXPECT_FALSE(record(1).ended);
}

TEST_F(JobFollowerTest, AJumpOfTheClockMakesNoJobLonger) {
  look();
  begin(50);
  now_.wall -= hours(1);
  open_pair(0, 50);
  look_after(seconds(10));
  EXPECT_EQ(record().seen - record().not_before, seconds(10));
  close_pairs();
  look_after(seconds(10));
  now_.wall += hours(1);
  look_after(seconds(10));
  EXPECT_FALSE(record().ended);
}

TEST_F(JobFollowerTest, WhatWasSeenByAWrongClockMovesWithIt) {
  begin(40);
  open_pair(1, 40);
  look();
  close_pairs();
  look_after(seconds(10));
  look_after(seconds(30));
  restart();
  begin(50);
  open_pair(0, 50);
  look();
  close_pairs();
  look_after(seconds(10));
  const auto earlier = record(0);
  const auto gone = now_.wall;
  now_.wall += hours(400);
  follower_.set_clock(hours(400));
  look_after(seconds(30));
  EXPECT_EQ(record(0), earlier) << "by the clock of a daemon before";
  EXPECT_EQ(record(1).last_seen, gone + hours(400) - seconds(10));
  EXPECT_EQ(record(1).ended, gone + hours(400));
}

TEST_F(JobFollowerTest, AFindingIsRecordedOnceAsItWasWorst) {
  constexpr std::uint64_t kBusy = 100'000'000'000;  // octets in 10 s
  look();
  begin(50);
  open_pair(0, 50);
  look_after(seconds(10));
  EXPECT_THAT(record().findings, ElementsAre(AllOf(Field(&Finding::id, "SR-JOB-001"),
                                                   Field(&Finding::is_alert, false))));
  for (int i = 0; i < 6; ++i) {
    send(0, kBusy);
    look_after(seconds(10));
  }
  look_after(seconds(10));
  EXPECT_THAT(record().findings,
              ElementsAre(AllOf(Field(&Finding::id, "SR-JOB-001"), Field(&Finding::is_alert, true),
                                Field(&Finding::what, HasSubstr("a job uses")),
                                Field(&Finding::what, Not(HasSubstr("vllm"))))));
  EXPECT_THAT(follower_.followed().findings, ElementsAre(Field(&Finding::is_alert, false)));
}

TEST_F(JobFollowerTest, WhatWasFollowedHasRatesAndOctetsSinceTheDaemonBegan) {
  rail(1).counters = {};
  look();
  EXPECT_THAT(follower_.followed().octets, ElementsAre(testing::Pair(rail(0).link, 0U)));
  send(0, 4000);
  look_after(seconds(1));
  send(0, 400);
  look_after(seconds(1));
  const auto& followed = follower_.followed();
  EXPECT_EQ(followed.at.wall, now_.wall);
  EXPECT_EQ(followed.running, 0U);
  EXPECT_EQ(followed.rails.at(0).carried, (BitRate{.received = 0, .sent = 3200}));
  EXPECT_EQ(followed.octets.at(rail(0).link), 4400U);
  EXPECT_THAT(follower_.log().jobs(), IsEmpty());
}

TEST_F(JobFollowerTest, HowManyJobsRunIsNotKnownWhereNobodyCanSay) {
  rail(1).unknown = "the kernel does not tell";
  look();
  EXPECT_EQ(follower_.followed().running, std::nullopt);
  begin(4711);
  open_pair(0, 4711);
  look_after(seconds(10));
  EXPECT_EQ(follower_.followed().running, 1U);
}

}  // namespace
}  // namespace spark::jobs
