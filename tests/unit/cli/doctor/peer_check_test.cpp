#include "cli/doctor/peer_check.hpp"

#include <map>

#include "base/json_document.hpp"
#include "cli/doctor/causes.hpp"
#include "cli/doctor/doctor.hpp"
#include "diagnosis/kinds.hpp"
#include "protocol/paths.hpp"
#include "state/journal.hpp"
#include "unit/cli/doctor/asked.hpp"

namespace spark::cli {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;
using ::testing::SizeIs;

class PeerCheck : public ::testing::Test {
 protected:
  PeerCheck() {
    told_.own.node = "spark1";
    told_.own.file = std::string(64, 'a');
    peer().node = "spark2";
    peer().file = std::string(64, 'a');
    peer().verdict = "ready";
    told_.peers.front().told_ms = 60'000;
  }

  protocol::NodeDetails& peer() { return told_.peers.front().details; }
  [[nodiscard]] Examination examined(const std::string& node = "spark2") const {
    return examine_peer(told_, node, 72s, known_);
  }
  [[nodiscard]] Findings found(const std::string& node = "spark2") const {
    return examined(node).sections.front().findings;
  }
  /// Those that go with another one.
  [[nodiscard]] std::map<std::string, std::string> followers() const {
    const auto examination = examined();
    std::map<std::string, std::string> names;
    for (const auto& [finding, cause] : causes_of(examination)) names[finding->name] = cause->name;
    return names;
  }

  static diagnosis::Root root(const std::string& id, std::string_view name,
                              const std::string& measured) {
    return {.problem = {.node = "spark2",
                        .found = {.id = id, .name = std::string(name), .measured = measured}}};
  }

