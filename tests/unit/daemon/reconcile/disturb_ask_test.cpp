#include "daemon/reconcile/disturb_ask.hpp"

#include <gtest/gtest.h>

namespace spark::daemon {
namespace {

using namespace std::chrono_literals;

Moment boot_at(std::chrono::milliseconds boot) { return {{}, boot}; }

TEST(DisturbAsk, AsksAgainLaterAndLaterWhileTheAnswerIsNo) {
  int asked = 0;
  std::string answer = "not now";
  DisturbAsk ask([&](const AskOrder&) {
    ++asked;
    return answer;
  });
  const AskOrder order{.node = "spark1", .links = {"r0"}, .digest = "d1"};
  EXPECT_EQ(ask.ask(order, boot_at(0s)), "not now");
  EXPECT_EQ(ask.next(), 30s);
  EXPECT_EQ(ask.ask(order, boot_at(29s)), "not now");
  EXPECT_EQ(asked, 1);
  for (const auto at : {30s, 90s, 210s, 450s}) ask.ask(order, boot_at(at));
  EXPECT_EQ(asked, 5);
  EXPECT_EQ(ask.next(), 750s) << "five minutes at most";
  answer.clear();
  EXPECT_EQ(ask.ask(order, boot_at(750s)), "");
  EXPECT_FALSE(ask.next());
}

TEST(DisturbAsk, AsksAtOnceWhereTheQuestionIsAnother) {
  int asked = 0;
  DisturbAsk ask([&](const AskOrder&) {
    ++asked;
    return std::string("not now");
  });
  ask.ask({.node = "spark1", .links = {"r0"}, .digest = "d1"}, boot_at(0s));
  ask.ask({.node = "spark1", .links = {"r0"}, .digest = "d2"}, boot_at(1s));
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(ask.next(), 31s);
}

TEST(DisturbAsk, SaysYesWhereThereIsNobodyToAsk) {
  DisturbAsk ask({});
  EXPECT_EQ(ask.ask({.node = "spark1", .links = {"r0"}, .digest = "d1"}, boot_at(0s)), "");
}

}  // namespace
}  // namespace spark::daemon
