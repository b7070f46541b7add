#include "jobs/job.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/jobs/looks.hpp"

namespace spark::jobs {
namespace {

using std::chrono::milliseconds;
using test::rail_look;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// Processes that have queue pairs on the two rails of a cage.
class JobsTest : public testing::Test {
 protected:
  /// A process of alice in session-4.scope, unless `process` says otherwise.
  void begin(std::uint32_t pid, const std::string& name, std::uint32_t parent,
             host::RunningProcess process = {}) {
    process.pid = pid;
    process.name = name;
    if (process.user.empty()) process.user = "alice";
    if (process.unit.empty()) process.unit = "session-4.scope";
    seen_[pid] = {.process = process,
                  .place = host::ProcessPlace{.parent = parent, .started = milliseconds(pid)}};
  }

  void open_pairs(int rail, std::uint32_t pid, std::size_t count = 1) {
    auto& pairs = rails_[static_cast<std::size_t>(rail)].queue_pairs;
    pairs.insert(pairs.end(), count, pid);
  }

  [[nodiscard]] std::vector<Job> jobs() const { return jobs_of(rails_, seen_); }

  std::vector<RailSnapshot> rails_{rail_look({0, 0}), rail_look({0, 1})};
  SeenProcesses seen_;
};

TEST_F(JobsTest, OneProcessOnBothRailsIsOneJob) {
  begin(50, "python3", 1);
  open_pairs(0, 50, 8);
  open_pairs(1, 50, 4);
  const auto jobs = this->jobs();
  ASSERT_THAT(jobs, SizeIs(1));
  EXPECT_EQ(name_of(jobs[0]), "python3 (pid 50)");
  EXPECT_EQ(jobs[0].process.user, "alice");
  EXPECT_EQ(jobs[0].began, milliseconds(50));
  EXPECT_THAT(jobs[0].rails,
              ElementsAre(JobRail{"enp1s0f0np0", 8, false}, JobRail{"enP2p1s0f0np0", 4, false}));
}

TEST_F(JobsTest, WorkersOfOneLauncherAreOneJob) {
  begin(40, "torchrun", 30);
  begin(51, "python3", 40);
  begin(50, "python3", 40);
  open_pairs(0, 51);
  open_pairs(1, 50);
  const auto jobs = this->jobs();
  ASSERT_THAT(jobs, SizeIs(1));
  EXPECT_THAT(jobs[0].pids, ElementsAre(50, 51));
}

TEST_F(JobsTest, CommandsOfOneShellAreTwoJobs) {
  begin(30, "bash", 20);
  seen_[30].place->leads_terminal = true;
  begin(50, "python3", 30);
  begin(60, "ib_write_bw", 30);
  open_pairs(0, 50);
  open_pairs(0, 60);
  open_pairs(1, 60);
  const auto jobs = this->jobs();
  ASSERT_THAT(jobs, SizeIs(2));
  EXPECT_TRUE(jobs[0].rails[0].is_shared);
  EXPECT_FALSE(jobs[1].rails[1].is_shared);
}

TEST_F(JobsTest, TheManagerOfAUserAndAnotherUserAreNoLauncher) {
  begin(9, "systemd", 1);
  begin(50, "python3", 9);
  begin(60, "python3", 9);
  begin(61, "sudo", 1, {.user = "root"});
  begin(62, "python3", 61);
  begin(63, "python3", 61);
  for (const auto pid : {50U, 60U, 62U, 63U}) open_pairs(0, pid);
  EXPECT_THAT(jobs(), SizeIs(4));
}

TEST_F(JobsTest, AContainerIsOneJob) {
  const host::RunningProcess inside{.user = "root", .container = "docker 3f2a1b0c9d8e"};
  begin(50, "ray::worker", 1, inside);
  begin(60, "ray::worker", 1, inside);
  open_pairs(0, 50);
  open_pairs(1, 60);
  const auto jobs = this->jobs();
  ASSERT_THAT(jobs, SizeIs(1));
  EXPECT_EQ(jobs[0].process.container, "docker 3f2a1b0c9d8e");
  EXPECT_THAT(jobs[0].rails, SizeIs(2));
}

TEST_F(JobsTest, AProbeOfThisProgramIsNone) {
  begin(50, "spark-verbs-probe", 1);
  seen_[50].process.name.resize(15);  // as the kernel cuts it
  open_pairs(0, 50);
  EXPECT_THAT(jobs(), IsEmpty());
}

TEST_F(JobsTest, AProcessThatCannotBeSeenCountsToo) {
  open_pairs(0, 77);
  const auto jobs = this->jobs();
  ASSERT_THAT(jobs, SizeIs(1));
  EXPECT_EQ(name_of(jobs[0]), "a process (pid 77)");
  EXPECT_FALSE(jobs[0].began);
}

TEST_F(JobsTest, WithoutNamesKeepsRailsAlone) {
  begin(50, "python3", 1, {.container = "docker 3f2a1b0c9d8e"});
  open_pairs(0, 50, 8);
  const auto nameless = without_names(jobs());
  ASSERT_THAT(nameless, SizeIs(1));
  EXPECT_EQ(name_of(nameless[0]), "a job");
  EXPECT_EQ(nameless[0].process, host::RunningProcess{});
  EXPECT_THAT(nameless[0].pids, IsEmpty());
  EXPECT_THAT(nameless[0].rails, ElementsAre(JobRail{"enp1s0f0np0", 8, false}));
}

TEST_F(JobsTest, ParentsInACircleEnd) {
  begin(50, "python3", 60);
  begin(60, "python3", 50);
  open_pairs(0, 50);
  EXPECT_THAT(jobs(), SizeIs(1));
}

}  // namespace
}  // namespace spark::jobs
