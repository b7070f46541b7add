#include "daemon/reconcile/offer_stages.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "all_nodes/statement.hpp"
#include "base/json_document.hpp"
#include "base/sha256.hpp"
#include "daemon/reconcile/reconciler.hpp"
#include "fake/fake_pass.hpp"
#include "fake/names.hpp"
#include "protocol/board.hpp"
#include "protocol/paths.hpp"
#include "signing/node_key.hpp"
#include "state/history.hpp"
#include "state/in_force_file.hpp"

namespace spark::daemon {
namespace {

using all_nodes::Order;
using all_nodes::Stage;
using std::chrono::seconds;
using testing::Contains;
using testing::HasSubstr;

using test::kRail;

const std::string kId(32, 'a');

/// spark1, which the file of spark2 is offered to.
class OfferStagesTest : public test::PassTest {
 protected:
  OfferStagesTest() {
    host_.files().put(protocol::kDefaultFile, text_);
    host_.files().put(protocol::kTrustedFile, "spark2 ed25519 " + other_key_.public_half() + "\n");
    pass();  // applies its file
    pass();
  }

  static std::string with_mtu(const std::string& mtu) {
    auto text = test::pair_text();
    return text.replace(text.find("9000"), 4, mtu);
  }

  std::uint32_t mtu() {
    host::View view(ports_);
    return view.link(kRail)->mtu;
  }

  std::string own_file() { return host_.files().read(protocol::kDefaultFile).value().value_or(""); }

  NodeState pass() {
    clock_ = later(clock_, seconds(1));
    return reconciler().pass({.triggers = {{"test", 1}}, .writers = writers_}).state;
  }

  NodeState gate_shows(gate::Verdict verdict) {
    clock_ = later(clock_, seconds(2));
    gate::GateReport report;
    report.node.push_back(
        {.verdict = verdict, .id = "SR-GATE-002", .name = "mtu", .measured = "as seen"});
    return reconciler().take_verdict(GateObservation{.report = report, .at = clock_}).state;
  }

  static Stage own_stage(const NodeState& state) {
    return state.all_nodes.value().nodes.front().stage.value();
  }

  /// What spark2 has on its board from now on.
  void says(const all_nodes::Statement& statement) {
    said_.push_back(all_nodes::signed_statement("spark2", statement, other_key_));
    const protocol::Boards boards{.peers = {{.node = "spark2", .said = said_}}};
    host_.files().put(protocol::kBoardsFile,
                      json_text(document_of(protocol::kBoardsSchema, boards), 2));
  }
  void is_at(Stage stage) {
    says(all_nodes::Status{.number = ++number_,
                           .offer = kId,
                           .digest = sha256_of(offered_),
                           .node = "spark2",
                           .stage = stage,
                           .why = {},
                           .plan = {}});
  }
  void orders(Order order, const std::string& why = {}) {
    says(all_nodes::Ordered{
        .offer = kId, .digest = sha256_of(offered_), .order = order, .why = why});
  }

  /// That of this node, as its board has it.
  std::string nonce() {
    const auto text = host_.files().read(protocol::kBoardFile).value().value_or("");
    const auto board = document_from_text<protocol::Board>(protocol::kBoardSchema, text).value();
    const auto key = signing::NodeKey::load_or_make(host_.files()).value();
    for (const auto& said : board.said) {
      const auto statement = all_nodes::statement_of(said, {{"spark1", key.public_half()}});
      if (!statement) continue;
      if (const auto* presence = std::get_if<all_nodes::Presence>(&*statement)) {
        return presence->nonce;
      }
    }
    return {};
  }

  /// spark1 has planned it, and looked at the gate.
  NodeState is_offered(const std::string& text, const std::string& rejects = {}) {
    offered_ = text;
    says(all_nodes::Offer{.id = kId,
                          .origin = "spark2",
                          .by = "alice",
                          .change_id = "CHG0031",
                          .cluster = "pair",
                          .digest = sha256_of(text),
                          .text = text,
                          .rejects = rejects,
                          .nonces = {{"spark1", nonce()}, {"spark2", std::string(32, 'b')}},
                          .within = std::chrono::minutes(2)});
    auto state = pass();
    gate_shows(gate::Verdict::kReady);
    return state;
  }

  /// Both have applied it.
  NodeState is_applied() {
    is_at(Stage::kGoing);
    orders(Order::kGo);
    pass();
    is_at(Stage::kApplied);
    return pass();
  }

  Reconciler& reconciler() {
    if (!reconciler_) {
      reconciler_.emplace(ports_, ReconcilerOptions{.file = protocol::kDefaultFile,
                                                    .version = "0",
                                                    .clock = [this] { return clock_; },
                                                    .removal_rest = seconds(0)});
    }
    return *reconciler_;
  }