  cluster::Told told_{.own = {},
                      .peers = std::vector<protocol::ToldDetails>(1),
                      .expected = {},
                      .heard = {},
                      .rdma = {}};
  ClusterHere known_;
};

TEST_F(PeerCheck, SaysHowOldItsWordsAre) {
  EXPECT_THAT(found(), ElementsAre(says("told", Severity::kGood, "spark2 told this 12 s ago"),
                                   says("gate", Severity::kGood, "ready"),
                                   says("file", Severity::kGood, "the file of this node"),
                                   says("versions", Severity::kGood, "spark2")));
  told_.peers.front().failed = "no answer within 2 s";
  EXPECT_THAT(found(), Contains(says("told", Severity::kLook,
                                     "and has not answered since: no answer within 2 s")));
}

TEST_F(PeerCheck, NamesWhatItLacks) {
  peer().verdict = "not ready";
  peer().reasons = {"mtu enp1s0f0np0"};
  peer().file = std::string(64, 'b');
  known_.view.roots = {root("", diagnosis::kNoRdma, "no GID")};
  const auto findings = found();
  EXPECT_THAT(findings, Contains(says("gate", Severity::kPrevents, "not ready: mtu enp1s0f0np0")));
  EXPECT_THAT(findings, Contains(AllOf(says("file", Severity::kLook, "bbbbbbbbbbbb, here aaaaaaaa"),
                                       Field(&Finding::remedy, gate::kRemedyOfOtherFile))));
  EXPECT_THAT(findings, Contains(says("nodes", Severity::kPrevents, "no GID")));
  known_.view.rollout.emplace();
  known_.view.rollout->nodes.emplace_back().step = cluster::RolloutStep::kTries;
  EXPECT_THAT(found(),
              Contains(says("file", Severity::kGood,
                            "digest bbbbbbbbbbbb, here aaaaaaaaaaaa: a roll-out goes on")));
}

TEST_F(PeerCheck, WhatASilentNodeToldBeforeIsNoNews) {
  told_.heard = {{.link = "enp1s0f0np0",
                  .mac = "",
                  .hello = {.node = "spark2", .verdict = "ready"},
                  .heard_ms = 30'000,
                  .is_silent = true}};
  EXPECT_THAT(found(), ElementsAre(says("heard", Severity::kPrevents,
                                        "spark2 has been silent for 42 s; last heard ready")));
  known_.view.nodes = {{.name = "spark2", .is_away = true}};
  EXPECT_THAT(found(), ElementsAre(says("heard", Severity::kGood, "spark2 is away")));
  known_.view.nodes.clear();
  known_.view.roots = {root("", diagnosis::kSilent, "silent; last heard ready")};
  auto& silent = known_.view.roots.front().problem.found;
  silent.detail = protocol::Detail::kNoAnswer;
  EXPECT_THAT(found(), SizeIs(1));
  silent.detail.reset();
  silent.measured = "spark2 has another key";
  EXPECT_THAT(found(), ElementsAre(says("heard", Severity::kPrevents, "silent"),
                                   says("nodes", Severity::kPrevents, "spark2 has another key")));
  known_.view.roots.clear();
  told_.heard.push_back(told_.heard.front());
  told_.heard.back().is_silent = false;
  EXPECT_THAT(found(), Contains(says("gate", Severity::kGood, "ready"))) << "over another rail";
}

TEST_F(PeerCheck, ItsHelloIsNewerThanWhatItTold) {
  told_.peers.front().failed = "no answer";
  told_.heard = {{.link = "enp1s0f0np0",
                  .mac = "",
                  .hello = {.node = "spark2", .file = std::string(16, 'b'), .verdict = "not ready"},
                  .heard_ms = 71'000}};
  known_.view.roots = {root("", diagnosis::kUntold, "not ready, and has not told why")};
  const auto findings = found();
  EXPECT_THAT(findings,
              AllOf(Contains(says("gate", Severity::kPrevents, "not ready, and has not told why")),
                    Contains(says("file", Severity::kLook, "bbbbbbbbbbbb, here aaaaaaaa"))));
  EXPECT_THAT(findings, Not(Contains(Field(&Finding::name, "nodes")))) << "the gate says it";
  told_.peers.clear();
  EXPECT_THAT(found(),
              ElementsAre(says("told", Severity::kLook, "'spark2' has told nothing"),
                          says("gate", Severity::kPrevents, "not ready, and has not told why"),
                          says("file", Severity::kLook, "bbbbbbbbbbbb, here aaaaaaaa")));
}

TEST_F(PeerCheck, AWrongPlugIsWhyANodeDoesNotAnswerAndHasNotToldWhy) {
  told_.peers.front().failed = "no answer";
  told_.heard = {{.link = "enp1s0f0np0",
                  .mac = "",
                  .hello = {.node = "spark2", .file = std::string(16, 'a'), .verdict = "not ready"},
                  .heard_ms = 71'000}};
  known_.view.roots = {root("SR-GATE-016", diagnosis::kPlug, "a plug of it is in the wrong cage")};
  EXPECT_THAT(followers(), ElementsAre(Pair("gate", "nodes"), Pair("told", "nodes")));
  known_.view.roots.front().problem.found.id = "SR-GATE-011";
  EXPECT_THAT(followers(), ElementsAre(Pair("nodes", "gate"), Pair("told", "gate")));
}

TEST_F(PeerCheck, SaysWhyANodeThatWasNeverHeardIsNot) {
  told_.peers.clear();
  known_.view.roots = {root("", diagnosis::kSilent, "spark2 has another key")};
  known_.view.roots.front().problem.remedy = {
      .text = {}, .command = "spark-reconcile doctor -n spark2", .examine = "spark2"};
  EXPECT_THAT(
      found(),
      ElementsAre(says("told", Severity::kLook, "'spark2' has told nothing"),
                  AllOf(says("nodes", Severity::kPrevents, "spark2 has another key"),
                        Field(&Finding::remedy, "`sudo spark-reconcile doctor` on spark2"))));
}

TEST_F(PeerCheck, WhatIsFoundOfANodeThatIsReadyIsToLookAt) {
  known_.view.roots = {
      root("SR-GATE-016", diagnosis::kSwitch, "a switch is between spark1, spark2")};
  EXPECT_THAT(found(), Contains(says("nodes", Severity::kLook, "a switch is between")));
}

TEST_F(PeerCheck, NamesWhatOthersFindOfIt) {
  peer().verdict = "not ready";
  peer().reasons = {"mtu: 1500, the file says 9000 [SR-GATE-002]"};
  peer().problems = {{.id = "SR-GATE-002", .name = "mtu", .measured = "1500, the file says 9000"}};
  known_.view.roots = {root("SR-GATE-016", diagnosis::kPlug, "a plug of it is in the wrong cage"),
                       root("SR-GATE-002", "mtu", "1500, the file says 9000"),
                       root("SR-GATE-020", diagnosis::kOtherFile, "another file: digest bbbbbbb"),
                       root("", diagnosis::kOtherVersion, "runs 0.1.9, here 1"),
                       root("", diagnosis::kCopy, "a copy of spark1: one machine id"),
                       root("", diagnosis::kCopy, "a copy of spark3: one machine id")};
  const auto findings = found();
  EXPECT_THAT(findings, Contains(Field(&Finding::name, "nodes")).Times(1))
      << "what it told, and what has rows of its own, is said once";
  EXPECT_THAT(findings, Contains(says("nodes", Severity::kPrevents,
                                      "a plug of it is in the wrong cage [SR-GATE-016]")));
}

TEST_F(PeerCheck, ACopyOfAnotherNodesDiskHasTheRowThatItHasThere) {
  peer().machine = "89abcdef01234567";
  told_.peers.emplace_back();
  told_.peers.back().details.node = "spark3";
  told_.peers.back().details.machine = peer().machine;
  const auto what = "spark2 and spark3 have the same machine id: one of the two disks is a copy";
  EXPECT_THAT(found(), Contains(says("machine", Severity::kLook, what)));
  EXPECT_THAT(found("spark4"), Not(Contains(Field(&Finding::name, "machine"))));
}

TEST_F(PeerCheck, ANodeThatANeighbourHearsIsNotSilent) {
  const auto hello = [](const std::string& node, bool is_silent) {
    return protocol::HeardHello{.link = "enp1s0f0np0",
                                .mac = "",
                                .hello = {.node = node, .verdict = "ready"},
                                .heard_ms = 70'000,
                                .is_silent = is_silent};
  };
  told_.heard = {hello("spark2", true), hello("spark3", false)};
  told_.peers.emplace_back();
  told_.peers.back().details.node = "spark3";
  auto& passed = told_.peers.back().details.heard;
  passed = {{.node = "spark2", .verdict = "not ready"}};
  EXPECT_THAT(found(), Contains(says("gate", Severity::kPrevents, "not ready")));
  passed.front().is_silent = true;
  EXPECT_THAT(found(),
              ElementsAre(says("heard", Severity::kPrevents, "spark2 has been silent for 2 s")));
  told_.heard.erase(told_.heard.begin());
  EXPECT_THAT(found(),
              ElementsAre(says("heard", Severity::kPrevents, "spark2 is silent, as spark3 tells")));
}

TEST_F(PeerCheck, ClaimsNothingOfANodeThatToldNothing) {
  EXPECT_THAT(found("spark3"),
              ElementsAre(says("told", Severity::kLook, "'spark3' has told nothing")));
}

TEST_F(PeerCheck, IsTheWholeExaminationWhereANodeIsNamed) {
  test::FakeHost machine;
  auto host = machine.host();
  protocol::PeersOrder order;
  order.own = told_.own;
  order.peers = {{.node = "spark2",
                  .ip = *IpAddress::parse("192.0.2.12"),
                  .link = "enp1s0f1np1",
                  .local = *IpAddress::parse("192.0.2.11")}};
  protocol::PeersReport report;
  report.boot_id = state::boot_id(host);
  report.told = told_.peers;
  machine.files().put(protocol::kPeersOrderFile,
                      json_text(document_of(protocol::kPeersOrderSchema, order)));
  machine.files().put(protocol::kPeersReportFile,
                      json_text(document_of(protocol::kPeersReportSchema, report)));
  const TextFile out;
  Arguments arguments;
  arguments.node = "spark2";
  const Terminal terminal(out.stream(), out.stream(), Color::kNever, false);
  const Log log(out.stream(), {});
  const auto examination = examine({arguments, terminal, log, host});
  ASSERT_EQ(examination.sections.size(), 1U);
  EXPECT_EQ(name_of(examination.sections.front().section), "cluster");
  EXPECT_THAT(examination.sections.front().findings,
              Contains(says("told", Severity::kGood, "spark2 told this")));
}

}  // namespace
}  // namespace spark::cli
