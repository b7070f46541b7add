#include "daemon/reconcile/all_nodes.hpp"

#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64.hpp"
#include "base/json_document.hpp"
#include "base/sha256.hpp"
#include "config/parse/parse.hpp"
#include "fake/fake_cluster.hpp"
#include "fake/fake_host.hpp"
#include "protocol/paths.hpp"
#include "protocol/peers.hpp"

namespace spark::daemon {
namespace {

using all_nodes::Order;
using all_nodes::Stage;
using all_nodes::Work;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kOfferId = std::string(32, 'a');
const std::string kLaterId = std::string(32, 'b');

std::string with_other_mtu(std::string text) { return text.replace(text.find("9000"), 4, "8000"); }

/// A machine whose daemon does what has to be done at once.
struct TestNode {
  explicit TestNode(std::string name) : own{.node = std::move(name)} {
    host.sysctl().set("kernel.random.boot_id", "first");
    cluster = config::parse(text).cluster;
    own.cluster = &cluster;
    key = signing::NodeKey::load_or_make(host.files())->public_half();
    restart();
  }

  void restart() { daemon = std::make_unique<AllNodes>(ports); }
  void reboot() {
    host.sysctl().set("kernel.random.boot_id", "second");
    host.files().erase(protocol::kBoardFile);
    host.files().erase(protocol::kBoardsFile);
    host.files().erase(protocol::kAllNodesAskFile);
    now.boot = seconds(30);
    restart();
  }

  void act() {
    const auto work = daemon->work(now);
    if (work == Work::kPlan) ASSERT_TRUE(daemon->planned(refuses, {.changes = 1}, now));
    if (work == Work::kApply) ASSERT_TRUE(daemon->applied(now));
    if (work == Work::kJudge) ASSERT_TRUE(daemon->judged(is_open, false, "", now));
    if (work == Work::kKeep) {
      text = daemon->offered()->text;
      ASSERT_TRUE(daemon->kept(now));
    }
    if (work == Work::kGoBack) ASSERT_TRUE(daemon->went_back(now));
  }

  void ask(protocol::AllNodesWish wish, const std::string& id, const std::string& file) {
    const protocol::AllNodesAsk ask{.id = id, .wish = wish, .by = "alice", .text = file};
    host.files().put(protocol::kAllNodesAskFile,
                     json_text(document_of(protocol::kAllNodesAskSchema, ask)));
  }

  protocol::Board board() {
    const auto text_there = host.files().read(protocol::kBoardFile).value();
    return text_there
               ? document_from_text<protocol::Board>(protocol::kBoardSchema, *text_there).value()
               : protocol::Board{};
  }
  Stage stage() { return daemon->progress()->nodes.front().stage.value_or(Stage::kHeard); }
  Order order() { return daemon->progress()->order; }

