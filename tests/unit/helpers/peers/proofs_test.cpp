#include "helpers/peers/proofs.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "protocol/peer_ask.hpp"

namespace spark::helpers {
namespace {

using protocol::ExpectedPeer;
using protocol::PeerReport;
using protocol::RdmaHindrance;
using std::chrono::seconds;

constexpr const char* kLink = "enp1s0f0np0";
constexpr const char* kOtherLink = "enP2p1s0f0np0";

bool all_free(const std::string& /*link*/) { return true; }

IpAddress ip(const char* text) { return *IpAddress::parse(text); }

/// spark1 with two rails, and spark2 at the other end of both, as spark1 knows them.
class ProofsTest : public testing::Test {
 protected:
  ProofsTest() {
    order_.enabled = true;
    order_.own = {.cluster = "lab", .node = "spark1", .boot_id = "boot-of-1"};
    order_.own.rails = {
        {.link = kLink, .mtu = 9000, .ip = ip("192.0.2.1"), .device = "rocep1s0f0", .port = 1},
        {.link = kOtherLink,
         .rail = 1,
         .mtu = 9000,
         .ip = ip("198.51.100.1"),
         .device = "roceP2p1s0f0",
         .port = 1}};
    first_ = {.node = "spark2", .ip = ip("192.0.2.2"), .link = kLink, .local = ip("192.0.2.1")};
    second_ = {.node = "spark2",
               .ip = ip("198.51.100.2"),
               .link = kOtherLink,
               .local = ip("198.51.100.1"),
               .rail = 1};
    order_.peers = {first_, second_};
    auto& details = told_["spark2"].details;
    details = {.cluster = "lab", .node = "spark2", .version = "0.3.0", .boot_id = "boot-of-2"};
    details.rails = {{.link = kLink,
                      .mac = "02:00:00:00:00:02",
                      .mtu = 9000,
                      .ip = first_.ip,
                      .device = "rocep1s0f0",
                      .port = 1},
                     {.link = kOtherLink,
                      .rail = 1,
                      .mac = "02:00:00:00:01:02",
                      .mtu = 9000,
                      .ip = second_.ip,
                      .device = "roceP2p1s0f0",
                      .port = 1}};
    details.peers_version = protocol::kPeersVersion;
    say_hello(first_, seconds(1));
    say_hello(second_, seconds(1));
  }

  void say_hello(const ExpectedPeer& peer, Heard::Time now) {
    heard_.take(peer.link, "02:00:00:00:00:02",
                {.cluster = "lab",
                 .node = peer.node,
                 .rail = peer.rail,
                 .boot = "boot",
                 .sequence = static_cast<std::uint64_t>(now.count())},
                true, now);
  }

  bool update(Proofs::Time now = {}) { return proofs_.update(order_, heard_, told_, now); }

  std::optional<ExpectedPeer> due(Proofs::Time now) const { return proofs_.due(now, all_free); }

  /// Both ends report that all went well.
  void succeed(const ExpectedPeer& peer, Proofs::Time now) {
    proofs_.tried(
        peer, {.ours = PeerReport{.verified = true}, .theirs = PeerReport{.verified = true}}, now);
  }
  void fail(const ExpectedPeer& peer, Proofs::Time now) {
    proofs_.tried(
        peer, {.ours = PeerReport{.failed = "WRITE"}, .theirs = PeerReport{.verified = true}}, now);
  }
  /// The proof of the first pair.
  [[nodiscard]] protocol::RdmaProof proof() const { return proofs_.all().at(0); }

  protocol::RailDetails& their_rail() { return told_["spark2"].details.rails.at(0); }

