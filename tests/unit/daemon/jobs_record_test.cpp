#include "daemon/jobs_record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_host.hpp"
#include "jobs/job_log.hpp"
#include "protocol/node_signs.hpp"

namespace spark::daemon {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr const char* kRailDevice = "rocep1s0f0";

/// A Spark without a file, and what a test says that the daemon on it does.
class JobsRecordTest : public testing::Test {
 protected:
  JobsRecordTest() {
    test::add_spark(fake_);
    fake_.processes().begin({.pid = 4711, .name = "vllm", .user = "alice"});
  }

  JobsRecord start(bool keeps_names = true) {
    return {host_,
            {.keeps_names = keeps_names,
             .kernel_lines =
                 [this](jobs::Time since, jobs::Time until) {
                   read_.push_back({.from = since, .to = until});
                   return std::vector<jobs::Recorded>{
                       {.at = until, .sign = protocol::Sign::kXid, .text = "Xid 79"}};
                 }},
            [this](int /*priority*/, std::string_view text) { log_ += text; },
            now_};
  }
  /// As the daemon does it every few seconds.
  void look(JobsRecord& record, std::chrono::milliseconds after) {
    now_ = later(now_, after);
    record.look(nullptr, "", now_);
    record.keep(now_);
  }
  std::string text_of(const char* path) { return fake_.files().read(path).value().value_or(""); }
  void use_rail(bool uses) { fake_.rdma().set_users(kRailDevice, uses ? 2 : 0); }
  /// What is written now is not counted.
  std::size_t writes_of_next(JobsRecord& record, std::chrono::milliseconds after) {
    fake_.forget_writes();
    look(record, after);
    return fake_.writes();
  }

