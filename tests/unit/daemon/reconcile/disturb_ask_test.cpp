#include "daemon/reconcile/disturb_ask.hpp"

#include <gtest/gtest.h>

namespace spark::daemon {
namespace {

using namespace std::chrono_literals;
using Is = Asked::Is;

Moment boot_at(std::chrono::milliseconds boot) { return {{}, boot}; }

class DisturbAskTest : public testing::Test {
 protected:
  Is ask(std::chrono::milliseconds when) { return ask_.ask(order_, boot_at(when)).is; }
  void answer(const std::string& why, std::chrono::milliseconds when) {
    ask_.take({order_, why}, boot_at(when));
  }

  AskOrder order_{.node = "spark1", .links = {"r0"}, .digest = "d1"};
  DisturbAsk ask_{[] { return true; }};
};

TEST_F(DisturbAskTest, AQuestionIsAskedOnceUntilItsAnswerComes) {
  EXPECT_EQ(ask(0s), Is::kAsked);
  EXPECT_EQ(ask(20s), Is::kAsked);
  EXPECT_FALSE(ask_.next()) << "the answer is an event";
  answer("", 25s);
  EXPECT_EQ(ask(25s), Is::kYes);
}

TEST_F(DisturbAskTest, AsksAgainLaterAndLaterWhileTheAnswerIsNo) {
  auto when = 0s;
  for (const auto rest : {30s, 60s, 120s, 240s, 300s, 300s}) {
    EXPECT_EQ(ask(when), Is::kAsked);
    answer("not now", when);
    EXPECT_EQ(ask_.next(), when + rest);
    EXPECT_EQ(ask_.ask(order_, boot_at(when + rest - 1ms)).why, "not now");
    when += rest;
  }
  EXPECT_EQ(ask(when), Is::kAsked);
  answer("", when);
  EXPECT_EQ(ask(when), Is::kYes);
  EXPECT_FALSE(ask_.next());
}

// What still waits of the file in force, and a new file.
TEST_F(DisturbAskTest, TwoQuestionsOfOnePassBothGetTheirAnswers) {
  const AskOrder other{.node = "spark1", .links = {"r0"}, .digest = "d2"};
  for (const auto when : {0s, 1s, 2s}) {
    EXPECT_EQ(ask(when), Is::kAsked);
    EXPECT_EQ(ask_.ask(other, boot_at(when)).is, Is::kAsked);
  }
  answer("not now", 3s);
  EXPECT_EQ(ask(3s), Is::kNo);
  EXPECT_EQ(ask_.ask(other, boot_at(3s)).is, Is::kAsked);
  ask_.take({other, ""}, boot_at(4s));
  EXPECT_EQ(ask(4s), Is::kNo);
  EXPECT_EQ(ask_.ask(other, boot_at(4s)).is, Is::kYes);
  EXPECT_EQ(ask_.next(), 33s);
  EXPECT_EQ(ask_.ask(other, boot_at(40s)).is, Is::kAsked);
  EXPECT_FALSE(ask_.next()) << "nobody asks the first any more";
}

TEST_F(DisturbAskTest, AYesCountsForHalfAMinute) {
  ask(0s);
  answer("", 1s);
  EXPECT_EQ(ask(30s), Is::kYes);
  EXPECT_EQ(ask(31s), Is::kAsked);
}

TEST_F(DisturbAskTest, AsksAtOnceWhereTheQuestionIsAnother) {
  ask(0s);
  answer("not now", 0s);
  order_.digest = "d2";
  EXPECT_EQ(ask(1s), Is::kAsked);
  answer("not now", 1s);
  EXPECT_EQ(ask_.next(), 30s) << "the first may still be asked";
}

TEST_F(DisturbAskTest, AnAnswerToAnotherQuestionCountsForNothing) {
  ask(0s);
  order_.links.insert("r1");
  ask(1s);
  ask_.take({{.node = "spark1", .links = {"r0"}, .digest = "d1"}, ""}, boot_at(2s));
  EXPECT_EQ(ask(2s), Is::kAsked);
  answer("", 3s);
  EXPECT_EQ(ask(3s), Is::kYes);
}

TEST(DisturbAsk, SaysYesWhereThereIsNobodyToAsk) {
  const AskOrder order{.node = "spark1", .links = {"r0"}, .digest = "d1"};
  EXPECT_EQ(DisturbAsk({}).ask(order, boot_at(0s)).is, Is::kYes);
  EXPECT_EQ(DisturbAsk([] { return false; }).ask(order, boot_at(0s)).is, Is::kYes);
}

}  // namespace
}  // namespace spark::daemon
