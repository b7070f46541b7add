#include "cli/doctor/causes.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diagnosis/kinds.hpp"
#include "gate/checks/checks.hpp"

namespace spark::cli {
namespace {

using gate::Detail;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using Problems = std::vector<diagnosis::Problem>;

constexpr const char* kLink = "enp1s0f0np0";

Finding one_row(const std::string& name, Problems problems) {
  return {name, Severity::kPrevents, "", "", std::move(problems)};
}

/// As the gate and the rows of the cluster are: of what other rows look at too.
Finding summary(const std::string& name, Problems problems) {
  auto finding = one_row(name, std::move(problems));
  finding.repeats = true;
  return finding;
}

/// The name of each finding that goes with another one, and of that one.
std::map<std::string, std::string> tied(Findings findings, Problems around = {}) {
  Examination examination{.sections = {}, .around = std::move(around), .wiring = {.own = "spark1"}};
  examination.sections.emplace_back(Section::kCluster, std::move(findings));
  std::map<std::string, std::string> names;
  for (const auto& [finding, cause] : causes_of(examination)) names[finding->name] = cause->name;
  return names;
}

diagnosis::Problem other_mtu(const std::string& link) {
  return problem_of(gate::kMtuFact, Detail::kDiffers, link);
}
diagnosis::Problem no_carrier() { return problem_of(gate::kLinkFact, Detail::kNoCarrier, kLink); }
diagnosis::Problem no_loopback() {
  return problem_of(gate::kLoopbackFact, Detail::kTryFailed, kLink);
}
diagnosis::Problem differing_mtu() {
  return problem_of_resource("mtu", kLink, {.link = kLink, .ip = {}});
}

TEST(Causes, TheGateGoesWithTheRowsThatLookAtEachOfItsFacts) {
  const auto plan = one_row("plan", {differing_mtu()});
  EXPECT_THAT(tied({summary("gate", {other_mtu(kLink)}), plan}), ElementsAre(Pair("gate", "plan")));
  EXPECT_THAT(tied({summary("gate", {other_mtu(kLink), no_loopback()}), plan}), IsEmpty())
      << "it has a reason of its own";
  EXPECT_THAT(tied({summary("gate", {other_mtu("enp1s0f1np1")}), plan}), IsEmpty())
      << "of another rail";
  EXPECT_THAT(
      tied({summary("gate", {no_carrier(), no_loopback()}), one_row("cable", {no_carrier()})}),
      ElementsAre(Pair("gate", "cable")))
      << "without a link nothing else holds";
}

TEST(Causes, WhatTheDaemonLeavesAloneIsWhyItDiffers) {
  EXPECT_THAT(tied({one_row("daemon", {differing_mtu()}), summary("gate", {other_mtu(kLink)}),
                    one_row("plan", {differing_mtu()})}),
              ElementsAre(Pair("gate", "daemon"), Pair("plan", "daemon")));
}

TEST(Causes, OneThatDependsOnAnotherIsCountedBelowTheFirst) {
  const auto plan = one_row("plan", {problem_named(diagnosis::kPlan, Detail::kUnread)});
  EXPECT_THAT(
      tied({one_row("journal", {problem_named(diagnosis::kUnfinished, Detail::kUnread)}),
            one_row("ledger", {problem_named(diagnosis::kLedger, Detail::kUnread)}), plan,
            one_row("daemon", {problem_named(diagnosis::kRefusedFile)})}),
      ElementsAre(Pair("daemon", "journal"), Pair("ledger", "journal"), Pair("plan", "journal")));
  EXPECT_THAT(tied({plan}), IsEmpty());
}

TEST(Causes, AGateThatIsClosedForAnotherNodeGoesWithThat) {
  auto duplicate = problem_named("one host");
  duplicate.found.id = "SR-GATE-017";
  auto host = problem_named(diagnosis::kOtherHost);
  host.node = "spark2";
  host.found.id = duplicate.found.id;
  host.found.peers = {"spark1"};
  EXPECT_THAT(tied({summary("gate", {duplicate}), summary("nodes", {host})}, {host}),
              ElementsAre(Pair("gate", "nodes")));
}

TEST(Causes, OfTwoRowsOfOneIdNoneHidesTheOther) {
  EXPECT_THAT(tied({one_row("cable", {no_carrier()}),
                    one_row("port", {problem_of(gate::kLinkFact, Detail::kPort, "enp1s0f1np1")})}),
              IsEmpty());
}

}  // namespace
}  // namespace spark::cli
