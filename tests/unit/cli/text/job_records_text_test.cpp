#include "cli/text/job_records_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/columns.hpp"
#include "base/moment.hpp"
#include "base/text.hpp"

namespace spark::cli {
namespace {

using testing::HasSubstr;

jobs::Time at(const std::string& text) { return *wall_from_utc(text); }

/// It used one rail of two, and ended this morning.
jobs::JobRecord ended_job() {
  return {.number = 7,
          .not_before = at("2026-11-28T01:59:50Z"),
          .seen = at("2026-11-28T02:00:00Z"),
          .last_seen = at("2026-11-28T05:12:00Z"),
          .ended = at("2026-11-28T05:12:10Z"),
          .name = "vllm",
          .user = "alice",
          .container = "docker 3f2a1b0c9d8e",
          .pid = 4711,
          .rails = {{.link = "enp1s0f0np0",
                     .rail = config::Rail{0, 0},
                     .counts_rdma = true,
                     .octets = host::BothWays{.received = 600'000'000'000, .sent = 610'000'000'000},
                     .sent_again = 3},
                    {.link = "enP2p1s0f0np0",
                     .rail = config::Rail{0, 1},
                     .counts_rdma = true,
                     .octets = host::BothWays{},
                     .sent_again = 0}},
          .findings = {{.id = "SR-JOB-001",
                        .is_alert = true,
                        .link = "enp1s0f0np0",
                        .what = "a job has rail 0 of cage 0 near its limit",
                        .remedy = "start the job with the variables of both rails"}}};
}

class JobRecordsText : public testing::Test {
 protected:
  [[nodiscard]] std::string listed() const { return job_records_text({job_}, now_, terminal_); }
  [[nodiscard]] std::string whole() const { return job_record_text(job_, now_, terminal_); }

  Terminal terminal_{nullptr, nullptr, Color::kNever, false, 80};
  jobs::Time now_ = at("2026-11-28T06:00:00Z");
  jobs::JobRecord job_ = ended_job();
};

TEST_F(JobRecordsText, HaveALineOfTheJobAndOneOfItsRails) {
  EXPECT_EQ(listed(),
            "   7  vllm (alice, docker 3f2a1b0c9d8e): 02:00 to 05:12, 3 h 12 min\n"
            "      rail 0 1.21 TB, rail 1 0 B, 3 sent again, alert [SR-JOB-001]\n");
}

TEST_F(JobRecordsText, HaveTheDateOfAnotherDay) {
  now_ += std::chrono::days(1);
  EXPECT_THAT(listed(), HasSubstr(": 2026-11-28 02:00 to 05:12, 3 h 12 min\n"));
  job_.ended = at("2026-11-29T00:10:00Z");
  EXPECT_THAT(listed(), HasSubstr(": 2026-11-28 02:00 to 2026-11-29 00:10,\n"));
}

TEST_F(JobRecordsText, SayThatAJobRuns) {
  job_.ended.reset();
  job_.last_seen = now_ - std::chrono::seconds(10);
  EXPECT_THAT(listed(), HasSubstr(": since 02:00, 4 h\n"));
  EXPECT_THAT(whole(), HasSubstr("it began between 01:59:50 and 02:00:00, and still"));
}

TEST_F(JobRecordsText, DoNotSayThatAJobRunsAtWhichNobodyHasLooked) {
  job_.ended.reset();
  EXPECT_THAT(listed(), HasSubstr(": since 02:00, last seen 05:12\n"));
}

TEST_F(JobRecordsText, SayThatNobodySawTheEnd) {
  job_.is_end_unseen = true;
  job_.last_seen = at("2026-11-28T03:10:00Z");
  EXPECT_THAT(listed(), HasSubstr(": from 02:00, ended unseen between 03:10\n      and 05:12\n"));
}

TEST_F(JobRecordsText, OfAJobWithoutNamesAreNoLess) {
  job_.name = job_.user = job_.container = "";
  job_.pid = 0;
  EXPECT_THAT(listed(), HasSubstr("   7  a job: 02:00 to 05:12, 3 h 12 min\n"));
  EXPECT_THAT(whole(), HasSubstr("7: a job, whose name is not kept\n"));
}

TEST_F(JobRecordsText, SayWhatIsSharedAndWhatIsNotKnown) {
  job_.rails[0].is_shared = true;
  job_.rails[0].counts_rdma = false;
  job_.rails[1].octets.reset();
  EXPECT_THAT(listed(), HasSubstr("rail 0 1.21 TB (shared), rail 1 not known, 3 sent again"));
  EXPECT_THAT(whole(), HasSubstr("shared with another job"));
  EXPECT_THAT(whole(), HasSubstr("all of the link"));
}

TEST_F(JobRecordsText, OneOfThemIsShownWhole) {
  EXPECT_EQ(whole(),
            "7: vllm (pid 4711) of alice in docker 3f2a1b0c9d8e\n"
            "02:00 to 05:12, 3 h 12 min: it began between 01:59:50 and 02:00:00, and ended\n"
            "between 05:12:00 and 05:12:10\n"
            "  cage 0 rail 0  enp1s0f0np0  600 GB in, 610 GB out  3 sent again\n"
            "  cage 0 rail 1  enP2p1s0f0np0  0 B in, 0 B out  0 sent again\n"
            "alert: a job has rail 0 of cage 0 near its limit [SR-JOB-001]\n"
            "  start the job with the variables of both rails\n");
  const auto text = whole();
  for (const auto line : lines_of(text)) EXPECT_LE(columns(line), 80U) << line;
}

TEST_F(JobRecordsText, NamesOfProgramsAreHarmless) {
  job_.name = "\x1b[31mred";
  EXPECT_THAT(listed(), testing::Not(HasSubstr("\x1b")));
  EXPECT_THAT(whole(), testing::Not(HasSubstr("\x1b")));
}

TEST(JobRecordJson, HasTimesAsTexts) {
  auto job = ended_job();
  EXPECT_EQ(job_record_json(job)["seen"], "2026-11-28T02:00:00Z");
  EXPECT_EQ(job_record_json(job)["rails"][0]["octets"]["received"], 600'000'000'000);
  job.ended.reset();
  EXPECT_EQ(job_record_json(job)["ended"], nullptr);
  EXPECT_FALSE(job_record_json(job).contains("ended_ms"));
}

}  // namespace
}  // namespace spark::cli
