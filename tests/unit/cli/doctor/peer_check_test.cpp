#include "cli/doctor/peer_check.hpp"

#include "base/json_document.hpp"
#include "cli/doctor/doctor.hpp"
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
  [[nodiscard]] Findings found() const { return findings_of_peer(told_, "spark2", 72s); }

  ToldHere told_{.own = {},
                 .peers = std::vector<protocol::ToldDetails>(1),
                 .expected = {},
                 .heard = {},
                 .rdma = {}};
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
  peer().rails = {
      {.link = "enp1s0f0np0", .mac = "", .ip = std::nullopt, .device = "", .fault = "no GID"},
      {.link = "enp1s0f1np1",
       .mac = "",
       .ip = std::nullopt,
       .device = "",
       .fault = "later",
       .waits = true}};
  const auto findings = found();
  EXPECT_THAT(findings, Contains(says("gate", Severity::kPrevents, "not ready: mtu enp1s0f0np0")));
  EXPECT_THAT(findings, Contains(AllOf(says("file", Severity::kLook, "bbbbbbbbbbbb, here aaaaaaaa"),
                                       Field(&Finding::remedy, HasSubstr("one file")))));
  EXPECT_THAT(findings, Contains(says("rail", Severity::kPrevents, "enp1s0f0np0: no GID")));
  EXPECT_THAT(findings, ::testing::Not(Contains(says("rail", Severity::kPrevents, "enp1s0f1np1"))));
}

TEST_F(PeerCheck, SaysOnceWhatTheGateAndARailBothLack) {
  const std::string fault = "mtu of enp1s0f0np0: 1500, the file says 9000 [SR-GATE-002]";
  peer().verdict = "not ready";
  peer().reasons = {fault};
  peer().rails = {
      {.link = "enp1s0f0np0", .mac = "", .ip = std::nullopt, .device = "", .fault = fault}};
  EXPECT_THAT(found(), ::testing::Not(Contains(Field(&Finding::name, "rail"))));
}

TEST_F(PeerCheck, WhatASilentNodeToldBeforeIsNoNews) {
  told_.heard = {{.link = "enp1s0f0np0",
                  .mac = "",
                  .hello = {.node = "spark2", .verdict = "ready"},
                  .heard_ms = 30'000,
                  .is_silent = true}};
  EXPECT_THAT(found(), ElementsAre(says("heard", Severity::kPrevents,
                                        "spark2 is silent for 42 s; last heard ready")));
  told_.heard.push_back(told_.heard.front());
  told_.heard.back().is_silent = false;
  EXPECT_THAT(found(), Contains(says("gate", Severity::kGood, "ready"))) << "over another rail";
}

TEST_F(PeerCheck, ClaimsNothingOfANodeThatToldNothing) {
  EXPECT_THAT(findings_of_peer(told_, "spark3", 72s),
              ElementsAre(says("told", Severity::kLook, "'spark3' has told nothing")));
}

TEST_F(PeerCheck, IsTheWholeExaminationWhereANodeIsNamed) {
  test::FakeHost machine;
  auto host = machine.host();
  protocol::PeersOrder order;
  order.own = told_.own;
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
