#include "jobs/job_log.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_host.hpp"

namespace spark::jobs {
namespace {

using std::chrono::days;
using std::chrono::hours;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const Time kFirstSeen{std::chrono::sys_days{std::chrono::year{2026} / 1 / 31} + hours(9)};

/// It began in the morning, and ended an hour later unless it is open.
JobRecord recorded_job(const std::string& name, bool is_open = false) {
  JobRecord job;
  job.not_before = kFirstSeen;
  job.seen = kFirstSeen;
  job.last_seen = kFirstSeen + hours(1);
  if (!is_open) job.ended = kFirstSeen + hours(1);
  job.name = name;
  return job;
}

JobLog jobs_log_of(std::size_t count) {
  JobLog log;
  for (std::size_t i = 1; i <= count; ++i) log.add(recorded_job(std::to_string(i)));
  return log;
}

TEST(JobLog, NumbersItsJobs) {
  auto log = jobs_log_of(1);
  EXPECT_EQ(log.add(recorded_job("vllm")).number, 2U);
  ASSERT_NE(log.job(2), nullptr);
  EXPECT_EQ(log.job(2)->name, "vllm");
  EXPECT_EQ(log.job(3), nullptr);
}

TEST(JobLog, KeepsTheNewestAndThoseThatHaveNotEnded) {
  JobLog log;
  log.add(recorded_job("runs for weeks", true));
  for (std::size_t i = 0; i < JobLog::kMost + 3; ++i) log.add(recorded_job("short"));
  EXPECT_THAT(log.jobs(), SizeIs(JobLog::kMost));
  EXPECT_EQ(log.jobs().front().name, "runs for weeks");
  EXPECT_EQ(log.jobs().back().number, JobLog::kMost + 4);
}

TEST(JobLog, ForgetsAfterThirtyDaysWhatHasEnded) {
  auto log = jobs_log_of(1);
  log.add(recorded_job("runs for weeks", true));
  log.forget(*log.jobs().front().ended + days(30));
  EXPECT_THAT(log.jobs(), SizeIs(2));
  log.forget(*log.jobs().front().ended + days(30) + hours(1));
  ASSERT_THAT(log.jobs(), SizeIs(1));
  EXPECT_EQ(log.jobs().front().name, "runs for weeks");
}

TEST(JobLog, GivesNoNumberTwice) {
  auto log = jobs_log_of(3);
  log.forget(kFirstSeen + days(60));
  EXPECT_THAT(log.jobs(), IsEmpty());
  auto again = JobLog::from_text(log.to_text());
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_EQ(again->add(recorded_job("vllm")).number, 4U);
}

TEST(JobLog, ReadsWhatItWrote) {
  auto log = jobs_log_of(1);
  auto& job = log.add(recorded_job("vllm", true));
  job.user = "alice";
  job.container = "docker 3f2a1b0c9d8e";
  job.unit = "session-4.scope";
  job.pid = 4711;
  job.is_end_unseen = true;
  job.rails = {{.link = "enp1s0f0np0",
                .rail = config::Rail{0, 0},
                .counts_rdma = true,
                .is_shared = true,
                .octets = host::BothWays{.received = 1, .sent = 2},
                .sent_again = 3},
               {.link = "enP2p1s0f0np0",
                .rail = {},
                .counts_rdma = false,
                .is_shared = false,
                .octets = {},
                .sent_again = {}}};
  job.findings = {{.id = "SR-JOB-001",
                   .is_alert = true,
                   .link = "enp1s0f0np0",
                   .what = "a job uses it",
                   .remedy = "use both"}};
  const auto again = JobLog::from_text(log.to_text());
  ASSERT_TRUE(again) << again.error().what;
  EXPECT_EQ(again->jobs(), log.jobs());
}

TEST(JobLog, WritesNoLongTextAndNoneThatATerminalObeys) {
  JobLog log;
  log.add(recorded_job("\x1b[2J" + std::string(1000, 'x'))).findings = {
      {.id = "SR-JOB-001", .link = "", .what = std::string(1000, 'x'), .remedy = ""}};
  const auto again = JobLog::from_text(log.to_text());
  ASSERT_TRUE(again) << again.error().what;
  const auto& job = again->jobs().front();
  EXPECT_THAT(job.name, HasSubstr("\\x1b"));
  EXPECT_LE(job.name.size(), 220U);
  EXPECT_LE(job.findings.front().what.size(), 220U);
}

TEST(JobLog, IsNeverTooLargeToBeRead) {
  constexpr std::size_t kMostThatIsRead = std::size_t{1024} * 1024;
  const std::string text(1000, 'x');
  auto job = recorded_job(text);
  job.user = text;
  job.container = text;
  job.unit = text;
  const JobRailRecord rail{.link = "enP2p1s0f0np0",
                           .rail = config::Rail{0, 1},
                           .counts_rdma = false,
                           .is_shared = false,
                           .octets = host::BothWays{.received = UINT64_MAX, .sent = UINT64_MAX},
                           .sent_again = UINT64_MAX};
  job.rails.assign(4, rail);
  const Finding finding{
      .id = "SR-JOB-001", .is_alert = true, .link = rail.link, .what = text, .remedy = text};
  job.findings.assign(5, finding);
  JobLog log;
  for (std::size_t i = 0; i < JobLog::kMost; ++i) log.add(job);
  EXPECT_LT(log.to_text().size(), kMostThatIsRead);
}

TEST(JobLog, RefusesWhatIsNone) {
  EXPECT_FALSE(JobLog::from_text("{"));
  EXPECT_FALSE(JobLog::from_text(R"({"schema": "spark-reconcile/jobs-record/v2", "jobs": []})"));
}

TEST(ReadJobLog, IsEmptyWhereNoJobWasSeenYet) {
  test::FakeHost host;
  const auto none = read_job_log(host.files());
  ASSERT_TRUE(none);
  EXPECT_THAT(none->jobs(), IsEmpty());
}

TEST(ReadJobLog, ReadsTheFileAndNamesItWhereItIsDamaged) {
  test::FakeHost host;
  auto& files = host.files();
  ASSERT_TRUE(files.write(kJobsFile, jobs_log_of(2).to_text(), 0600));
  EXPECT_EQ(read_job_log(files)->jobs(), jobs_log_of(2).jobs());
  ASSERT_TRUE(files.write(kJobsFile, "x", 0600));
  const auto damaged = read_job_log(files);
  ASSERT_FALSE(damaged);
  EXPECT_THAT(damaged.error().what, HasSubstr("'/var/lib/spark-reconcile/jobs.json' is damaged"));
}

}  // namespace
}  // namespace spark::jobs