  test::FakeHost fake_;
  host::Host host_ = fake_.host();
  Moment now_{.wall = jobs::Time(1'800'000'000s), .boot = 1h};
  std::vector<jobs::Span> read_;
  std::string log_;
};

TEST_F(JobsRecordTest, WritesNoFileOfJobsWhereNoneRuns) {
  auto record = start();
  look(record, 1s);
  EXPECT_FALSE(record.is_due());
  EXPECT_THAT(text_of(jobs::kJobsFile), IsEmpty());
  EXPECT_THAT(text_of(protocol::kKeptRecordFile), Not(IsEmpty()));
  EXPECT_EQ(text_of(protocol::kRecordFile), text_of(protocol::kKeptRecordFile));
}

TEST_F(JobsRecordTest, WritesAJobWhenItBeginsAndWhenItHasEnded) {
  auto record = start();
  look(record, 1s);
  use_rail(true);
  look(record, 10s);
  EXPECT_TRUE(record.is_due());
  EXPECT_THAT(text_of(jobs::kJobsFile), HasSubstr("vllm"));
  EXPECT_THAT(text_of(jobs::kJobsFile), Not(HasSubstr("ended_ms")));
  use_rail(false);
  look(record, 10s);
  look(record, 31s);
  EXPECT_FALSE(record.is_due());
  EXPECT_THAT(text_of(jobs::kJobsFile), HasSubstr("ended_ms"));
}

TEST_F(JobsRecordTest, WritesAJobThatRunsEveryFiveMinutes) {
  auto record = start();
  use_rail(true);
  look(record, 1s);
  EXPECT_EQ(writes_of_next(record, 10s), 1U);  // the rails, for peers
  const auto before = text_of(jobs::kJobsFile);
  look(record, 5min);
  EXPECT_NE(text_of(jobs::kJobsFile), before);
}

TEST_F(JobsRecordTest, GoesOnWithTheJobsOfTheDaemonBefore) {
  {
    auto record = start();
    use_rail(true);
    look(record, 1s);
    record.end(now_);
  }
  auto record = start();
  look(record, 5s);
  const auto log = jobs::read_job_log(host_.files).value();
  EXPECT_THAT(log.jobs(), SizeIs(1));
  EXPECT_THAT(log_, IsEmpty());
}

TEST_F(JobsRecordTest, ReadsTheKernelsLinesOnceAJobHasEnded) {
  auto record = start();
  use_rail(true);
  look(record, 1s);
  EXPECT_THAT(read_, IsEmpty());
  use_rail(false);
  look(record, 10s);
  look(record, 31s);
  ASSERT_THAT(read_, SizeIs(1));
  EXPECT_EQ(read_[0], (jobs::Span{.from = now_.wall - 5min, .to = now_.wall}));
  EXPECT_THAT(text_of(protocol::kRecordFile), HasSubstr("Xid 79"));
}

TEST_F(JobsRecordTest, SaysOnceAMinuteThatItStillRecordsAndOnceAnHourOnDisk) {
  auto record = start();
  look(record, 1s);
  // The rails are written with each look.
  EXPECT_EQ(writes_of_next(record, 59s), 1U);
  EXPECT_EQ(writes_of_next(record, 1s), 2U);
  EXPECT_EQ(writes_of_next(record, 59min), 3U);
}

TEST_F(JobsRecordTest, KeepsNoNamesWhereNobodyWantsThem) {
  auto record = start(false);
  use_rail(true);
  look(record, 1s);
  EXPECT_THAT(text_of(jobs::kJobsFile), Not(HasSubstr("vllm")));
  EXPECT_THAT(text_of(jobs::kJobsFile), Not(HasSubstr("4711")));
}

TEST_F(JobsRecordTest, OfAClockThatIsSetAfterTheBootCoversNoTimeBetween) {
  auto record = start();
  use_rail(true);
  look(record, 1s);
  const auto began = now_.wall - 1s;
  now_.wall += 1000h;
  look(record, 10s);
  record.end(now_);
  const auto kept = jobs::record_from_text(text_of(protocol::kRecordFile)).value();
  ASSERT_THAT(kept.covered, SizeIs(1));
  EXPECT_EQ(kept.covered[0].from, began + 1000h);
  EXPECT_EQ(kept.covered[0].to, now_.wall);
  const auto log = jobs::read_job_log(host_.files).value();
  EXPECT_EQ(log.jobs().front().seen, now_.wall - 10s);
}

TEST_F(JobsRecordTest, TakesNamesThatNobodyWantsAnyMoreOffTheDisk) {
  {
    auto record = start();
    use_rail(true);
    look(record, 1s);
    use_rail(false);
    look(record, 10s);
    look(record, 31s);
  }
  ASSERT_THAT(text_of(jobs::kJobsFile), HasSubstr("vllm"));
  auto record = start(false);
  look(record, 1s);
  EXPECT_THAT(text_of(jobs::kJobsFile), Not(HasSubstr("vllm")));
}

TEST_F(JobsRecordTest, TakesWhatIsTooOldOffTheDiskWhereNoJobRuns) {
  auto record = start();
  use_rail(true);
  look(record, 1s);
  use_rail(false);
  look(record, 10s);
  look(record, 31s);
  look(record, 29 * 24h);
  EXPECT_THAT(text_of(jobs::kJobsFile), HasSubstr("vllm"));
  look(record, 24h);
  EXPECT_THAT(text_of(jobs::kJobsFile), Not(HasSubstr("vllm")));
}

TEST_F(JobsRecordTest, StartsEmptyWhereItCannotReadWhatWasWritten) {
  fake_.files().put(jobs::kJobsFile, "{");
  fake_.files().put(protocol::kKeptRecordFile, "{");
  auto record = start();
  EXPECT_THAT(log_, HasSubstr(jobs::kJobsFile));
  EXPECT_THAT(log_, HasSubstr(protocol::kKeptRecordFile));
  look(record, 1s);
  EXPECT_THAT(text_of(protocol::kKeptRecordFile), HasSubstr(protocol::kRecordSchema));
}

TEST_F(JobsRecordTest, TriesAgainWhatCouldNotBeWritten) {
  auto record = start();
  use_rail(true);
  fake_.refuse_if(jobs::kJobsFile);
  look(record, 1s);
  EXPECT_THAT(text_of(jobs::kJobsFile), IsEmpty());
  fake_.refuse_if("");
  look(record, 10s);
  EXPECT_THAT(text_of(jobs::kJobsFile), HasSubstr("vllm"));
}

}  // namespace
}  // namespace spark::daemon