  protocol::PeersOrder order_;
  ExpectedPeer first_;
  ExpectedPeer second_;
  Heard heard_;
  Told told_;
  Proofs proofs_;
};

TEST_F(ProofsTest, TheNodeWhoseNameSortsFirstAsks) {
  update();
  EXPECT_EQ(due(seconds(1)), first_);
  order_.own.node = "spark3";
  update();
  EXPECT_EQ(due(seconds(1000)), std::nullopt);
  EXPECT_EQ(proofs_.next_due(), std::nullopt);
}

TEST_F(ProofsTest, WhatIsUnderWayIsNotDue) {
  update();
  proofs_.began(first_, seconds(1));
  EXPECT_EQ(due(seconds(1)), second_);
  proofs_.began(second_, seconds(1));
  EXPECT_EQ(due(seconds(1000)), std::nullopt);
  EXPECT_EQ(proofs_.next_due(), std::nullopt);
}

TEST_F(ProofsTest, ALinkThatIsBusyIsPassedOver) {
  update();
  const auto is_free = [](const std::string& link) { return link != kLink; };
  EXPECT_EQ(proofs_.due(seconds(1), is_free), second_);
  EXPECT_EQ(proofs_.due(seconds(1), [](const auto&) { return false; }), std::nullopt);
}

TEST_F(ProofsTest, WhatIsProvenIsNotTriedAgain) {
  update();
  proofs_.began(first_, seconds(1));
  succeed(first_, seconds(2));
  EXPECT_TRUE(proof().is_proven());
  EXPECT_EQ(proof().tried_ms, 2000);
  EXPECT_EQ(proof().boot_id, "boot-of-2");
  EXPECT_EQ(proof().hindrance, RdmaHindrance::kNone);
  EXPECT_FALSE(update()) << "nothing keeps it from being tried";
  EXPECT_EQ(due(seconds(10'000)), second_);
}

TEST_F(ProofsTest, AFailureIsTriedAgainAfterFifteenSeconds) {
  order_.peers = {first_};
  update();
  proofs_.began(first_, seconds(1));
  fail(first_, seconds(5));
  EXPECT_FALSE(proof().is_proven());
  EXPECT_EQ(proofs_.next_due(), seconds(20));
  EXPECT_EQ(due(seconds(19)), std::nullopt);
  EXPECT_EQ(due(seconds(20)), first_);
}

TEST_F(ProofsTest, AnEndWithoutAReportIsAFailure) {
  order_.peers = {first_};
  update();
  proofs_.began(first_, seconds(1));
  proofs_.tried(first_, {.ours = PeerReport{.verified = true}}, seconds(5));
  EXPECT_FALSE(proof().is_proven());
  EXPECT_EQ(due(seconds(20)), first_);
}

TEST_F(ProofsTest, AfterTheSecondFailureAMinutePasses) {
  order_.peers = {first_};
  update();
  proofs_.began(first_, seconds(1));
  fail(first_, seconds(5));
  proofs_.began(first_, seconds(20));
  fail(first_, seconds(21));
  EXPECT_EQ(proofs_.next_due(), seconds(81));
}

TEST_F(ProofsTest, TheEndThatIsAskedMayNotKnowThePeerYet) {
  order_.peers = {first_};
  static_cast<void>(proofs_.update(order_, heard_, {}, {}));
  proofs_.tried(first_,
                {.ours = PeerReport{.verified = true},
                 .theirs = PeerReport{.verified = true},
                 .boot_id = "b2"},
                seconds(5));
  EXPECT_EQ(proof().boot_id, "b2");
}

TEST_F(ProofsTest, AChangeAtOneEndIsTriedThreeSecondsAfterTheLastTry) {
  order_.peers = {first_};
  update();
  proofs_.began(first_, seconds(1));
  succeed(first_, seconds(2));
  their_rail().mtu = 1500;
  update();
  EXPECT_EQ(due(seconds(4)), std::nullopt);
  EXPECT_EQ(proofs_.next_due(), seconds(5));
  EXPECT_EQ(due(seconds(5)), first_);
  proofs_.began(first_, seconds(5));
  succeed(first_, seconds(6));
  EXPECT_EQ(due(seconds(10'000)), std::nullopt);
}

TEST_F(ProofsTest, EachThingThatAProofDependsOnMakesItDue) {
  order_.peers = {first_};
  auto now = seconds(1);
  const auto is_due_after = [&](const auto& change) {
    update();
    proofs_.began(first_, now);
    succeed(first_, now);
    now += seconds(100);
    EXPECT_EQ(due(now), std::nullopt);
    change();
    update();
    return due(now).has_value();
  };
  EXPECT_TRUE(is_due_after([&] { order_.own.boot_id = "another"; }));
  EXPECT_TRUE(is_due_after([&] { order_.own.rails.at(0).mtu = 1500; }));
  EXPECT_TRUE(is_due_after([&] { order_.own.rails.at(0).device = "rxe0"; }));
  EXPECT_TRUE(is_due_after([&] { told_["spark2"].details.boot_id = "another"; }));
  EXPECT_TRUE(is_due_after([&] { their_rail().mtu = 1500; }));
  EXPECT_TRUE(is_due_after([&] { their_rail().device = "rxe0"; }));
  EXPECT_TRUE(is_due_after([&] { their_rail().mac = "02:00:00:00:00:09"; }));
  EXPECT_FALSE(is_due_after([&] { told_["spark2"].details.verdict = "not ready"; }));
}

TEST_F(ProofsTest, AChangeDuringATryIsTriedAgain) {
  order_.peers = {first_};
  update();
  proofs_.began(first_, seconds(1));
  told_["spark2"].details.boot_id = "another";
  update();
  succeed(first_, seconds(2));
  EXPECT_EQ(proof().boot_id, "boot-of-2") << "that of the try";
  EXPECT_EQ(due(seconds(5)), first_);
  proofs_.began(first_, seconds(5));
  succeed(first_, seconds(6));
  EXPECT_EQ(proof().boot_id, "another");
  EXPECT_EQ(due(seconds(10'000)), std::nullopt);
}

TEST_F(ProofsTest, OfTheEndThatIsAskedTheStateOfTheMomentCounts) {
  order_.own.node = "spark3";
  order_.peers = {first_};
  update();
  succeed(first_, seconds(2));
  EXPECT_TRUE(proof().is_proven());
  EXPECT_EQ(proof().boot_id, "boot-of-2");
}

TEST_F(ProofsTest, ARefusalIsTriedAgainWhenItsTimeHasCome) {
  order_.peers = {first_};
  update();
  proofs_.began(first_, seconds(1));
  proofs_.refused(first_, {RdmaHindrance::kJob, "python3 uses rocep1s0f0"}, seconds(31));
  EXPECT_EQ(proof().hindrance, RdmaHindrance::kJob);
  EXPECT_EQ(proof().why, "python3 uses rocep1s0f0");
  EXPECT_EQ(proof().tried_ms, 0) << "nothing was moved";
  EXPECT_EQ(due(seconds(30)), std::nullopt);
  EXPECT_EQ(due(seconds(31)), first_);
  EXPECT_FALSE(update());
  EXPECT_EQ(proof().hindrance, RdmaHindrance::kJob) << "it stands until it is tried";
  proofs_.began(first_, seconds(31));
  succeed(first_, seconds(32));
  EXPECT_EQ(proof().hindrance, RdmaHindrance::kNone);
  EXPECT_EQ(proof().why, "");
}

TEST_F(ProofsTest, ARefusalKeepsWhatWasProven) {
  order_.peers = {first_};
  update();
  proofs_.began(first_, seconds(1));
  succeed(first_, seconds(2));
  their_rail().mtu = 1500;
  update();
  proofs_.began(first_, seconds(5));
  proofs_.refused(first_, {RdmaHindrance::kJob, "a job"}, seconds(35));
  EXPECT_TRUE(proof().is_proven());
  EXPECT_EQ(due(seconds(35)), first_) << "the change was not tried yet";
}

TEST_F(ProofsTest, ARefusalIsForgottenWhereAllIsAsItWasProven) {
  update();
  succeed(first_, seconds(5));
  their_rail().mtu = 1500;
  update();
  ASSERT_EQ(due(seconds(30)), first_);
  proofs_.began(first_, seconds(30));
  proofs_.refused(first_, {RdmaHindrance::kPeerWaits, "spark2: mtu: 1500"}, seconds(35));
  update();
  EXPECT_EQ(proof().hindrance, RdmaHindrance::kPeerWaits);
  their_rail().mtu = 9000;
  EXPECT_TRUE(update());
  EXPECT_EQ(proof().hindrance, RdmaHindrance::kNone);
  EXPECT_TRUE(proof().is_proven());
}

TEST_F(ProofsTest, SaysWhatKeepsAPairFromBeingTried) {
  order_.peers = {first_};
  const auto missing = [this](auto change) {
    const auto order = order_;
    const auto told = told_;
    change();
    Proofs proofs;
    EXPECT_TRUE(proofs.update(order_, heard_, told_, {}));
    EXPECT_EQ(proofs.due(seconds(1000), all_free), std::nullopt);
    order_ = order;
    told_ = told;
    const auto proof = proofs.all().at(0);
    return std::pair{proof.hindrance, proof.why};
  };
  using Missing = std::pair<RdmaHindrance, std::string>;
  EXPECT_EQ(missing([&] { order_.own.rails.clear(); }),
            (Missing{RdmaHindrance::kThisEnd, "enp1s0f0np0 is not there"}));
  EXPECT_EQ(missing([&] { order_.own.rails.at(0).fault = "no GID"; }),
            (Missing{RdmaHindrance::kThisEnd, "no GID"}));
  EXPECT_EQ(missing([&] { order_.peers.at(0).node = "spark9"; }),
            (Missing{RdmaHindrance::kNotHeard,
                     "no hello of spark9 was heard on enp1s0f0np0, but of spark2:0"}));
  EXPECT_EQ(missing([&] {
              order_.peers.at(0).node = "spark9";
              order_.peers.at(0).on_switch = true;
            }),
            (Missing{RdmaHindrance::kNotHeard, "no hello of spark9 was heard on enp1s0f0np0"}));
  EXPECT_EQ(missing([&] { told_.clear(); }),
            (Missing{RdmaHindrance::kNotHeard, "spark2 was not asked yet"}));
  EXPECT_EQ(missing([&] {
              told_["spark2"] = {};
              told_["spark2"].failed = "spark2: it closed the connection";
            }),
            (Missing{RdmaHindrance::kNotHeard, "spark2: it closed the connection"}));
  EXPECT_EQ(missing([&] { told_["spark2"].details.peers_version = 0; }),
            (Missing{RdmaHindrance::kOther, "spark2 runs 0.3.0, which cannot"}));
  EXPECT_EQ(missing([&] { their_rail().ip = ip("192.0.2.99"); }),
            (Missing{RdmaHindrance::kPeerEnd, "spark2 has no rail with 192.0.2.2"}));
  EXPECT_EQ(missing([&] { their_rail().fault = "the MTU is 1500"; }),
            (Missing{RdmaHindrance::kPeerEnd, "spark2: the MTU is 1500"}));
  EXPECT_EQ(missing([&] {
              their_rail().fault = "no carrier yet";
              their_rail().waits = true;
            }),
            (Missing{RdmaHindrance::kPeerWaits, "spark2: no carrier yet"}));
  heard_.mark_silent(seconds(100));
  EXPECT_EQ(missing([] {}), (Missing{RdmaHindrance::kNotHeard,
                                     "no hello of spark2 comes on enp1s0f0np0 any more"}));
}

TEST_F(ProofsTest, AnotherKeyIsWhatIsMissingOnceNoHelloOfTheNodeComes) {
  order_.peers = {first_};
  heard_.refuse(kLink, "02:00:00:00:00:99", "spark2", protocol::KeyFault::kAnother, seconds(2));
  update();
  EXPECT_EQ(proofs_.all().at(0).hindrance, RdmaHindrance::kNone) << "anybody can send a wrong one";
  heard_.mark_silent(seconds(17));
  update();
  EXPECT_EQ(proofs_.all().at(0).hindrance, RdmaHindrance::kKey);
  EXPECT_EQ(proofs_.all().at(0).why, "spark2 has another key");
  EXPECT_EQ(due(seconds(1000)), std::nullopt);
}

TEST_F(ProofsTest, NothingIsTriedWithoutTheKeyOfThisNode) {
  EXPECT_TRUE(proofs_.update(order_, heard_, told_, {}, "there is no key"));
  EXPECT_EQ(proofs_.all().at(0).hindrance, RdmaHindrance::kKey);
  EXPECT_EQ(proofs_.all().at(0).why, "there is no key");
  EXPECT_EQ(due(seconds(1000)), std::nullopt);
  EXPECT_TRUE(update());
  EXPECT_EQ(due(seconds(1000)), first_);
}

TEST_F(ProofsTest, WhatIsMissingNoMoreIsForgotten) {
  order_.peers = {first_};
  their_rail().fault = "the MTU is 1500";
  EXPECT_TRUE(update());
  EXPECT_FALSE(update());
  their_rail().fault.clear();
  EXPECT_TRUE(update());
  EXPECT_EQ(proof().hindrance, RdmaHindrance::kNone);
  EXPECT_EQ(proof().why, "");
  EXPECT_EQ(due(seconds(1)), first_);
}

TEST_F(ProofsTest, WhatWasProvenBeforeThisServiceBeganIsNotTriedAgain) {
  order_.peers = {first_};
  proofs_.restore({{.node = "spark2",
                    .link = kLink,
                    .ip = first_.ip,
                    .tried_ms = 500,
                    .ours = PeerReport{.verified = true},
                    .theirs = PeerReport{.verified = true},
                    .boot_id = "boot-of-2"}});
  auto told = std::exchange(told_, {});
  update();
  EXPECT_EQ(due(seconds(100)), std::nullopt) << "the peer was not asked yet";
  told_ = std::move(told);
  update();
  EXPECT_TRUE(proof().is_proven());
  EXPECT_EQ(proof().tried_ms, 500);
  EXPECT_EQ(due(seconds(100)), std::nullopt);
  their_rail().mtu = 1500;
  update();
  EXPECT_EQ(due(seconds(100)), first_) << "what changes from now on is tried";
}

TEST_F(ProofsTest, WhatWasProvenWithAnotherBootOfThePeerIsTriedAgain) {
  order_.peers = {first_};
  proofs_.restore({{.node = "spark2",
                    .link = kLink,
                    .ip = first_.ip,
                    .tried_ms = 500,
                    .ours = PeerReport{.verified = true},
                    .theirs = PeerReport{.verified = true},
                    .boot_id = "boot before"}});
  update();
  EXPECT_EQ(due(seconds(100)), first_);
}

TEST_F(ProofsTest, WhatHadFailedBeforeThisServiceBeganIsTriedAgain) {
  order_.peers = {first_};
  proofs_.restore({{.node = "spark2",
                    .link = kLink,
                    .ip = first_.ip,
                    .tried_ms = 500,
                    .ours = PeerReport{.failed = "WRITE"},
                    .theirs = PeerReport{.verified = true},
                    .boot_id = "boot-of-2"}});
  update();
  EXPECT_EQ(due(seconds(100)), first_);
}

TEST_F(ProofsTest, WhatIsNoPeerAnyMoreIsForgotten) {
  update();
  proofs_.began(first_, seconds(1));
  order_.peers = {second_};
  EXPECT_TRUE(update());
  ASSERT_EQ(proofs_.all().size(), 1U);
  EXPECT_EQ(proofs_.all().at(0).link, kOtherLink);
  succeed(first_, seconds(2));
  proofs_.refused(first_, {RdmaHindrance::kOther, "late"}, seconds(2));
  EXPECT_EQ(proofs_.all().at(0).tried_ms, 0) << "the late word of another pair";
}

TEST_F(ProofsTest, BehindALargeSwitchTheNextTwoAreTriedAtOnceAndTheOthersInTheirTurn) {
  order_.peers.clear();
  for (int number = 2; number <= 12; ++number) {
    const auto address = ip(fmt::format("192.0.2.{}", number).c_str());
    const ExpectedPeer peer{.node = fmt::format("spark{}", number),
                            .ip = address,
                            .link = kLink,
                            .local = ip("192.0.2.1"),
                            .on_switch = true};
    order_.peers.push_back(peer);
    auto details = told_["spark2"].details;
    details.node = peer.node;
    details.rails = {{.link = kLink, .mtu = 9000, .ip = address, .device = "rocep1s0f0"}};
    told_[peer.node].details = details;
    say_hello(peer, seconds(2));
  }
  update(seconds(10));
  const auto tried_by = [&](Proofs::Time now) {
    int count = 0;
    while (const auto peer = due(now)) {
      proofs_.began(*peer, now);
      succeed(*peer, now);
      ++count;
    }
    return count;
  };
  EXPECT_EQ(tried_by(seconds(10)), 2);
  EXPECT_EQ(tried_by(seconds(10) + Proofs::kTurn), 2);
  EXPECT_EQ(tried_by(seconds(10) + 4 * Proofs::kTurn), 6);
  EXPECT_EQ(tried_by(seconds(10) + 5 * Proofs::kTurn), 1);
  EXPECT_EQ(proofs_.next_due(), std::nullopt);
}

}  // namespace
}  // namespace spark::helpers
