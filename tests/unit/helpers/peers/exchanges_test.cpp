#include "helpers/peers/exchanges.hpp"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json_document.hpp"

namespace spark::helpers {
namespace {

using protocol::Board;
using protocol::ExpectedPeer;
using protocol::Signed;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::Le;

constexpr const char* kOneRail = "enp1s0f0np0";
constexpr const char* kOtherRail = "enP2p1s0f0np0";

ExpectedPeer way_to(const std::string& node, const char* link, const char* ip = "192.0.2.12") {
  ExpectedPeer way;
  way.node = node;
  way.link = link;
  way.ip = *IpAddress::parse(ip);
  return way;
}

std::vector<Signed> words(const std::string& body) { return {{"spark2", body, "c2ln"}}; }

Board board_of(const std::string& body, bool is_live = false, std::uint64_t asks = 1) {
  return {.is_live = is_live, .asks = asks, .said = words(body)};
}

/// spark2 at the other end of both rails.
class ExchangesTest : public testing::Test {
 protected:
  ExchangesTest() { exchanges_.update(ways_, heard_); }

  void hear(const ExpectedPeer& way, int second = 1) {
    heard_.take(way.link, "02:00:00:00:00:02",
                {.cluster = "lab",
                 .node = way.node,
                 .boot = "boot",
                 .sequence = static_cast<std::uint64_t>(second)},
                true, seconds(second));
    exchanges_.update(ways_, heard_);
  }
  void fall_silent(int second) {
    heard_.mark_silent(seconds(second));
    exchanges_.update(ways_, heard_);
  }
  void expect(std::vector<ExpectedPeer> ways) {
    ways_ = std::move(ways);
    exchanges_.update(ways_, heard_);
  }

  [[nodiscard]] std::string due(int second) const {
    const auto way = exchanges_.due(seconds(second));
    return way ? way->node + " " + way->link : "nobody";
  }
  void answers(const ExpectedPeer& way, const std::string& body) {
    exchanges_.began(way);
    exchanges_.answered(way, words(body));
  }
  void fails(const ExpectedPeer& way, int second) {
    exchanges_.began(way);
    exchanges_.failed(way, seconds(second));
  }
  [[nodiscard]] std::vector<std::string> boards() const {
    std::vector<std::string> all;
    for (const auto& board : exchanges_.all().peers) {
      all.push_back(fmt::format("{} {} for {}", board.node,
                                board.said.empty() ? "nothing" : board.said.front().body,
                                board.answered));
    }
    return all;
  }

