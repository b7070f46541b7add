#include "cli/doctor/name_each_cause_once.hpp"

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spark::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

/// spark1, with cage 1 joined to spark2 and cage 0 to spark3.
ToldHere told_by_spark1() {
  ToldHere told;
  told.own.node = "spark1";
  told.own.rails = {{.link = "enp1s0f0np0"}, {.link = "enp1s0f1np1"}};
  told.expected = {{.node = "spark3", .ip = {}, .link = "enp1s0f0np0", .local = {}},
                   {.node = "spark2", .ip = {}, .link = "enp1s0f1np1", .local = {}}};
  return told;
}

/// Name of each finding, and of the one that it follows from.
std::vector<std::pair<std::string, std::string>> tied(Findings findings) {
  Examination examination;
  examination.sections.emplace_back(Section::kCluster, std::move(findings));
  name_each_cause_once(told_by_spark1(), examination);
  std::vector<std::pair<std::string, std::string>> names;
  for (const auto& finding : examination.sections.front().findings) {
    names.emplace_back(finding.name, finding.follows_from);
  }
  return names;
}

TEST(NameEachCauseOnce, WhatARowOfThisNodeSaysIsLeftOut) {
  EXPECT_THAT(
      tied({{"gate", Severity::kPrevents, "not ready: mtu of enp1s0f0np0: 1500 [SR-GATE-002]", ""},
            {"nodes", Severity::kLook, "spark1: mtu of enp1s0f0np0: 1500 [SR-GATE-002]", ""}}),
      ElementsAre(Pair("gate", "")));
}

TEST(NameEachCauseOnce, WhatARowSaysOfTheRailInWordsOfItsOwnFollowsFromIt) {
  const Finding cause{"nodes", Severity::kLook, "spark1: mtu of enp1s0f0np0: 1500 [SR-GATE-002]",
                      ""};
  EXPECT_THAT(
      tied({{"plan", Severity::kPrevents, "1 resource differs from the file: mtu enp1s0f0np0", ""},
            cause}),
      ElementsAre(Pair("plan", ""), Pair("nodes", "plan")));
  EXPECT_THAT(
      tied({{"plan", Severity::kPrevents, "1 resource differs from the file: mtu enp1s0f1np1", ""},
            cause}),
      ElementsAre(Pair("plan", ""), Pair("nodes", "")))
      << "of another rail";
  EXPECT_THAT(tied({{"rdma", Severity::kGood, "enp1s0f0np0: roceP1s0f0", ""}, cause}),
              ElementsAre(Pair("rdma", ""), Pair("nodes", "")))
      << "it is good";
}

TEST(NameEachCauseOnce, AGateThatIsClosedForAnotherNodeFollowsFromThat) {
  const Finding gate{"gate", Severity::kPrevents,
                     "not ready: cabling of enp1s0f0np0: leads elsewhere", ""};
  EXPECT_THAT(
      tied({gate, {"nodes", Severity::kPrevents, "spark2: a plug of it is in the wrong cage", ""}}),
      ElementsAre(Pair("gate", "nodes"), Pair("nodes", "")));
  EXPECT_THAT(
      tied({gate, {"nodes", Severity::kLook, "spark2: a plug of it is in the wrong cage", ""}}),
      ElementsAre(Pair("gate", ""), Pair("nodes", "")))
      << "it is not why";
  auto explained = gate;
  explained.follows_from = "plan";
  EXPECT_THAT(tied({explained, {"nodes", Severity::kPrevents, "spark2: x", ""}}),
              ElementsAre(Pair("gate", "plan"), Pair("nodes", "")));
}

TEST(NameEachCauseOnce, WhoIsBehindACableWithoutACarrierIsSilentForThat) {
  const Finding silent{"nodes", Severity::kLook, "spark2: silent; last heard ready", ""};
  EXPECT_THAT(
      tied({{"cable", Severity::kPrevents, "no carrier in cage 1: enp1s0f1np1", ""}, silent}),
      ElementsAre(Pair("cable", ""), Pair("nodes", "cable")));
  EXPECT_THAT(
      tied({{"cable", Severity::kPrevents, "no carrier in cage 0: enp1s0f0np0", ""}, silent}),
      ElementsAre(Pair("cable", ""), Pair("nodes", "")))
      << "it leads to spark3";
}

}  // namespace
}  // namespace spark::cli
