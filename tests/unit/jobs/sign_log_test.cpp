#include "jobs/sign_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_host.hpp"
#include "jobs/records.hpp"

namespace spark::jobs {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

constexpr Time kNoon = Time(std::chrono::days(20'000)) + hours(12);

Recorded seen_at(Time at, Sign sign, const std::string& peer = "") {
  return {.at = at, .sign = sign, .link = "eth0", .peer = peer, .lasted = {}, .text = ""};
}

std::vector<Time> times_in(const SignLog& log) {
  std::vector<Time> times;
  for (const auto& sign : log.record().signs) times.push_back(sign.at);
  return times;
}

TEST(SignLog, CoversTheTimeInWhichADaemonRan) {
  SignLog log;
  log.begin(kNoon);
  log.go_on(kNoon + minutes(5));
  log.begin(kNoon + minutes(6));
  log.go_on(kNoon + minutes(7));
  EXPECT_THAT(log.record().covered,
              ElementsAre(Span{.from = kNoon, .to = kNoon + minutes(5)},
                          Span{.from = kNoon + minutes(6), .to = kNoon + minutes(7)}));
}

TEST(SignLog, OfARestartHasNoGap) {
  SignLog log;
  log.begin(kNoon);
  log.go_on(kNoon + minutes(5));
  log.begin(kNoon + minutes(5) + seconds(2));
  EXPECT_THAT(log.record().covered,
              ElementsAre(Span{.from = kNoon, .to = kNoon + minutes(5) + seconds(2)}));
}

TEST(SignLog, OfAClockThatWasSetBackCoversNoTimeToCome) {
  SignLog log;
  log.begin(kNoon);
  log.go_on(kNoon - hours(1));
  log.go_on(kNoon - minutes(59));
  EXPECT_THAT(log.record().covered,
              ElementsAre(Span{.from = kNoon, .to = kNoon},
                          Span{.from = kNoon - hours(1), .to = kNoon - minutes(59)}));
}

TEST(SignLog, WhatWasRecordedByAWrongClockMovesWithIt) {
  SignLog log;
  log.begin(kNoon - hours(3));
  log.add(seen_at(kNoon - hours(3), Sign::kEcho));
  log.go_on(kNoon - hours(2));
  log.begin(kNoon - hours(1));  // after a boot
  log.add(seen_at(kNoon - hours(1), Sign::kCarrierLost));
  log.go_on(kNoon);
  log.set_clock(kNoon - minutes(61), kNoon, -hours(4));
  EXPECT_THAT(times_in(log), ElementsAre(kNoon - hours(5), kNoon - hours(3)));
  EXPECT_THAT(log.record().covered,
              ElementsAre(Span{.from = kNoon - hours(3), .to = kNoon - hours(2)},
                          Span{.from = kNoon - hours(5), .to = kNoon - hours(4)}));
  log.go_on(kNoon - hours(4) + minutes(1));
  EXPECT_THAT(log.record().covered, SizeIs(2));
}

TEST(SignLog, OfAClockThatWasSetFarAheadCoversNoTimeBetween) {
  SignLog log;
  log.begin(kNoon);
  log.go_on(kNoon + minutes(1));
  log.set_clock(kNoon - minutes(1), kNoon + minutes(1), hours(1000));
  log.go_on(kNoon + hours(1000) + minutes(2));
  EXPECT_THAT(log.record().covered, ElementsAre(Span{.from = kNoon + hours(1000),
                                                     .to = kNoon + hours(1000) + minutes(2)}));
}

TEST(SignLog, EndsTheNewestThatStands) {
  SignLog log;
  log.add(seen_at(kNoon, Sign::kCarrierLost));
  log.add(seen_at(kNoon + minutes(1), Sign::kCarrierLost));
  log.add(seen_at(kNoon + minutes(2), Sign::kPeerSilent, "spark2"));
  log.end(Sign::kCarrierLost, "eth0", "", kNoon + minutes(3));
  log.end(Sign::kCarrierLost, "eth0", "", kNoon + minutes(4));
  log.end(Sign::kCarrierLost, "eth1", "", kNoon + minutes(4));
  log.end(Sign::kPeerSilent, "eth0", "spark3", kNoon + minutes(4));
  const auto& signs = log.record().signs;
  EXPECT_EQ(signs[0].lasted, std::nullopt);
  EXPECT_EQ(signs[1].lasted, minutes(2));
  EXPECT_EQ(signs[2].lasted, std::nullopt);
}

TEST(SignLog, HasNoLessThanNothingOfWhatAClockSetBackEnds) {
  SignLog log;
  log.add(seen_at(kNoon, Sign::kCarrierLost));
  log.end(Sign::kCarrierLost, "eth0", "", kNoon - hours(1));
  EXPECT_EQ(log.record().signs[0].lasted, milliseconds(0));
}

TEST(SignLog, IsInTheOrderOfTimeAndHasEachSignOnce) {
  SignLog log;
  log.add(seen_at(kNoon, Sign::kChanged));
  log.add(seen_at(kNoon - minutes(1), Sign::kOutOfMemory));
  log.add(seen_at(kNoon - minutes(1), Sign::kOutOfMemory));
  log.add(seen_at(kNoon - minutes(1), Sign::kXid));
  EXPECT_THAT(times_in(log), ElementsAre(kNoon - minutes(1), kNoon - minutes(1), kNoon));
}

TEST(SignLog, HasPrintableTextsOfABoundedLength) {
  SignLog log;
  auto sign = seen_at(kNoon, Sign::kKernelLine);
  sign.text = "\x1b[31m" + std::string(400, 'x');
  log.add(sign);
  EXPECT_THAT(log.record().signs[0].text, Not(HasSubstr("\x1b")));
  EXPECT_LE(log.record().signs[0].text.size(), SignLog::kLongestText + 16);
}

TEST(SignLog, KeepsTheFirstProofOfEachHour) {
  SignLog log;
  for (int minute = 0; minute < 240; minute += 10) {
    log.add(seen_at(kNoon + minutes(minute), Sign::kEcho, "spark2"));
    log.add(seen_at(kNoon + minutes(minute), Sign::kEcho, "spark3"));
  }
  log.forget({}, kNoon + hours(4));
  const auto times = times_in(log);
  EXPECT_THAT(times, SizeIs(2 * (3 + 6))) << "three hours, and all of the last one";
  EXPECT_EQ(times[2], kNoon + hours(1));
}

TEST(SignLog, KeepsProofsBesideWhatHappenedAndBesideTheEndOfAJob) {
  SignLog log;
  for (int minute = 0; minute < 60; ++minute) {
    log.add(seen_at(kNoon + minutes(minute), Sign::kEcho, "spark2"));
  }
  log.add(seen_at(kNoon + minutes(20), Sign::kCarrierLost));
  log.forget({kNoon + minutes(40)}, kNoon + hours(9));
  EXPECT_THAT(times_in(log),
              ElementsAre(kNoon, kNoon + minutes(18), kNoon + minutes(19), kNoon + minutes(20),
                          kNoon + minutes(20), kNoon + minutes(21), kNoon + minutes(22),
                          kNoon + minutes(38), kNoon + minutes(39), kNoon + minutes(40),
                          kNoon + minutes(41), kNoon + minutes(42)));
}

TEST(SignLog, ForgetsAfterThirtyDays) {
  SignLog log;
  log.begin(kNoon);
  log.go_on(kNoon + hours(1));
  log.begin(kNoon + hours(2));
  log.add(seen_at(kNoon, Sign::kCarrierLost));
  log.add(seen_at(kNoon + hours(2), Sign::kCarrierLost));
  log.forget({}, kNoon + SignLog::kKept + hours(2));
  EXPECT_THAT(log.record().covered, SizeIs(1));
  EXPECT_THAT(times_in(log), ElementsAre(kNoon + hours(2)));
}

TEST(SignLog, KeepsTheLastTwoHundredSpans) {
  SignLog log;
  for (int start = 0; start < 205; ++start) log.begin(kNoon + minutes(start));
  log.forget({}, kNoon + minutes(205));
  EXPECT_THAT(log.record().covered, SizeIs(200));
  EXPECT_EQ(log.record().covered[0].from, kNoon + minutes(5));
}

TEST(SignLog, MakesRoomByTheOldestEchoesFirst) {
  SignLog log;
  log.add(seen_at(kNoon, Sign::kCarrierLost));
  log.add(seen_at(kNoon, Sign::kRdmaProven, "spark2"));
  for (std::size_t count = 0; count < protocol::kMostSigns; ++count) {
    log.add(seen_at(kNoon + seconds(count), Sign::kEcho, "spark2"));
  }
  EXPECT_THAT(log.record().signs, SizeIs(protocol::kMostSigns));
  EXPECT_EQ(log.record().signs[0].sign, Sign::kCarrierLost);
  EXPECT_EQ(log.record().signs[1].sign, Sign::kRdmaProven);
  EXPECT_EQ(log.record().signs[2].at, kNoon + seconds(2));
}

TEST(SignLog, MakesRoomByTheOldestWhereThereAreNoProofs) {
  SignLog log;
  for (std::size_t count = 0; count <= protocol::kMostSigns; ++count) {
    log.add(seen_at(kNoon + seconds(count), Sign::kCarrierLost));
  }
  EXPECT_THAT(log.record().signs, SizeIs(protocol::kMostSigns));
  EXPECT_EQ(log.record().signs[0].at, kNoon + seconds(1));
}

TEST(RecordText, OfAFullLogIsShortEnoughForItsReaders) {
  SignLog log;
  log.record().node = std::string(64, 'n');
  for (std::size_t count = 0; count < 400; ++count) log.begin(kNoon + minutes(count));
  for (const auto* const letter : {"\x01", "\"", "𝔸"}) {
    std::string name;
    for (int count = 0; count < 130; ++count) name += letter;
    for (int count = 0; count < 700; ++count) {
      log.add({.at = kNoon + seconds(count),
               .sign = Sign::kKernelLine,
               .link = name,
               .peer = name,
               .lasted = hours(700),
               .text = name});
    }
    log.forget({}, kNoon + hours(10));
    EXPECT_LT(record_text(log.record()).size(), protocol::kMostRecordedBytes);
  }
}

TEST(RecordText, IsReadAsItWasWritten) {
  SignLog log;
  log.record().node = "spark1";
  log.begin(kNoon);
  log.add(seen_at(kNoon, Sign::kPeerSilent, "spark2"));
  log.end(Sign::kPeerSilent, "eth0", "spark2", kNoon + milliseconds(2100));
  log.add(seen_at(kNoon + seconds(9), Sign::kRdmaProven));
  const auto read = record_from_text(record_text(log.record()));
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(*read, log.record());
}

TEST(RecordText, OfAnotherVersionIsRefused) {
  EXPECT_FALSE(record_from_text("{}"));
  EXPECT_FALSE(record_from_text(R"({"schema":"spark-reconcile/record/v9"})"));
}

class ReadRecord : public testing::Test {
 protected:
  void put(const char* path, const std::string& node) {
    host_.files().put(path, record_text({.node = node, .ahead = {}, .covered = {}, .signs = {}}));
  }
  test::FakeHost host_;
};

TEST_F(ReadRecord, TakesTheOneOfTheDaemonThatRuns) {
  EXPECT_EQ(*read_record(host_.files()), std::nullopt);
  put(protocol::kKeptRecordFile, "before");
  EXPECT_EQ((*read_record(host_.files()))->node, "before");
  put(protocol::kRecordFile, "now");
  const auto record = *read_record(host_.files());
  EXPECT_EQ(record->node, "now");
  EXPECT_EQ(record->ahead, milliseconds(0));
}

TEST_F(ReadRecord, SaysWhichFileIsDamaged) {
  host_.files().put(protocol::kRecordFile, "{");
  const auto record = read_record(host_.files());
  ASSERT_FALSE(record);
  EXPECT_THAT(record.error().what, HasSubstr(protocol::kRecordFile));
}

}  // namespace
}  // namespace spark::jobs
