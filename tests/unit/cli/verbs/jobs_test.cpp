#include <chrono>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/moment.hpp"
#include "jobs/job_log.hpp"
#include "jobs/sign_log.hpp"
#include "protocol/alive.hpp"
#include "protocol/paths.hpp"
#include "unit/cli/verb_run.hpp"
#include "unit/node_here.hpp"

namespace spark::cli {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using testing::HasSubstr;

/// Nobody is asked: it is on no cable.
constexpr const char* kAlone = R"(version: 1
cluster: lab
nodes:
  spark1:
    links:
      enp1s0f0np0: { mtu: 9000 }
)";

constexpr const char* kPairOfRails = R"(version: 1
cluster: pair
nodes: { spark1: { number: 11 }, spark2: { number: 12 } }
fabric:
  cables:
    - { ends: [spark1:0, spark2:0], subnets: [198.51.100.0/24, 203.0.113.0/24] }
)";

jobs::Recorded carrier_lost(jobs::Time at) {
  return {.at = at,
          .sign = jobs::Sign::kCarrierLost,
          .link = "enP2p1s0f0np0",
          .lasted = std::chrono::milliseconds(2100)};
}

/// A machine with two jobs: one ended an hour ago, one runs.
class Jobs : public testing::Test {
 protected:
  Jobs() {
    test::add_spark(machine_);
    machine_.files().put(protocol::kDefaultFile, kAlone);
    const auto ended = now().wall - hours(1);
    jobs::JobLog log;
    log.add({.not_before = ended - hours(2),
             .seen = ended - hours(2),
             .last_seen = ended,
             .ended = ended,
             .name = "vllm",
             .user = "alice",
             .rails = {{.link = "enp1s0f0np0", .octets = host::BothWays{.sent = 1000}}}});
    log.add({.not_before = ended,
             .seen = ended,
             .last_seen = now().wall,
             .name = "train",
             .rails = {{.link = "enp1s0f0np0"}}});
    machine_.files().put(jobs::kJobsFile, log.to_text());
    record({.node = "spark1",
            .covered = {{.from = ended - hours(5), .to = ended + hours(1)}},
            .signs = {}});
  }

  void record(const jobs::NodeSigns& signs) {
    machine_.files().put(protocol::kRecordFile, jobs::record_text(signs));
  }

  test::FakeHost machine_;
};

TEST_F(Jobs, ThatWereRecordedAreListedTheNewestLast) {
  const auto printed = run_typed(machine_, {"jobs", "--since", "24h"});
  EXPECT_EQ(printed.code, ExitCode::kDone) << printed.err;
  EXPECT_THAT(printed.out, HasSubstr("   1  vllm (alice): "));
  EXPECT_THAT(printed.out, HasSubstr("   2  train: since "));
  EXPECT_THAT(printed.out, HasSubstr("\n2 jobs, 1 not ended\n"));
  EXPECT_THAT(printed.err, HasSubstr("no daemon runs here now"));
}

/// It began first and ended last.
TEST_F(Jobs, TheNextStepIsTheOneThatEndedLast) {
  const auto present = now().wall;
  jobs::JobLog log;
  for (const auto& ended : {present - minutes(5), present - minutes(50)}) {
    log.add({.not_before = present - hours(2),
             .seen = present - hours(2),
             .last_seen = ended,
             .ended = ended});
  }
  machine_.files().put(jobs::kJobsFile, log.to_text());
  EXPECT_THAT(run_typed(machine_, {"jobs", "--since", "24h"}, 80).out,
              testing::EndsWith("2 jobs\nWas it the network?  spark-reconcile jobs 1\n"));
}

TEST_F(Jobs, ThatEndedBeforeAreNotListed) {
  const auto printed = run_typed(machine_, {"jobs", "--since", "30m", "--json"});
  const auto shown = nlohmann::json::parse(printed.out);
  ASSERT_EQ(shown["records"].size(), 1U);
  EXPECT_EQ(shown["records"][0]["name"], "train");
}

TEST_F(Jobs, OfWhichThereIsNoneSaySinceWhenNobodyRan) {
  machine_.files().put(jobs::kJobsFile, jobs::JobLog().to_text());
  EXPECT_THAT(run_typed(machine_, {"jobs", "--since", "24h"}).out,
              testing::MatchesRegex("no job is recorded since .*, when the record begins\n"));
  EXPECT_THAT(run_typed(machine_, {"jobs", "--since", "1h"}).out,
              testing::MatchesRegex("no job is recorded since [^,]*\n"));
}