  test::FakeHost other_;
  signing::NodeKey other_key_ = signing::NodeKey::load_or_make(other_.files()).value();
  std::vector<protocol::Signed> said_;
  std::uint64_t number_ = 0;
  std::string offered_;
  Moment clock_ = now();
  std::map<int, std::string> writers_;
  std::optional<Reconciler> reconciler_;
};

TEST_F(OfferStagesTest, SaysWhatAnOfferedFileWouldChangeAndChangesNothing) {
  const auto state = is_offered(with_mtu("4000"));
  EXPECT_EQ(own_stage(state), Stage::kYes);
  const auto& plan = state.all_nodes->nodes.front().plan;
  EXPECT_GT(plan.changes, 0U);
  EXPECT_THAT(plan.steps, Contains(HasSubstr("9000 → 4000")));
  EXPECT_EQ(mtu(), 9000U);
}

TEST_F(OfferStagesTest, RefusesAFileWithAnErrorWithItsLine) {
  const auto state = is_offered("version: 1\ncluster: [\n");
  EXPECT_EQ(own_stage(state), Stage::kRefused);
  EXPECT_THAT(state.all_nodes->nodes.front().why, HasSubstr("cluster.yaml:"));
}

TEST_F(OfferStagesTest, WhatAllKeepIsInForceAndInItsOwnFile) {
  is_offered(with_mtu("4000"));
  EXPECT_EQ(own_stage(is_applied()), Stage::kApplied);
  EXPECT_EQ(mtu(), 4000U);
  EXPECT_EQ(own_file(), text_) << "on trial";
  EXPECT_EQ(own_stage(gate_shows(gate::Verdict::kReady)), Stage::kApplied) << "it is to last";
  for (int i = 0; i < 4; ++i) gate_shows(gate::Verdict::kReady);
  orders(Order::kKeep);
  const auto state = pass();
  EXPECT_EQ(own_stage(state), Stage::kKept);
  EXPECT_EQ(own_file(), with_mtu("4000"));
  EXPECT_EQ(state.file.digest, sha256_of(with_mtu("4000")));
  EXPECT_FALSE(state::read_in_force(host_.files()).value().state.trial);
  pass();
  EXPECT_EQ(mtu(), 4000U);
}

TEST_F(OfferStagesTest, GoesBackWithAllOthers) {
  is_offered(with_mtu("4000"));
  is_applied();
  orders(Order::kBack, "spark2: mtu");
  const auto state = pass();
  EXPECT_EQ(own_stage(state), Stage::kBack);
  EXPECT_EQ(mtu(), 9000U);
  EXPECT_EQ(own_file(), text_);
  EXPECT_THAT(state.file.refused, testing::IsEmpty());
  pass();
  EXPECT_EQ(mtu(), 9000U);
}

TEST_F(OfferStagesTest, AGateThatGotWorseFails) {
  is_offered(with_mtu("4000"));
  is_applied();
  EXPECT_EQ(own_stage(gate_shows(gate::Verdict::kNotReady)), Stage::kApplied);
  for (int i = 0; i < 4; ++i) gate_shows(gate::Verdict::kNotReady);
  const auto state = gate_shows(gate::Verdict::kNotReady);
  EXPECT_EQ(own_stage(state), Stage::kFailed);
  EXPECT_THAT(state.all_nodes->nodes.front().why, HasSubstr("SR-GATE-002"));
}

TEST_F(OfferStagesTest, ADaemonThatRestartsKeepsTheTrial) {
  is_offered(with_mtu("4000"));
  is_applied();
  reconciler_.reset();
  EXPECT_EQ(own_stage(pass()), Stage::kApplied);
  EXPECT_EQ(mtu(), 4000U);
  orders(Order::kKeep);
  EXPECT_EQ(own_stage(pass()), Stage::kKept);
  EXPECT_EQ(own_file(), with_mtu("4000"));
}

TEST_F(OfferStagesTest, AnApplyOfAnotherFileByHandEndsIt) {
  is_offered(with_mtu("4000"));
  is_applied();
  const auto other = with_mtu("5000");
  apply(other, {.file = protocol::kDefaultFile, .text = other, .by = "bob"});
  pass();
  EXPECT_EQ(own_stage(gate_shows(gate::Verdict::kReady)), Stage::kFailed);
  orders(Order::kBack);
  EXPECT_EQ(own_stage(pass()), Stage::kBack);
  EXPECT_EQ(mtu(), 5000U);
}

TEST_F(OfferStagesTest, AnApplyOfAnotherFileByHandBeforeTheGoEndsItToo) {
  is_offered(with_mtu("4000"));
  const auto other = with_mtu("5000");
  host_.files().put(protocol::kDefaultFile, other);
  apply(other, {.file = protocol::kDefaultFile, .text = other, .by = "bob"});
  is_at(Stage::kGoing);
  orders(Order::kGo);
  const auto state = pass();
  EXPECT_EQ(own_stage(state), Stage::kFailed);
  EXPECT_THAT(state.all_nodes->nodes.front().why, HasSubstr("another file was applied there"));
  orders(Order::kBack);
  EXPECT_EQ(own_stage(pass()), Stage::kBack);
  EXPECT_EQ(mtu(), 5000U);
  EXPECT_EQ(own_file(), other);
}

TEST_F(OfferStagesTest, AnotherNameOfTheClusterIsRefused) {
  auto text = text_;
  const auto state = is_offered(text.replace(text.find("pair"), 4, "couple"));
  EXPECT_EQ(own_stage(state), Stage::kRefused);
  EXPECT_THAT(state.all_nodes->nodes.front().why, HasSubstr("it renames the cluster"));
}

TEST_F(OfferStagesTest, AnotherNameOfTheNodeIsRefused) {
  auto text = text_;
  text.replace(text.find("number: 11"), 10,
               "number: 11, match: { machine_id: \"00000000000000000000000000000001\" }");
  for (std::size_t at = 0; (at = text.find("spark1")) != std::string::npos;)
    text.replace(at, 6, "spark9");
  const auto state = is_offered(text);
  EXPECT_EQ(own_stage(state), Stage::kRefused);
  EXPECT_THAT(state.all_nodes->nodes.front().why, HasSubstr("it renames spark1 to spark9"));
}

TEST_F(OfferStagesTest, WhatIsRolledBackIsNoFileToReturnTo) {
  is_offered(with_mtu("4000"), sha256_of(text_));
  is_applied();
  EXPECT_EQ(state::read_in_force(host_.files())->state.find_bad(sha256_of(text_)), nullptr);
  orders(Order::kKeep);
  EXPECT_EQ(own_stage(pass()), Stage::kKept);
  EXPECT_NE(state::read_in_force(host_.files())->state.find_bad(sha256_of(text_)), nullptr);
}

TEST_F(OfferStagesTest, AChangedFileWaitsForAllWhereTheirKeysAreKnown) {
  host_.files().put(protocol::kDefaultFile, with_mtu("4000"));
  const auto state = pass();
  EXPECT_TRUE(state.file.waits_for_all);
  EXPECT_EQ(mtu(), 9000U);
  host_.files().put(protocol::kTrustedFile, "");
  EXPECT_FALSE(pass().file.waits_for_all);
  EXPECT_EQ(mtu(), 4000U);
}

/// Who adds or renames one knows no key of it yet, and asks those who are there.
TEST_F(OfferStagesTest, AFileThatNamesAnotherNodeWaitsForAllToo) {
  auto renamed = with_mtu("4000");
  for (std::size_t at = 0; (at = renamed.find("spark2")) != std::string::npos;)
    renamed.replace(at, 6, "spark9");
  host_.files().put(protocol::kDefaultFile, renamed);
  EXPECT_TRUE(pass().file.waits_for_all);
  EXPECT_EQ(mtu(), 9000U);
}

TEST_F(OfferStagesTest, TheHistoryHasTheIdOfTheChangeThatWasOffered) {
  is_offered(with_mtu("4000"));
  is_applied();
  EXPECT_EQ(mtu(), 4000U);
  EXPECT_EQ(state::read_history(host_.files(), "spark1")->back().change_id, "CHG0031");
}

TEST_F(OfferStagesTest, AChangedFileWaitsAlsoWhereTheKeysCannotBeRead) {
  host_.files().put(protocol::kDefaultFile, with_mtu("4000"));
  host_.files().put(protocol::kTrustedFile, "spark2 ed25519\n");
  reconciler_.reset();
  pass();
  EXPECT_EQ(mtu(), 9000U);
}

/// As on a disk with room for a small file alone.
TEST_F(OfferStagesTest, AChangedFileWaitsAlsoWhereTheRecordCannotBeWritten) {
  is_offered(with_mtu("5000"));
  host_.files().put(protocol::kDefaultFile, with_mtu("4000"));
  host_.files().make_link(protocol::kAllNodesRecord);
  reconciler_.reset();
  pass();
  EXPECT_EQ(mtu(), 9000U);
}

/// The first pass of a daemon knows nothing of the one before.
TEST_F(OfferStagesTest, AReleasedNodeRefusesAlsoInTheFirstPass) {
  const auto report = test::release_on(
      ports_, node(), {.file = protocol::kDefaultFile, .text = text_, .by = "alice"});
  ASSERT_EQ(report.outcome, apply::Report::Outcome::kApplied);
  reconciler_.reset();
  EXPECT_EQ(own_stage(is_offered(with_mtu("4000"))), Stage::kRefused);
}

TEST_F(OfferStagesTest, WhereNothingIsKnownOfTheOfferItsTrialGoesBack) {
  is_offered(with_mtu("4000"));
  is_applied();
  ASSERT_TRUE(host_.files().remove("/var/lib/spark-reconcile/all-nodes.json"));
  reconciler_.reset();
  pass();
  EXPECT_EQ(mtu(), 9000U);
}

}  // namespace
}  // namespace spark::daemon
