#include "daemon/reconcile/disturb_waits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/reconcile/job_waits.hpp"
#include "fake/fake_host.hpp"
#include "fake/names.hpp"
#include "gate/checks/checks.hpp"
#include "node_state/wait_text.hpp"
#include "protocol/paths.hpp"

namespace spark::daemon {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

using Disturbs = kinds::Effect::Disturbs;
using Names = std::set<std::string>;

plan::Step step_of(std::string_view kind, std::string key, kinds::Effect effect,
                   std::optional<std::string> after = "new") {
  plan::Step step;
  step.kind = kind;
  step.key = std::move(key);
  step.before = "old";
  step.after = std::move(after);
  step.effect = std::move(effect);
  return step;
}

plan::Step mtu_of(const std::string& link) {
  return step_of("mtu", link, {.disturbs = Disturbs::kTraffic, .link = link});
}

plan::Step removal_of(const std::string& link, const std::string& ip) {
  return step_of("address", link + " " + ip,
                 {.disturbs = Disturbs::kAddress, .link = link, .ips = {*IpAddress::parse(ip)}},
                 std::nullopt);
}

plan::Step addition_of(const std::string& link, const std::string& ip) {
  auto step = step_of("address", link + " " + ip, {.link = link});
  step.on = {.link = link, .ip = *IpAddress::parse(ip)};
  return step;
}

plan::Plan plan_of(std::vector<plan::Step> steps) {
  plan::Plan plan;
  plan.steps = std::move(steps);
  return plan;
}

/// All steps are in question; each disturbs its own link where it disturbs at all.
Names waiting_of(const plan::Plan& plan, const Names& used) {
  RailsOfSteps disturbed;
  for (const auto& step : plan.steps) {
    auto& rails = disturbed[step.name()];
    if (step.effect.disturbs != Disturbs::kNothing) rails.insert(step.effect.link);
  }
  Names names;
  for (const auto& [name, rails] : steps_that_wait(plan, disturbed, used)) names.insert(name);
  return names;
}

TEST(StepsThatWait, AreThoseThatDisturbARailInUse) {
  const auto plan = plan_of({mtu_of("r0"), mtu_of("r1"), step_of("hosts", "a", {})});
  EXPECT_THAT(waiting_of(plan, {"r0"}), ElementsAre("mtu r0"));
  EXPECT_THAT(waiting_of(plan, {}), IsEmpty());
}

TEST(StepsThatWait, TakeAlongTheAddressThatTheyFreeOnAnotherLink) {
  const auto plan = plan_of({removal_of("r0", "192.0.2.11"), addition_of("r1", "192.0.2.11"),
                             addition_of("r1", "192.0.2.12")});
  EXPECT_THAT(waiting_of(plan, {"r0"}),
              ElementsAre("address r0 192.0.2.11", "address r1 192.0.2.11"));
}

TEST(StepsThatWait, TakeAlongWhatIsHandedToAnotherManagerAfterThem) {
  const auto plan =
      plan_of({mtu_of("r0"), step_of("other_managers", "r0", {.link = "r0", .hands_back = true}),
               step_of("other_managers", "r1", {.link = "r1", .hands_back = true}),
               step_of("other_managers", "a file", {.hands_back = true})});
  EXPECT_THAT(waiting_of(plan, {"r0"}),
              ElementsAre("mtu r0", "other_managers a file", "other_managers r0"));
}

TEST(StepsThatWait, AreOnlyThoseInQuestion) {
  const auto plan = plan_of({mtu_of("r0"), mtu_of("r1")});
  EXPECT_THAT(steps_that_wait(plan, {{"mtu r1", {"r1"}}}, {"r0", "r1"}),
              ElementsAre(Pair("mtu r1", Names{"r1"})));
}

TEST(LeaveToCorrections, TakesOutWhatTheOtherFileAsksForJustAsWell) {
  ObservedWaits look{.steps = {{"mtu r0", {"r0"}}, {"mtu r1", {"r1"}}}, .uses = {}};
  auto other = mtu_of("r1");
  other.after = "another";
  leave_to_corrections(look, plan_of({mtu_of("r0"), mtu_of("r1")}), plan_of({mtu_of("r0"), other}));
  EXPECT_THAT(look.names(), ElementsAre("mtu r1"));
}

class JobWaitsTest : public testing::Test {
 protected:
  JobWaitsTest() { boot("first"); }
  void boot(const std::string& id) { host_.sysctl().set("kernel.random.boot_id", id); }
  bool is_restored(const std::string& digest) {
    JobWaits waits({});
    waits.restore(ports_, digest);
    return waits.has(mtu_of("r0"));
  }