TEST_F(Jobs, OfWhichThereIsNoneAreNotRecordedWhileNoDaemonRuns) {
  machine_.files().put(jobs::kJobsFile, jobs::JobLog().to_text());
  EXPECT_THAT(run_typed(machine_, {"jobs", "--since", "1h"}).err,
              HasSubstr("no daemon runs here now, so no job is recorded"));
}

TEST(JobsWithoutADaemon, AreNotRecorded) {
  test::FakeHost machine;
  EXPECT_THAT(run_typed(machine, {"jobs", "--since", "24h"}).out,
              HasSubstr("no daemon has recorded any job here. To start it: systemctl"));
}

TEST_F(Jobs, OneOfThemHasTheAnswer) {
  const auto printed = run_typed(machine_, {"jobs", "1"});
  EXPECT_EQ(printed.code, ExitCode::kDone) << printed.err;
  EXPECT_TRUE(printed.out.starts_with("No network fault was recorded; ")) << printed.out;
  EXPECT_THAT(printed.out, HasSubstr("\n\n1: vllm (pid 0) of alice\n"));
  const auto shown = nlohmann::json::parse(run_typed(machine_, {"jobs", "1", "--json"}).out);
  EXPECT_EQ(shown["answer"]["kind"], "no_fault");
  EXPECT_EQ(shown["record"]["number"], 1);
  EXPECT_EQ(shown["nodes"][0]["known"], true);
}

/// The job used it all the same.
TEST_F(Jobs, ALostLinkThatTheFileHasAtNoCableIsNotSilent) {
  const auto ended = now().wall - hours(1);
  record(
      {.node = "spark1",
       .covered = {{.from = ended - hours(5), .to = ended + hours(1)}},
       .signs = {
           {.at = ended - minutes(1), .sign = jobs::Sign::kCarrierLost, .link = "enp1s0f0np0"}}});
  const auto shown = nlohmann::json::parse(run_typed(machine_, {"jobs", "1", "--json"}).out);
  EXPECT_EQ(shown["answer"]["kind"], "not_known");
  EXPECT_THAT(shown["answer"]["line"].get<std::string>(),
              HasSubstr("as all rails to the other end, of which nothing is known since"));
}

TEST_F(Jobs, WithoutAnEndHaveNoAnswerAndTheirNextStepIsTheTime) {
  const auto printed = run_typed(machine_, {"jobs", "2"}, 80);
  EXPECT_TRUE(printed.out.starts_with("Its end is not recorded: it had queue pairs at "));
  EXPECT_THAT(printed.out,
              HasSubstr("\nWas it the network?  spark-reconcile events --all --at 20"));
  const auto shown = nlohmann::json::parse(run_typed(machine_, {"jobs", "2", "--json"}).out);
  EXPECT_EQ(shown["answer"], nullptr);
}

TEST_F(Jobs, ANumberThatIsNotKeptIsAnErrorWithThoseThatAre) {
  const auto printed = run_typed(machine_, {"jobs", "7"});
  EXPECT_EQ(printed.code, ExitCode::kError);
  EXPECT_THAT(printed.err, HasSubstr("there is no job 7: 1 to 2 are kept"));
}

TEST_F(Jobs, WithoutAFileAreShownAndTheAnswerIsAnError) {
  machine_.files().erase(protocol::kDefaultFile);
  const auto printed = run_typed(machine_, {"jobs", "1"});
  EXPECT_EQ(printed.code, ExitCode::kError);
  EXPECT_TRUE(printed.out.starts_with("1: vllm (pid 0) of alice\n")) << printed.out;
  EXPECT_THAT(printed.err, HasSubstr("whether it was the network cannot be told"));
}

TEST_F(Jobs, WithoutARecordNothingIsKnown) {
  machine_.files().erase(protocol::kRecordFile);
  const auto shown = nlohmann::json::parse(run_typed(machine_, {"jobs", "1", "--json"}).out);
  EXPECT_EQ(shown["answer"]["kind"], "not_known");
  EXPECT_EQ(shown["nodes"][0]["why"], "no daemon has recorded anything here");
}

/// Also where nothing but the file says which node this machine is.
TEST_F(Jobs, OfAnotherNodeAreRecordedThere) {
  machine_.files().put(protocol::kDefaultFile, kPairOfRails);
  for (const auto* words : {"--since=24h", "1"}) {
    const auto printed = run_typed(machine_, {"jobs", words, "-n", "spark2"});
    EXPECT_EQ(printed.code, ExitCode::kError);
    EXPECT_EQ(printed.out, "");
    EXPECT_THAT(printed.err, HasSubstr("what jobs of 'spark2' did is recorded there alone"));
  }
  EXPECT_EQ(run_typed(machine_, {"jobs", "--since", "24h", "-n", "spark1"}).code, ExitCode::kDone);
}

