#include "helpers/peers/board_lines.hpp"

#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "protocol/peer_probe.hpp"
#include "unit/helpers/peers/a_key.hpp"
#include "unit/helpers/peers/connection.hpp"

namespace spark::helpers {
namespace {

using protocol::kMostBoardBytes;
using protocol::Signed;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using Steady = std::chrono::steady_clock;

SteadyTime in_time() { return Steady::now() + seconds(20); }

/// This node was asked, and has agreed.
class BoardLines : public testing::Test {
 protected:
  Result<std::string> take(SteadyTime end = in_time()) {
    return take_board(lines_, [this] { return own_; }, end);
  }
  ErrorCode refusal(SteadyTime end = in_time()) {
    const auto taken = take(end);
    return taken ? ErrorCode::kUnsupported : taken.error().code;
  }
  void send(const std::string& text) const {
    for (std::string_view left = text; !left.empty();) {
      const auto put = write(ends_.peer.get(), left.data(), left.size());
      if (put <= 0) return;
      left.remove_prefix(static_cast<std::size_t>(put));
    }
  }

  test::Connection ends_;
  PeerLines lines_{ends_.own.get(), protocol::kLongestPeerLine};
  PeerLines peer_{ends_.peer.get(), protocol::kLongestPeerLine};
  BoardLine own_ = board_line({{"spark1", "of this node", "c2ln"}});
};

TEST_F(BoardLines, GoBothWaysHoweverLongTheyAre) {
  for (const bool has_key : {false, true}) {
    if (has_key) {
      lines_.protect(test::a_key(), PeerSide::kAnswers);
      peer_.protect(test::a_key(), PeerSide::kAsks);
    }
    const std::string longest(kMostBoardBytes - 100, 'x');
    own_ = board_line({{"spark1", longest, "c2ln"}});
    const auto theirs = board_line({{"spark2", longest + "y", "c2ln"}, {"spark3", "\n\"", ""}});
    Result<std::string> given;
    std::thread asking([&] { given = give_board(peer_, theirs, in_time()); });
    const auto taken = take();
    asking.join();
    ASSERT_TRUE(taken) << taken.error().what;
    EXPECT_EQ(*taken, *theirs);
    ASSERT_TRUE(given) << given.error().what;
    EXPECT_EQ(*given, *own_);
    EXPECT_THAT(said_in(*given)->front().body, longest);
    EXPECT_EQ(said_in(*taken)->back(), (Signed{"spark3", "\n\"", ""}));
  }
}

TEST_F(BoardLines, WhoAsksIsGivenWhatIsOnTheBoardAfterwards) {
  send("[]\n");
  const auto newer = board_line({{"spark1", "newer", "c2ln"}});
  bool was_asked = false;
  const auto taken = take_board(
      lines_,
      [&] {
        was_asked = true;
        return BoardLine(newer);
      },
      in_time());
  EXPECT_EQ(taken, "[]");
  EXPECT_TRUE(was_asked);
  EXPECT_EQ(give_board(peer_, board_line({}), in_time()), *newer);
}

TEST_F(BoardLines, ALongerLineIsRefusedBeforeItEnds) {
  std::thread sending([&] { send(std::string(4 * kMostBoardBytes, '[')); });
  EXPECT_EQ(refusal(), ErrorCode::kSystem);
  ends_.own.reset();
  sending.join();
}

TEST_F(BoardLines, WhoSendsNothingOrSlowlyIsWaitedForNoLongerThanAsked) {
  const auto begin = Steady::now();
  EXPECT_EQ(refusal(begin + milliseconds(50)), ErrorCode::kTimeout);
  std::thread sending([&] {
    for (int i = 0; i < 100; ++i) {
      send("[");
      std::this_thread::sleep_for(milliseconds(10));
    }
  });
  EXPECT_EQ(refusal(begin + milliseconds(300)), ErrorCode::kTimeout);
  EXPECT_LT(Steady::now() - begin, seconds(10));
  sending.join();
}

TEST_F(BoardLines, WhoGoesOrHasAnotherKeyIsGivenNothing) {
  peer_.protect(test::another_key(), PeerSide::kAsks);
  lines_.protect(test::a_key(), PeerSide::kAnswers);
  ASSERT_TRUE(peer_.write("[]", in_time()));
  EXPECT_EQ(refusal(), ErrorCode::kInvalid);
  EXPECT_TRUE(lines_.is_forged());
  test::Connection gone;
  PeerLines lines(gone.own.get(), protocol::kLongestPeerLine);
  gone.peer.reset();
  const auto taken = take_board(lines, [this] { return own_; }, in_time());
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, ErrorCode::kSystem);
}

TEST_F(BoardLines, OfABoardThatWasRemovedMeanwhileNothingIsSaid) {
  own_ = nullptr;
  send("[]\n");
  EXPECT_EQ(refusal(), ErrorCode::kNotFound);
  ends_.own.reset();
  EXPECT_FALSE(peer_.await(in_time()));
}

TEST_F(BoardLines, ThatNoNodeWritesAreRefusedInWords) {
  EXPECT_THAT(said_in("[]"), testing::Optional(ElementsAre()));
  EXPECT_THAT(said_in(R"([{"node":"a","body":"b","signature":"c","later":[{}]}])"),
              testing::Optional(ElementsAre(Signed{"a", "b", "c"})));
  std::string wide = "[";
  while (wide.size() < kMostBoardBytes - 10) wide += "{},";
  for (const auto& line :
       {std::string(), std::string("{}"), std::string("null"), std::string("[1]"),
        std::string("[{}]"), std::string(R"([{"node":"a","body":1,"signature":"c"}])"),
        std::string("[{\"node\":\"\xff\",\"body\":\"\",\"signature\":\"\"}]"),
        std::string(R"([{"node":"a")"), std::string(1000, '['), wide + "{}]",
        std::string(kMostBoardBytes, '\x01')}) {
    const auto said = said_in(line);
    ASSERT_FALSE(said) << line.substr(0, 80);
    EXPECT_EQ(said.error().code, ErrorCode::kInvalid);
  }
}

}  // namespace
}  // namespace spark::helpers