  const ExpectedPeer one_ = way_to("spark2", kOneRail);
  const ExpectedPeer other_ = way_to("spark2", kOtherRail, "198.51.100.12");
  std::vector<ExpectedPeer> ways_{one_, other_};
  Heard heard_;
  Exchanges exchanges_;
};

TEST_F(ExchangesTest, WithoutABoardNobodyIsAskedAndNothingIsKept) {
  hear(one_);
  exchanges_.was_asked("spark2", words("x"));
  EXPECT_EQ(due(1), "nobody");
  EXPECT_FALSE(exchanges_.next_due());
  EXPECT_EQ(exchanges_.changes(), 0U);
  exchanges_.set_board(board_of("a"));
  answers(one_, "b");
  exchanges_.set_board({});
  EXPECT_THAT(boards(), ElementsAre());
}

TEST_F(ExchangesTest, AChangedBoardIsExchangedOnceAndAnIdleClusterExchangesNothing) {
  hear(one_);
  exchanges_.set_board(board_of("a", false, 7));
  EXPECT_EQ(due(1), "spark2 enp1s0f0np0");
  answers(one_, "theirs");
  EXPECT_THAT(boards(), ElementsAre("spark2 theirs for 7"));
  const auto changes = exchanges_.changes();
  for (int second = 2; second < 10'000; second += 5) hear(one_, second);
  exchanges_.set_board(board_of("a", false, 7));
  EXPECT_EQ(due(10'000), "nobody");
  EXPECT_FALSE(exchanges_.next_due());
  EXPECT_EQ(exchanges_.changes(), changes);
  exchanges_.set_board(board_of("a", false, 8));
  EXPECT_EQ(due(10'000), "spark2 enp1s0f0np0") << "all are asked now";
}

TEST_F(ExchangesTest, APeerThatAsksAnswersNoQuestionOfThisNode) {
  exchanges_.set_board(board_of("a", false, 7));
  exchanges_.was_asked("spark2", words("theirs"));
  EXPECT_THAT(boards(), ElementsAre("spark2 theirs for 0"));
  EXPECT_EQ(due(1), "spark2 enp1s0f0np0");
  answers(one_, "again");
  exchanges_.was_asked("spark2", words("newer"));
  EXPECT_THAT(boards(), ElementsAre("spark2 newer for 7"));
  exchanges_.was_asked("spark9", words("x"));
  EXPECT_THAT(boards(), testing::SizeIs(1)) << "nobody expects it";
}

TEST_F(ExchangesTest, APeerThatSaysTheSameAgainWakesNobody) {
  exchanges_.set_board(board_of("a", false, 7));
  exchanges_.was_asked("spark2", {});
  const auto empty = exchanges_.changes();
  EXPECT_NE(empty, 0U) << "that it takes no part is news";
  answers(one_, "theirs");
  const auto changes = exchanges_.changes();
  EXPECT_NE(changes, empty);
  for (int i = 0; i < 100; ++i) exchanges_.was_asked("spark2", words("theirs"));
  EXPECT_EQ(exchanges_.changes(), changes);
  exchanges_.set_board(board_of("a", false, 8));
  answers(one_, "theirs");
  EXPECT_THAT(boards(), ElementsAre("spark2 theirs for 8"));
  EXPECT_NE(exchanges_.changes(), changes) << "who asked waits for it";
}

TEST_F(ExchangesTest, WhatChangesMeanwhileIsExchangedAfterIt) {
  exchanges_.set_board(board_of("a", false, 1));
  exchanges_.began(one_);
  exchanges_.set_board(board_of("b", false, 2));
  EXPECT_EQ(due(1), "nobody") << "one conversation at a time";
  EXPECT_FALSE(exchanges_.next_due() && *exchanges_.next_due() > seconds(1));
  exchanges_.answered(one_, words("theirs"));
  EXPECT_THAT(boards(), ElementsAre("spark2 theirs for 1"));
  EXPECT_EQ(due(2), "spark2 enp1s0f0np0");
}

TEST_F(ExchangesTest, GoOverARailThatHearsThePeerAndThenOverTheOther) {
  hear(other_);
  exchanges_.set_board(board_of("a"));
  EXPECT_EQ(due(1), "spark2 enP2p1s0f0np0");
  fails(other_, 1);
  EXPECT_EQ(due(1), "spark2 enp1s0f0np0");
  answers(one_, "theirs");
  exchanges_.set_board(board_of("b"));
  EXPECT_EQ(due(2), "spark2 enP2p1s0f0np0");
}

TEST_F(ExchangesTest, ThatFailedAreTriedAgainWhileAnOfferIsUnderWay) {
  exchanges_.set_board(board_of("a", true));
  for (int second = 10; second < 100; second += 2) {
    EXPECT_EQ(due(second), "spark2 enp1s0f0np0");
    fails(one_, second);
    fails(other_, second);
    EXPECT_EQ(due(second + 1), "nobody");
    EXPECT_EQ(exchanges_.next_due(), seconds(second + 2));
  }
  exchanges_.set_board(board_of("a", false));
  EXPECT_EQ(due(100), "spark2 enp1s0f0np0");
  fails(one_, 100);
  fails(other_, 100);
  EXPECT_EQ(due(100'000), "nobody") << "nothing is under way, and it is not there";
  hear(one_, 200);
  EXPECT_EQ(due(200), "spark2 enp1s0f0np0");
  fails(one_, 200);
  fails(other_, 200);
  EXPECT_EQ(exchanges_.next_due(), seconds(200) + Exchanges::kAgainHeard);
}

TEST_F(ExchangesTest, APeerThatWasSilentIsAskedAgain) {
  hear(one_);
  exchanges_.set_board(board_of("a"));
  answers(one_, "b");
  fall_silent(100);
  EXPECT_EQ(due(100), "nobody");
  hear(one_, 101);
  EXPECT_EQ(due(101), "spark2 enp1s0f0np0");
}

TEST_F(ExchangesTest, APeerWithOtherAddressesIsAskedAgain) {
  exchanges_.set_board(board_of("a"));
  answers(one_, "b");
  expect({other_, one_});
  EXPECT_EQ(due(1), "nobody") << "they are the same";
  exchanges_.began(one_);
  expect({way_to("spark2", kOneRail, "203.0.113.12")});
  EXPECT_EQ(due(1), "nobody") << "the one that is under way comes first";
  exchanges_.answered(one_, words("c"));
  EXPECT_EQ(due(2), "spark2 enp1s0f0np0");
}

TEST_F(ExchangesTest, AnOldWayAndNobodyThereLeaveNothingThatWaits) {
  exchanges_.set_board(board_of("a"));
  exchanges_.began(one_);
  expect({way_to("spark3", kOneRail)});
  exchanges_.answered(one_, words("b"));
  exchanges_.failed(one_, seconds(1));
  EXPECT_THAT(boards(), ElementsAre());
  EXPECT_EQ(due(1), "spark3 enp1s0f0np0");
}

TEST_F(ExchangesTest, ABoardOfWhoIsNoPeerAnyMoreIsKeptWhileAnOfferIsUnderWay) {
  exchanges_.set_board(board_of("a", true));
  answers(one_, "b");
  expect({way_to("spark3", kOneRail)});
  EXPECT_THAT(boards(), testing::SizeIs(1));
  exchanges_.set_board(board_of("a", false));
  EXPECT_THAT(boards(), ElementsAre());
}

TEST_F(ExchangesTest, WithAnotherKeyEverybodyIsAskedAndNothingIsKept) {
  exchanges_.set_board(board_of("a"));
  answers(one_, "b");
  exchanges_.began(one_);
  exchanges_.begin_again();
  EXPECT_THAT(boards(), ElementsAre());
  EXPECT_EQ(due(1), "spark2 enp1s0f0np0");
}

TEST_F(ExchangesTest, ABoundedNumberIsAskedAtOnceAndWhoIsHeardFirst) {
  std::vector<ExpectedPeer> ways;
  for (std::size_t i = 0; i <= Exchanges::kMostAsked; ++i) {
    ways.push_back(way_to(fmt::format("node{}", i), kOneRail));
  }
  expect(ways);
  hear(ways.back());
  exchanges_.set_board(board_of("a"));
  EXPECT_EQ(due(1), fmt::format("node{} {}", Exchanges::kMostAsked, kOneRail));
  for (std::size_t i = 0; i < Exchanges::kMostAsked; ++i) {
    const auto next = exchanges_.due(seconds(1));
    ASSERT_TRUE(next);
    exchanges_.began(*next);
  }
  EXPECT_EQ(due(1), "nobody");
  EXPECT_FALSE(exchanges_.next_due());
}

TEST_F(ExchangesTest, EachPeerHasItsShareOfTheDocumentAndNoMore) {
  std::vector<ExpectedPeer> ways;
  ways.reserve(40);
  for (int i = 0; i < 40; ++i) ways.push_back(way_to(fmt::format("node{}", i), kOneRail));
  expect({ways.front()});
  exchanges_.set_board(board_of("a", true));
  const std::string half(protocol::kMostBoardBytes / 2, 'x');
  const std::vector<Signed> said{{"a", "first", "s"}, {"a", half, "s"}, {"a", "last", "s"}};
  exchanges_.was_asked("node0", said);
  EXPECT_THAT(exchanges_.all().peers.front().said, testing::SizeIs(3));
  EXPECT_THAT(exchanges_.cut(), ElementsAre());
  expect(ways);
  EXPECT_THAT(exchanges_.all().peers.front().said, ElementsAre(said.front(), said.back()))
      << "what is small is not kept back";
  EXPECT_THAT(exchanges_.cut(), ElementsAre("node0"));
  // Letters of which each has six in JSON.
  const std::vector<Signed> many(100, {"a", std::string(300, '\x01'), "s"});
  for (const auto& way : ways) {
    exchanges_.was_asked(way.node, many);
  }
  const auto text = json_text(document_of(protocol::kBoardsSchema, exchanges_.all()));
  EXPECT_THAT(text.size(), Le(protocol::kMostBoardsBytes));
  EXPECT_EQ(exchanges_.cut().size(), 40U);
}

}  // namespace
}  // namespace spark::helpers