  test::FakeHost host_;
  host::Host ports_ = host_.host();
  Moment start_{{}, std::chrono::minutes(1)};
  JobWaits waits_{{}};
};

TEST_F(JobWaitsTest, OutliveARestartAndNoReboot) {
  ASSERT_TRUE(waits_.begin({"mtu r0"}, "d1", ports_, start_));
  EXPECT_TRUE(is_restored("d1"));
  EXPECT_FALSE(is_restored("d2")) << "another file is in force";
  boot("second");
  EXPECT_FALSE(is_restored("d1"));
}

TEST_F(JobWaitsTest, LeaveNoFileWhereNothingWaits) {
  ASSERT_TRUE(waits_.begin({}, "d1", ports_, start_));
  EXPECT_EQ(host_.writes(), 0U);
  ASSERT_TRUE(waits_.begin({"mtu r0"}, "d1", ports_, start_));
  ASSERT_TRUE(waits_.end_pass(plan_of({}), ports_));
  EXPECT_FALSE(*host_.files().read(protocol::kDisturbWaitsFile));
}

TEST_F(JobWaitsTest, ADamagedFileIsNone) {
  host_.files().put(protocol::kDisturbWaitsFile, "{\"steps\": 7}");
  EXPECT_FALSE(is_restored("d1"));
}

TEST_F(JobWaitsTest, KeepTheMomentOfAStepThatAlreadyWaited) {
  ASSERT_TRUE(waits_.begin({"mtu r0"}, "d1", ports_, start_));
  ASSERT_TRUE(
      waits_.begin({"mtu r0", "mtu r1"}, "d2", ports_, later(start_, std::chrono::hours(1))));
  EXPECT_EQ(waits_.since(mtu_of("r0")).boot, start_.boot);
  EXPECT_GT(waits_.since(mtu_of("r1")).boot, start_.boot);
}

TEST_F(JobWaitsTest, KeepStepsOfAKindThatCannotBeReadNow) {
  ASSERT_TRUE(waits_.begin({"mtu r0"}, "d1", ports_, start_));
  auto unread = plan_of({});
  unread.skipped.push_back(
      {.kind = "mtu",
       .key = "r1",
       .skipped = {.why = kinds::Skipped::Why::kUnknown, .id = "", .reason = ""},
       .where = {}});
  ASSERT_TRUE(waits_.end_pass(unread, ports_));
  EXPECT_TRUE(waits_.has(mtu_of("r0")));
  ASSERT_TRUE(waits_.end_pass(plan_of({}), ports_));
  EXPECT_FALSE(waits_.has(mtu_of("r0")));
}

TEST(HasChanged, IsSoWhenAProcessComesOrGoes) {
  test::FakeHost host;
  test::add_spark(host);
  host.rdma().set_users("rocep1s0f0", 2, 4711);
  const plan::RailUse use{.link = test::kRail,
                          .device = "rocep1s0f0",
                          .rail = {},
                          .processes = {{.pid = 4711, .name = "python3"}},
                          .unknown = ""};
  EXPECT_FALSE(has_changed(use, host.rdma()));
  host.rdma().set_users("rocep1s0f0", 0);
  EXPECT_TRUE(has_changed(use, host.rdma()));
  host.rdma().set_users("rocep1s0f0", 1, 812);
  EXPECT_TRUE(has_changed(use, host.rdma()));
  host.rdma().hide_users();
  EXPECT_TRUE(has_changed(use, host.rdma()));
  host.rdma().hide_users(false);
  host.rdma().detach("rocep1s0f0");
  EXPECT_TRUE(has_changed(use, host.rdma())) << "the device is gone, and its users with it";
}

gate::GateReport report_of(std::vector<gate::Fact> facts) {
  return {.rails = {{.link = "r0",
                     .device = "d0",
                     .ip = *IpAddress::parse("192.0.2.11"),
                     .facts = std::move(facts)}},
          .node = {}};
}

TEST(ExcuseWaiting, LeavesOutWhatOnlyComparesWithTheFile) {
  using gate::Verdict;
  auto report = report_of({fails(gate::kMtuFact, Verdict::kNotReady, gate::Detail::kDiffers,
                                 "9000, the file says 4000", ""),
                           {Verdict::kReady, "SR-GATE-003", "address", "", ""}});
  ASSERT_EQ(report.verdict(), Verdict::kNotReady);
  excuse_waiting(report, {{.kind = "mtu", .key = "r0", .on = {.link = "r0", .ip = {}}}});
  EXPECT_EQ(report.verdict(), Verdict::kReady);
  EXPECT_EQ(report.rails[0].facts[0].measured,
            "9000, the file says 4000; waits for the end of a job");
  EXPECT_EQ(report.rails[0].facts[0].remedy, node_state::kRemedyOfWait);
}

TEST(ExcuseWaiting, ExcusesNoOtherRailAndNothingThatFails) {
  using gate::Verdict;
  auto report =
      report_of({fails(gate::kMtuFact, Verdict::kNotReady, gate::Detail::kDiffers, "1500", "")});
  excuse_waiting(report, {{.kind = "mtu", .key = "r1", .on = {.link = "r1", .ip = {}}},
                          {.kind = "address",
                           .key = "r0 192.0.2.11",
                           .on = {.link = "r0", .ip = *IpAddress::parse("192.0.2.11")}}});
  EXPECT_EQ(report.verdict(), Verdict::kNotReady);
  report = report_of(
      {fails(gate::kLoopbackFact, Verdict::kNotReady, gate::Detail::kTryFailed, "no bytes", "")});
  excuse_waiting(report, {{.kind = "mtu", .key = "r0", .on = {.link = "r0", .ip = {}}}});
  EXPECT_EQ(report.verdict(), Verdict::kNotReady);
}

}  // namespace
}  // namespace spark::daemon