  test::FakeHost host;
  host::Host ports = host.host();
  Moment now{.wall = std::chrono::sys_time<milliseconds>(seconds(1'700'000'000)),
             .boot = minutes(60)};
  std::string text = test::pair_text();
  config::Cluster cluster;
  OwnNode own;
  std::string key;
  std::string refuses;  ///< why; empty: it plans every file
  bool is_open = true;
  bool is_off = false;
  std::unique_ptr<AllNodes> daemon;
};

/// Two nodes on one cable, whose boards are handed over by the test.
class TwoNodes : public testing::Test {
 protected:
  TwoNodes() {
    one_.host.files().put(protocol::kTrustedFile, "spark2 ed25519 " + two_.key + "\n");
    two_.host.files().put(protocol::kTrustedFile, "spark1 ed25519 " + one_.key + "\n");
  }

  static void hand_over(TestNode& from, TestNode& to) {
    const protocol::Boards boards{
        {{.node = from.own.node, .answered = to.board().asks, .said = from.board().said}}};
    to.host.files().put(protocol::kBoardsFile,
                        json_text(document_of(protocol::kBoardsSchema, boards)));
  }

  /// Both look, and hear each other; what they have to do is done where `acts` says so.
  void pass(seconds rest = seconds(1), bool acts = true) {
    for (auto* node : {&one_, &two_}) {
      node->now = later(node->now, rest);
      if (node->is_off) continue;
      const auto looked = node->daemon->look(node->own, node->now);
      EXPECT_TRUE(looked) << looked.error().what;
      if (acts) node->act();
    }
    if (is_cut_ || one_.is_off || two_.is_off) return;
    hand_over(one_, two_);
    hand_over(two_, one_);
  }

  void passes(int times, bool acts = true) {
    for (int i = 0; i < times; ++i) pass(seconds(1), acts);
  }

  void offer() {
    passes(2);
    one_.ask(protocol::AllNodesWish::kOffer, kOfferId, wanted_);
    passes(5);
  }
  void approve() { one_.ask(protocol::AllNodesWish::kApprove, kOfferId, wanted_); }

  /// Until both have durably applied, and nobody has decided.
  void apply_on_both() {
    one_.is_open = two_.is_open = false;
    offer();
    approve();
    passes(12);
    ASSERT_EQ(one_.stage(), Stage::kApplied);
    ASSERT_EQ(two_.stage(), Stage::kApplied);
  }

  TestNode one_{"spark1"};
  TestNode two_{"spark2"};
  std::string wanted_ = with_other_mtu(test::pair_text());
  bool is_cut_ = false;
};

TEST_F(TwoNodes, BothKeepAFileThatIsGoodOnBoth) {
  offer();
  EXPECT_EQ(one_.order(), Order::kNone);
  const auto asked = one_.daemon->progress();
  ASSERT_EQ(asked->nodes.size(), 2U);
  EXPECT_EQ(asked->nodes[1].node, "spark2");
  EXPECT_EQ(asked->nodes[1].stage, Stage::kYes);
  EXPECT_EQ(asked->nodes[1].plan.changes, 1U);
  approve();
  passes(12);
  EXPECT_EQ(one_.stage(), Stage::kKept);
  EXPECT_EQ(two_.stage(), Stage::kKept);
  EXPECT_EQ(one_.text, wanted_);
  EXPECT_EQ(two_.text, wanted_);
  EXPECT_TRUE(is_over(*two_.daemon->progress()));
  passes(20);
  EXPECT_FALSE(one_.host.files().read(protocol::kAllNodesAskFile).value());
  EXPECT_FALSE(one_.daemon->next_due());
}

TEST_F(TwoNodes, SayNothingWhereNoKeyIsKnown) {
  one_.host.files().erase(protocol::kTrustedFile);
  one_.host.files().erase(protocol::kNodeKeyFile);
  one_.ask(protocol::AllNodesWish::kOffer, kOfferId, wanted_);
  pass();
  EXPECT_FALSE(one_.host.files().read(protocol::kBoardFile).value());
  EXPECT_FALSE(one_.host.files().read(protocol::kNodeKeyFile).value());
  EXPECT_EQ(one_.order(), Order::kBack);
  EXPECT_THAT(one_.daemon->progress()->why, HasSubstr("sudo spark-reconcile join"));
}

TEST_F(TwoNodes, AskNobodyTwiceWhoDoesNotAnswer) {
  two_.is_off = true;
  one_.ask(protocol::AllNodesWish::kOffer, kOfferId, wanted_);
  passes(8);
  EXPECT_EQ(one_.order(), Order::kBack);
  EXPECT_THAT(one_.daemon->progress()->why, HasSubstr("spark2 does not answer"));
}

TEST_F(TwoNodes, ApplyNothingAfterARefusal) {
  two_.refuses = "the management link would change: it needs --confirm";
  offer();
  approve();
  passes(12);
  EXPECT_EQ(one_.stage(), Stage::kBack);
  EXPECT_THAT(one_.daemon->progress()->why, HasSubstr("spark2: the management link would change"));
  EXPECT_EQ(one_.text, test::pair_text());
}

TEST_F(TwoNodes, RefuseWhereTheirOwnFileIsChanged) {
  two_.own.changed = sha256_of("another");
  offer();
  passes(3);
  EXPECT_EQ(one_.order(), Order::kBack);
  EXPECT_THAT(one_.daemon->progress()->why, HasSubstr("spark2: its file was edited"));
}

TEST_F(TwoNodes, PassADecisionOnAfterARestart) {
  offer();
  approve();
  passes(12);
  EXPECT_EQ(two_.stage(), Stage::kKept);
  two_.host.files().erase(protocol::kBoardsFile);
  two_.restart();
  EXPECT_TRUE(two_.daemon->look(two_.own, two_.now));
  EXPECT_THAT(two_.board().said, ::testing::Contains(::testing::ResultOf(
                                     [](const protocol::Signed& said) {
                                       return said.node == "spark1" &&
                                              said.body.contains("\"order\":\"keep\"");
                                     },
                                     true)));
}

TEST_F(TwoNodes, WaitForNobodyWhoNeverApproves) {
  offer();
  pass(minutes(5));
  passes(2);
  EXPECT_EQ(one_.order(), Order::kBack);
  EXPECT_EQ(one_.daemon->progress()->why, "nobody said yes within 5 min");
  EXPECT_EQ(two_.stage(), Stage::kBack);
}

TEST_F(TwoNodes, HearNobodyWhoseKeyIsAnother) {
  passes(2);
  two_.host.files().put(protocol::kTrustedFile, "spark1 ed25519 " + two_.key + "\n");
  one_.ask(protocol::AllNodesWish::kOffer, kOfferId, wanted_);
  passes(3);
  EXPECT_FALSE(two_.daemon->progress());
  EXPECT_EQ(two_.daemon->work(two_.now), Work::kNone);
}

TEST_F(TwoNodes, TakeNoOfferOfAnotherCluster) {
  passes(2);
  one_.ask(protocol::AllNodesWish::kOffer, kOfferId, wanted_);
  two_.cluster.name = "other";
  pass();
  pass();
  EXPECT_FALSE(two_.daemon->progress());
}

/// spark-peers may replay all that it ever saw.
TEST_F(TwoNodes, TakeNoOfferTwice) {
  offer();
  const auto offered = one_.board().said;
  approve();
  passes(12);
  ASSERT_EQ(two_.stage(), Stage::kKept);
  one_.ask(protocol::AllNodesWish::kOffer, kLaterId, test::pair_text());
  passes(5);
  one_.ask(protocol::AllNodesWish::kApprove, kLaterId, test::pair_text());
  passes(12);
  ASSERT_EQ(two_.daemon->progress()->terms.id, kLaterId);
  ASSERT_EQ(two_.stage(), Stage::kKept);
  is_cut_ = true;
  const protocol::Boards old{{{.node = "spark1", .said = offered}}};
  two_.host.files().put(protocol::kBoardsFile,
                        json_text(document_of(protocol::kBoardsSchema, old)));
  passes(3);
  EXPECT_EQ(two_.daemon->progress()->terms.id, kLaterId);
  EXPECT_EQ(two_.text, test::pair_text());
}

TEST_F(TwoNodes, TakeTheFileOfOneOfTwoWhoAskAtTheSameTime) {
  passes(2);
  one_.ask(protocol::AllNodesWish::kOffer, kOfferId, wanted_);
  two_.ask(protocol::AllNodesWish::kOffer, kLaterId, wanted_ + "# mine\n");
  passes(8);
  EXPECT_EQ(one_.daemon->progress()->terms.id, kOfferId);
  EXPECT_EQ(one_.order(), Order::kBack);
  EXPECT_EQ(one_.stage(), Stage::kRefused);
  EXPECT_THAT(one_.daemon->progress()->why, HasSubstr("on spark2 asks for another file"));
  two_.ask(protocol::AllNodesWish::kApprove, kLaterId, wanted_ + "# mine\n");
  passes(15);
  EXPECT_EQ(one_.text, wanted_ + "# mine\n");
  EXPECT_EQ(two_.text, wanted_ + "# mine\n");
  EXPECT_EQ(one_.daemon->progress()->terms.id, kLaterId);
}

/// While the verb that asked for the former one may not have read how it ended.
TEST_F(TwoNodes, SayThatAFileIsKeptWhereAnotherOneIsOffered) {
  offer();
  approve();
  passes(12);
  ASSERT_EQ(one_.stage(), Stage::kKept);
  one_.ask(protocol::AllNodesWish::kApprove, kOfferId, wanted_);
  two_.ask(protocol::AllNodesWish::kOffer, kLaterId, test::pair_text());
  passes(5);
  ASSERT_EQ(two_.daemon->progress()->nodes[1].stage, Stage::kYes);
  EXPECT_EQ(one_.daemon->progress()->terms.id, kOfferId);
  EXPECT_EQ(one_.stage(), Stage::kKept);
  EXPECT_FALSE(is_mixed(*one_.daemon->progress()));
}

/// A spark-peers that is taken over writes what it likes.
TEST_F(TwoNodes, GoOnWhateverIsInPlaceOfBoards) {
  offer();
  approve();
  for (const auto& text : {std::string("{"), std::string(protocol::kMostBoardsBytes + 1, ' ')}) {
    two_.host.files().put(protocol::kBoardsFile, text);
    EXPECT_TRUE(two_.daemon->look(two_.own, two_.now));
    EXPECT_EQ(two_.stage(), Stage::kYes);
  }
  hand_over(one_, two_);
  passes(12);
  EXPECT_EQ(two_.stage(), Stage::kKept);
}

TEST_F(TwoNodes, VerifyABoundedNumberOfAPeerAndHearTheOthers) {
  passes(1);
  std::vector<protocol::Signed> forged;
  for (int i = 0; i < 200; ++i) {
    forged.push_back({"spark1", std::to_string(i), to_base64(std::string(64, 'x'))});
  }
  const auto real = one_.board().said;
  auto after = forged;
  after.insert(after.end(), real.begin(), real.end());
  const auto put = [&](const protocol::Boards& boards) {
    two_.host.files().put(protocol::kBoardsFile,
                          json_text(document_of(protocol::kBoardsSchema, boards)));
    EXPECT_TRUE(two_.daemon->look(two_.own, two_.now));
    return two_.daemon->host_keys().contains("spark1");
  };
  EXPECT_FALSE(put({{{.node = "another", .said = after}}}));
  EXPECT_TRUE(put({{{.node = "another", .said = forged}, {.node = "spark1", .said = real}}}));
  EXPECT_TRUE(put({{{.node = "another", .said = after}}})) << "what is known costs nothing";
}

TEST_F(TwoNodes, GoBackByThemselvesWhateverTheWallClockShows) {
  apply_on_both();
  is_cut_ = true;
  const auto until = two_.daemon->progress()->until;
  ASSERT_TRUE(until);
  two_.now.wall += std::chrono::hours(24);
  passes(5);
  EXPECT_EQ(two_.stage(), Stage::kApplied);
  EXPECT_EQ(two_.daemon->progress()->until->boot, until->boot);
  pass(minutes(2));
  passes(6);
  EXPECT_EQ(one_.stage(), Stage::kBack);
  EXPECT_EQ(two_.stage(), Stage::kBack);
}

TEST_F(TwoNodes, DecideNothingOnceLessIsLeftThanADecisionNeeds) {
  apply_on_both();
  pass(seconds(80));
  EXPECT_EQ(one_.order(), Order::kGo);
  pass(seconds(15));
  one_.is_open = two_.is_open = true;
  passes(5);
  EXPECT_EQ(one_.order(), Order::kBack);
  EXPECT_EQ(two_.stage(), Stage::kBack);
  EXPECT_EQ(two_.text, test::pair_text());
}

TEST_F(TwoNodes, GoOnWithATimerAfterAReboot) {
  apply_on_both();
  is_cut_ = true;
  two_.reboot();
  passes(2, false);
  EXPECT_EQ(two_.stage(), Stage::kApplied);
  EXPECT_EQ(two_.daemon->next_due(), two_.now.boot - seconds(1) + minutes(2));
  is_cut_ = false;
  one_.is_open = two_.is_open = true;
  passes(8);
  EXPECT_EQ(two_.stage(), Stage::kKept);
  EXPECT_EQ(one_.stage(), Stage::kKept);
}

TEST_F(TwoNodes, AskOnceMoreBeforeTheyGoBack) {
  apply_on_both();
  one_.is_open = two_.is_open = true;
  pass();
  is_cut_ = true;  // what is decided now, nobody else has heard
  pass();
  ASSERT_EQ(one_.order(), Order::kKeep);
  ASSERT_EQ(two_.stage(), Stage::kOpen);
  const auto asks = two_.board().asks;
  two_.now = later(two_.now, minutes(2));
  ASSERT_TRUE(two_.daemon->look(two_.own, two_.now));
  EXPECT_NE(two_.board().asks, asks);
  EXPECT_NE(two_.daemon->work(two_.now), Work::kGoBack);
  hand_over(one_, two_);
  ASSERT_TRUE(two_.daemon->look(two_.own, two_.now));
  EXPECT_EQ(two_.daemon->work(two_.now), Work::kKeep);
}

/// Once it has other addresses again, nobody hears it say so.
TEST_F(TwoNodes, AnOriginThatGoesBackIsHeardFirst) {
  apply_on_both();
  one_.ask(protocol::AllNodesWish::kCancel, kOfferId, wanted_);
  pass();
  EXPECT_EQ(one_.order(), Order::kBack);
  EXPECT_EQ(one_.daemon->work(one_.now), Work::kNone);
  pass();
  EXPECT_EQ(two_.stage(), Stage::kBack);
  pass();
  EXPECT_EQ(one_.stage(), Stage::kBack);
}

TEST_F(TwoNodes, AnOriginThatNobodyHearsGoesBackToo) {
  apply_on_both();
  is_cut_ = true;
  one_.ask(protocol::AllNodesWish::kCancel, kOfferId, wanted_);
  passes(3);
  EXPECT_EQ(one_.stage(), Stage::kApplied);
  EXPECT_TRUE(one_.daemon->next_due());
  passes(3);
  EXPECT_EQ(one_.stage(), Stage::kBack);
}

TEST_F(TwoNodes, SayNothingThatIsNotOnDisk) {
  offer();
  approve();
  pass(seconds(1), false);
  pass(seconds(1), false);
  ASSERT_EQ(two_.stage(), Stage::kGoing);
  const auto before = two_.board();
  two_.host.refuse_if("all-nodes.json");
  two_.now = later(two_.now, kHeardRest);
  ASSERT_EQ(two_.daemon->work(two_.now), Work::kApply);
  EXPECT_FALSE(two_.daemon->applied(two_.now));
  EXPECT_TRUE(two_.daemon->look(two_.own, later(two_.now, minutes(10))));  // asks once more
  EXPECT_FALSE(two_.daemon->look(two_.own, later(two_.now, minutes(11))));
  EXPECT_EQ(two_.board().said, before.said);
  EXPECT_EQ(two_.daemon->work(two_.now), Work::kApply);
}

/// As the way out for a machine whose disk was copied.
TEST_F(TwoNodes, SignWithTheKeyThatIsThereNow) {
  passes(3);
  two_.host.files().erase(protocol::kNodeKeyFile);
  passes(1);
  const auto other = signing::NodeKey::load_or_make(two_.host.files())->public_half();
  ASSERT_NE(other, two_.key);
  one_.host.files().put(protocol::kTrustedFile, "spark2 ed25519 " + other + "\n");
  offer();
  EXPECT_EQ(two_.stage(), Stage::kYes);
}

TEST_F(TwoNodes, ForgetAKeyAlsoWhereTheirOwnIsDamaged) {
  passes(2);
  two_.host.files().put(protocol::kNodeKeyFile, "ed25519 AAAA");
  two_.host.files().put(protocol::kTrustedFile, "spark3 ed25519 " + one_.key + "\n");
  EXPECT_FALSE(two_.daemon->look(two_.own, two_.now));
  EXPECT_FALSE(two_.daemon->is_together(two_.cluster));
  EXPECT_TRUE(two_.board().said.empty());
}

/// Else the others would go by what it said later, with a nonce that it has no more.
TEST_F(TwoNodes, AreHeardWithARecordFromABackup) {
  passes(3);
  const auto backup = two_.host.files().read(protocol::kAllNodesRecord).value().value();
  offer();
  approve();
  passes(12);
  ASSERT_EQ(one_.stage(), Stage::kKept);
  two_.host.files().put(protocol::kAllNodesRecord, backup);
  two_.reboot();
  passes(3);
  one_.ask(protocol::AllNodesWish::kOffer, kLaterId, test::pair_text());
  passes(5);
  ASSERT_EQ(two_.daemon->progress()->terms.id, kLaterId);
  EXPECT_EQ(two_.stage(), Stage::kYes);
}

TEST_F(TwoNodes, KeepADamagedRecordAside) {
  two_.host.files().put(protocol::kAllNodesRecord, "{");
  const auto looked = two_.daemon->look(two_.own, two_.now);
  ASSERT_FALSE(looked);
  EXPECT_THAT(looked.error().what, HasSubstr("all-nodes.json.damaged"));
  EXPECT_EQ(two_.host.files().read("/var/lib/spark-reconcile/all-nodes.json.damaged").value(), "{");
  EXPECT_TRUE(two_.daemon->look(two_.own, two_.now));
  EXPECT_FALSE(two_.daemon->progress());
}

TEST_F(TwoNodes, TellTheHostKeysOfTheirMachines) {
  one_.host.files().put("/etc/ssh/ssh_host_ed25519_key.pub", "ssh-ed25519 AAAA root@spark1\n");
  one_.host.files().put("/etc/ssh/ssh_host_ed25519_key", "secret");
  passes(3);
  EXPECT_THAT(two_.daemon->host_keys().at("spark1"), ElementsAre("ssh-ed25519 AAAA"));
}

TEST_F(TwoNodes, AreTogetherOnceEachKnowsTheOther) {
  passes(1);
  EXPECT_TRUE(one_.daemon->is_together(one_.cluster));
  one_.host.files().erase(protocol::kTrustedFile);
  passes(1);
  EXPECT_FALSE(one_.daemon->is_together(one_.cluster));
  EXPECT_TRUE(one_.board().said.empty());
}

/// As spark-peers shares out what it hands over: what is cut there nobody would answer.
TEST(AllNodesBoardTest, HasRoomForLessTheMoreNodesThereAre) {
  test::FakeHost host;
  host.files().put(protocol::kTrustedFile, "spark2 ed25519 " + std::string(43, 'A') + "=\n");
  AllNodesBoard board(host.files());
  ASSERT_TRUE(board.read("spark1"));
  all_nodes::Offer offer{.id = kOfferId, .origin = "spark1", .text = std::string(100 * 1024, 'x')};
  for (int i = 0; i < 4; ++i) offer.nonces[std::to_string(i)] = kOfferId;
  EXPECT_TRUE(board.has_room_for(offer));
  for (int i = 4; i < 32; ++i) offer.nonces[std::to_string(i)] = kOfferId;
  EXPECT_FALSE(board.has_room_for(offer));
  offer.text.resize(std::size_t{24} * 1024);
  EXPECT_TRUE(board.has_room_for(offer));
}

}  // namespace
}  // namespace spark::daemon
