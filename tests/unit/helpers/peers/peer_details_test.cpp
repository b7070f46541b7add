#include "helpers/peers/peer_details.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace spark::helpers {
namespace {

using protocol::ExpectedPeer;
using protocol::NodeDetails;
using std::chrono::seconds;

constexpr const char* kFirstRail = "enp1s0f0np0";
constexpr const char* kSecondRail = "enP2p1s0f0np0";

ExpectedPeer peer_over(const char* link, const std::string& node = "spark2") {
  ExpectedPeer peer;
  peer.node = node;
  peer.link = link;
  return peer;
}

NodeDetails details_of(const std::string& machine) {
  return {.cluster = "lab", .node = "spark2", .machine = machine};
}

/// spark2 at the other end of both rails.
class PeerDetailsTest : public testing::Test {
 protected:
  void hear(const ExpectedPeer& peer, const std::string& details, int second = 1) {
    heard_.take(peer.link, "02:00:00:00:00:02",
                {.cluster = "lab",
                 .node = peer.node,
                 .boot = "boot",
                 .sequence = static_cast<std::uint64_t>(second),
                 .details = details},
                true, seconds(second));
  }

  [[nodiscard]] PeersKnown known() const {
    return {.peers = peers_, .heard = heard_, .boots = boots_};
  }
  [[nodiscard]] std::string due(int second) const {
    const auto peer = details_.due(known(), seconds(second));
    return peer ? peer->node + " " + peer->link : "nobody";
  }
  void answers(const ExpectedPeer& peer, const std::string& machine, const std::string& digest,
               int second) {
    details_.began(peer, seconds(second));
    details_.answered(peer, details_of(machine), digest, seconds(second));
  }
  void fails(const ExpectedPeer& peer, int second) {
    details_.began(peer, seconds(second));
    details_.failed(peer, "spark2 does not answer", known(), seconds(second));
  }

  const ExpectedPeer first_ = peer_over(kFirstRail);
  const ExpectedPeer second_ = peer_over(kSecondRail);
  std::vector<ExpectedPeer> peers_{first_, second_};
  Heard heard_;
  Boots boots_;
  PeerDetails details_;
};

TEST_F(PeerDetailsTest, WhoWasNotHeardIsNotAsked) {
  EXPECT_EQ(due(1), "nobody");
  EXPECT_FALSE(details_.next_due(known()));
}

TEST_F(PeerDetailsTest, AreAskedForOnceAHelloSaysThatTheyAreNew) {
  hear(first_, "one");
  EXPECT_EQ(due(1), "spark2 enp1s0f0np0");
  details_.began(first_, seconds(1));
  EXPECT_EQ(due(100), "nobody") << "it is asked already";
  details_.answered(first_, details_of("a"), "one", seconds(2));
  EXPECT_EQ(due(100), "nobody") << "they are known";
  EXPECT_EQ(details_.all().at("spark2").told_ms, 2000);
  hear(first_, "two", 3);
  EXPECT_EQ(due(3), "spark2 enp1s0f0np0");
}

TEST_F(PeerDetailsTest, OfAPeerThatChangesAllTheTimeAreNotAskedForAllTheTime) {
  hear(first_, "one");
  answers(first_, "a", "one", 10);
  hear(first_, "two", 10);
  EXPECT_EQ(due(10), "nobody");
  EXPECT_EQ(details_.next_due(known()), seconds(11));
  EXPECT_EQ(due(11), "spark2 enp1s0f0np0");
}

TEST_F(PeerDetailsTest, ThatDidNotComeOverOneRailAreAskedForOverTheOther) {
  hear(first_, "one");
  hear(second_, "one");
  fails(first_, 10);
  EXPECT_EQ(details_.all().at("spark2").failed, "spark2 does not answer");
  EXPECT_EQ(due(11), "spark2 enP2p1s0f0np0");
  fails(second_, 11);
  EXPECT_EQ(due(20), "nobody") << "all rails were tried";
  EXPECT_EQ(due(21), "spark2 enp1s0f0np0") << "and are tried again";
  answers(first_, "a", "one", 21);
  EXPECT_EQ(details_.all().at("spark2").failed, "");
}

TEST_F(PeerDetailsTest, OfASilentPeerAreNotAskedFor) {
  hear(first_, "one");
  heard_.mark_silent(seconds(100));
  EXPECT_EQ(due(100), "nobody");
}

TEST_F(PeerDetailsTest, AreAskedForWhereOnlyTheNodeKnowsWhetherAHelloIsItsOwn) {
  boots_.knows({.link = kFirstRail,
                .mac = "02:00:00:00:00:02",
                .hello = {.cluster = "lab", .node = "spark2", .boot = "boot"},
                .heard_ms = 1000});
  EXPECT_EQ(due(1), "spark2 enp1s0f0np0");
}

TEST_F(PeerDetailsTest, AreAskedForFromABoundedNumberOfPeersAtOnce) {
  peers_.clear();
  for (std::size_t i = 0; i <= PeerDetails::kMostAsked; ++i) {
    peers_.push_back(peer_over(kFirstRail, fmt::format("node{}", i)));
    hear(peers_.back(), "one");
  }
  for (std::size_t i = 0; i < PeerDetails::kMostAsked; ++i) {
    const auto next = details_.due(known(), seconds(1));
    ASSERT_TRUE(next);
    details_.began(*next, seconds(1));
  }
  EXPECT_EQ(due(1), "nobody");
  EXPECT_FALSE(details_.next_due(known()));
  details_.answered(peers_.front(), details_of("a"), "one", seconds(1));
  EXPECT_EQ(due(1), fmt::format("node{} {}", PeerDetails::kMostAsked, kFirstRail));
}

TEST_F(PeerDetailsTest, TellThatAnotherMachineAnswersAsTheNode) {
  answers(first_, "a", "one", 1);
  answers(first_, "a", "two", 2);
  EXPECT_EQ(details_.all().at("spark2").replaced_ms, 0);
  answers(first_, "", "three", 3);
  EXPECT_EQ(details_.all().at("spark2").replaced_ms, 0) << "it did not say which machine it is";
  answers(first_, "b", "four", 4);
  EXPECT_EQ(details_.all().at("spark2").replaced_ms, 0) << "which it was before is not known";
  answers(first_, "c", "five", 5);
  EXPECT_EQ(details_.all().at("spark2").replaced_ms, 5000);
}

TEST_F(PeerDetailsTest, OfBeforeAreKeptAndAskedForAgain) {
  details_.restore({{.details = details_of("a"), .told_ms = 1}, {}});
  ASSERT_EQ(details_.all().size(), 1U) << "one without a name is of nobody";
  hear(first_, "one");
  EXPECT_EQ(due(1), "spark2 enp1s0f0np0");
  answers(first_, "b", "one", 5);
  EXPECT_EQ(details_.all().at("spark2").replaced_ms, 5000);
}

TEST_F(PeerDetailsTest, OfWhoIsNoPeerAnyMoreAreForgotten) {
  hear(first_, "one");
  answers(first_, "a", "one", 1);
  details_.keep(peers_);
  EXPECT_EQ(details_.all().size(), 1U);
  details_.keep({peer_over(kFirstRail, "spark3")});
  EXPECT_TRUE(details_.all().empty());
  EXPECT_EQ(due(100), "spark2 enp1s0f0np0");
}

}  // namespace
}  // namespace spark::helpers