class EventsAt : public testing::Test {
 protected:
  EventsAt() {
    test::add_spark(machine_);
    machine_.files().put(protocol::kDefaultFile, kPairOfRails);
    machine_.files().put(
        protocol::kRecordFile,
        jobs::record_text({.node = "spark1",
                           .covered = {{.from = at_ - hours(1), .to = at_ + hours(1)}},
                           .signs = {carrier_lost(at_ - minutes(1))}}));
  }

  const jobs::Time at_ = *wall_from_utc("2024-01-31T03:12:00Z");
  test::FakeHost machine_;
};

TEST_F(EventsAt, AnswerFromTheRecordOfThisNodeAndSaySo) {
  const auto printed = run_typed(machine_, {"events", "--at", "2024-01-31T03:12:00Z"}, 80);
  EXPECT_EQ(printed.code, ExitCode::kDone) << printed.err;
  EXPECT_EQ(printed.out,
            "spark1, around 2024-01-31T03:12:00Z\n"
            "rail 1 of spark1 lost its carrier at 03:11:00 for 2.1 s; that was 60 s before\n"
            "03:12:00.\n"
            "\n"
            "03:11:00  rail 1 of spark1 lost its carrier for 2.1 s\n"
            "\n"
            "That is the record of this node alone.\n"
            "Those of all nodes:  spark-reconcile events --all --at 2024-01-31T03:12:00Z\n");
}

TEST_F(EventsAt, AreJsonWithEachLine) {
  const auto printed = run_typed(machine_, {"events", "--at", "2024-01-31 03:12", "--json"});
  const auto shown = nlohmann::json::parse(printed.out);
  EXPECT_EQ(shown["asked_at"], "2024-01-31T03:12:00Z");
  EXPECT_EQ(shown["answer"]["kind"], "fault");
  EXPECT_EQ(shown["lines"][0]["link"], "enP2p1s0f0np0");
}

TEST_F(EventsAt, WithoutSecondsAreOfThatMinute) {
  const auto printed = run_typed(machine_, {"events", "--at", "2024-01-31 03:11", "--json"});
  EXPECT_EQ(nlohmann::json::parse(printed.out)["answer"]["kind"], "fault");
  const auto second = run_typed(machine_, {"events", "--at", "2024-01-31 03:10:59", "--json"});
  EXPECT_EQ(nlohmann::json::parse(second.out)["answer"]["kind"], "fault") << "clocks differ";
  const auto before = run_typed(machine_, {"events", "--at", "2024-01-31 03:10:58", "--json"});
  EXPECT_EQ(nlohmann::json::parse(before.out)["answer"]["kind"], "no_fault");
}

TEST_F(EventsAt, OfAnotherNodeAreAskedThere) {
  const auto printed = run_typed(machine_, {"events", "--at", "2024-01-31 03:12", "-n", "spark2"});
  EXPECT_EQ(printed.code, ExitCode::kError);
  EXPECT_THAT(printed.err,
              HasSubstr("`ssh -t spark2 sudo spark-reconcile events --at 2024-01-31T03:12:00Z`"));
}

/// What a daemon that runs has not written yet is no gap.
TEST_F(EventsAt, OfNowAreNotUnknownWhileADaemonRuns) {
  const auto present = now();
  machine_.files().put(
      protocol::kRecordFile,
      jobs::record_text({.node = "spark1",
                         .covered = {{.from = present.wall - hours(1),
                                      .to = present.wall - std::chrono::seconds(50)}},
                         .signs = {}}));
  const auto kind = [&] {
    const auto printed = run_typed(machine_, {"events", "--at", utc_text(present.wall), "--json"});
    return nlohmann::json::parse(printed.out)["answer"]["kind"];
  };
  EXPECT_EQ(kind(), "not_known");
  test::put_state(machine_.files(), test::ready_node());
  machine_.files().put(protocol::kDaemonAliveFile, protocol::alive_text(present.boot));
  EXPECT_EQ(kind(), "no_fault");
}

TEST_F(EventsAt, ATimeToComeIsAnError) {
  const auto printed = run_typed(machine_, {"events", "--at", "2199-01-31 03:12"});
  EXPECT_EQ(printed.code, ExitCode::kError);
  EXPECT_THAT(printed.err, HasSubstr("has not come yet, and times are UTC"));
}

TEST(EventsAtWithoutAFile, SayThatTheRailsAreNotKnown) {
  test::FakeHost machine;
  const auto printed = run_typed(machine, {"events", "--at", "03:12"});
  EXPECT_EQ(printed.code, ExitCode::kError);
  EXPECT_THAT(printed.err, HasSubstr("without a file nothing is known of the rails"));
}

}  // namespace
}  // namespace spark::cli
