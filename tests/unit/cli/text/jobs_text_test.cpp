#include "cli/text/jobs_text.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/columns.hpp"
#include "base/text.hpp"
#include "config/dgx_names.hpp"

namespace spark::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::uint64_t kGigabit = 1'000'000'000;

/// One job on rail 0 of a cage that has two.
class JobsText : public testing::Test {
 protected:
  JobsText() {
    for (const int number : {0, 1}) {
      shown_.rails.push_back({.link = config::dgx_name({0, number}),
                              .device = "",
                              .rail = config::Rail{0, number},
                              .in_file = true,
                              .has_carrier = true,
                              .limit = 126 * kGigabit,
                              .counts_rdma = true,
                              .carried = jobs::BitRate{},
                              .beside_rdma = jobs::BitRate{},
                              .sent_again = 0,
                              .out_of_order = 0,
                              .congestion = 0,
                              .unknown = ""});
    }
    shown_.rails[0].carried = jobs::BitRate{.received = 95 * kGigabit, .sent = 94 * kGigabit};
    shown_.rails[0].sent_again = 12;
    shown_.jobs.push_back({.process = {.pid = 4711,
                                       .name = "VLLM::EngineCore",
                                       .user = "alice",
                                       .container = "docker 3f2a1b0c9d8e"},
                           .pids = {4711, 4712},
                           .began = std::chrono::hours(27),
                           .rails = {{.link = shown_.rails[0].link, .queue_pairs = 8}}});
  }

  [[nodiscard]] std::string text() const { return jobs_text(shown_, terminal_); }

  Terminal terminal_{nullptr, nullptr, Color::kNever, false, 80};
  JobsShown shown_{.node = "spark1",
                   .measured = std::chrono::milliseconds(1002),
                   .at = std::chrono::hours(30),
                   .rails = {},
                   .jobs = {},
                   .findings = {}};
};

TEST_F(JobsText, HasALineForEachRailAndEachOfAJob) {
  EXPECT_THAT(text(), HasSubstr("spark1, measured for 1 s\n"));
  EXPECT_THAT(text(), HasSubstr("cage 0 rail 0  enp1s0f0np0      95.0    94.0   126.0     0.0      "
                                "12       0\n"));
  EXPECT_THAT(text(), HasSubstr("VLLM::EngineCore (pid 4711) of alice in docker 3f2a1b0c9d8e, 2 "
                                "processes, runs\nfor 3 h\n"));
  EXPECT_THAT(text(), HasSubstr("  cage 0 rail 0  8 queue pairs  95.0 in, 94.0 out\n"));
  EXPECT_EQ(jobs_line(shown_), "1 job on 1 rail\n");
}

TEST_F(JobsText, ALinkWithAShortNameStandsBelowTheSameHeads) {
  shown_.jobs.clear();
  shown_.rails.resize(1);
  shown_.rails[0].rail.reset();
  shown_.rails[0].link = "eth1";
  EXPECT_THAT(text(), HasSubstr("RAIL, Gb/s      IN     OUT"));
  EXPECT_THAT(text(), HasSubstr("eth1          95.0    94.0"));
}

TEST_F(JobsText, ARailWithoutACarrierSaysSo) {
  shown_.rails[1].has_carrier = false;
  EXPECT_THAT(text(), HasSubstr("cage 0 rail 1  enP2p1s0f0np0  no carrier\n"));
}

TEST_F(JobsText, ASharedRailHasNoShare) {
  shown_.jobs[0].rails[0].is_shared = true;
  EXPECT_THAT(text(), HasSubstr("  cage 0 rail 0  8 queue pairs  shared\n"));
}

TEST_F(JobsText, SaysWhereTheDriverCountsNoRdmaAlone) {
  EXPECT_THAT(text(), Not(HasSubstr("counts no RDMA alone")));
  shown_.rails[1].counts_rdma = false;
  shown_.rails[1].beside_rdma.reset();
  EXPECT_THAT(text(), HasSubstr("counts no RDMA alone"));
}

TEST_F(JobsText, FitsAndNamesTheIdOfWhatIsFound) {
  shown_.findings = jobs::findings(shown_.rails, shown_.jobs, {}, {});
  EXPECT_THAT(text(), HasSubstr("[SR-JOB-001]"));
  EXPECT_EQ(jobs_line(shown_), "1 job on 1 rail, 2 notes\n");
  const auto all = text();
  for (const auto line : lines_of(all)) EXPECT_LE(columns(line), 80U) << line;
}

TEST_F(JobsText, WhatCannotBeReadIsNotNothing) {
  shown_.jobs.clear();
  EXPECT_EQ(jobs_line(shown_), "no job has queue pairs here\n");
  shown_.rails[1].unknown = "the kernel does not tell";
  EXPECT_EQ(jobs_line(shown_), "whether a job has queue pairs is not known\n");
  EXPECT_THAT(text(), HasSubstr("Who has queue pairs cannot be read: the kernel does not tell\n"));
}

TEST_F(JobsText, ANameWithControlBytesIsHarmless) {
  shown_.jobs[0].process.name = "\x1b[31mred";
  shown_.findings = jobs::findings(shown_.rails, shown_.jobs, {}, {});
  EXPECT_THAT(text(), Not(HasSubstr("\x1b")));
}

TEST(ToldText, HasTheSameLinesForTheRailsOfAPeer) {
  const Terminal terminal(nullptr, nullptr, Color::kNever, false, 80);
  const protocol::RailsTold told{.looked = {},
                                 .running = 2,
                                 .rails = {{.link = "enp1s0f0np0",
                                            .cage = 0,
                                            .rail = 0,
                                            .has_carrier = true,
                                            .limit = 126 * kGigabit,
                                            .counts_rdma = true,
                                            .received = 95 * kGigabit,
                                            .sent = 94 * kGigabit,
                                            .sent_again = 12}}};
  const auto text = told_text("spark2", told, std::chrono::seconds(12), terminal);
  EXPECT_THAT(text, HasSubstr("spark2, as its daemon saw it 12 s ago\n"));
  EXPECT_THAT(text, HasSubstr("cage 0 rail 0  enp1s0f0np0    95.0    94.0   126.0       –      "
                              "12       –\n"));
  EXPECT_EQ(told_line(told), "2 jobs there; names stay on their node\n");
  EXPECT_EQ(told_line({.running = 0}), "no job has queue pairs there\n");
  EXPECT_EQ(told_line({}), "whether a job has queue pairs there is not known\n");
}

}  // namespace
}  // namespace spark::cli
