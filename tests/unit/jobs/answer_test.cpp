#include "jobs/answer.hpp"

#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spark::jobs {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

constexpr Time kEnd = Time(std::chrono::days(20'000)) + hours(3);

/// A pair with one rail; this node recorded an hour on both sides of the end.
Question asked_of_a_pair() {
  return {
      .at = kEnd,
      .job =
          JobSpan{.began = kEnd - minutes(30), .last_seen = kEnd, .ended = kEnd, .links = {"eth0"}},
      .ways =
          {{.link = "eth0", .rail = {}, .peer = "spark2", .peer_link = "eth1", .peer_rail = {}}},
      .nodes = {{.node = "spark1",
                 .ahead = seconds(0),
                 .covered = {{.from = kEnd - hours(1), .to = kEnd + hours(1)}},
                 .signs = {}}}};
}

TEST(WasItTheNetwork, WithoutAnyRecordNothingIsKnown) {
  auto question = asked_of_a_pair();
  question.nodes.clear();
  EXPECT_EQ(was_it_the_network(question).kind, Answer::Kind::kNotKnown);
  EXPECT_THAT(was_it_the_network(question).line, HasSubstr(": there is no record."));
}

TEST(WasItTheNetwork, BeforeTheRecordBeginsNothingIsKnown) {
  auto question = asked_of_a_pair();
  question.nodes[0].covered = {{.from = kEnd + hours(1), .to = kEnd + hours(2)}};
  EXPECT_EQ(was_it_the_network(question).line,
            "Nothing is known of 02:58:00 to 03:02:00: the record begins later.");
}

TEST(WasItTheNetwork, ARecordWithoutASignIsNoFault) {
  const auto answer = was_it_the_network(asked_of_a_pair());
  EXPECT_EQ(answer.kind, Answer::Kind::kNoFault);
  EXPECT_THAT(answer.line, HasSubstr("no echo is recorded around it"));
}

TEST(WasItTheNetwork, AMinuteIsAllOfItAndTheTwoBefore) {
  auto question = asked_of_a_pair();
  question.job.reset();
  question.at = kEnd + minutes(1);
  question.lasts = minutes(1);
  question.nodes.push_back(
      {.node = "spark2", .ahead = seconds(0), .covered = question.nodes[0].covered, .signs = {}});
  const auto lost = [&](Time at) {
    question.nodes[0].signs = {
        {.at = at, .sign = Sign::kCarrierLost, .link = "eth0", .lasted = seconds(2)}};
    return was_it_the_network(question);
  };
  const auto within = lost(kEnd + seconds(39));
  EXPECT_EQ(within.kind, Answer::Kind::kFault);
  EXPECT_EQ(within.line, "eth0 of spark1 lost its carrier at 03:00:39 for 2 s.");
  const auto before = lost(kEnd - seconds(110));
  EXPECT_THAT(before.line, HasSubstr(" for 2 s; that was 110 s before 03:00:00."));
  EXPECT_EQ(before.lines.size(), 1U);
  EXPECT_EQ(lost(kEnd - minutes(3)).kind, Answer::Kind::kNoFault);
  EXPECT_EQ(lost(kEnd + seconds(65)).kind, Answer::Kind::kNoFault);
}

TEST(WasItTheNetwork, AnEchoLongAgoSaysNothing) {
  auto question = asked_of_a_pair();
  question.nodes[0].signs.push_back(
      {.at = kEnd - minutes(11), .sign = Sign::kEcho, .link = "eth0"});
  EXPECT_THAT(was_it_the_network(question).line, HasSubstr("no echo is recorded around it"));
}

TEST(WasItTheNetwork, AProofOfARailThatTheJobDidNotUseSaysNothing) {
  auto question = asked_of_a_pair();
  question.ways.push_back(
      {.link = "eth2", .rail = {}, .peer = "spark2", .peer_link = "eth3", .peer_rail = {}});
  const auto prove = [&](const std::string& link) {
    question.nodes[0].signs.push_back(
        {.at = kEnd - minutes(40), .sign = Sign::kRdmaProven, .link = link});
    return was_it_the_network(question).line;
  };
  EXPECT_THAT(prove("eth2"), HasSubstr("no proof of RDMA is recorded"));
  EXPECT_THAT(prove("eth0"), HasSubstr("RDMA last proven 02:20:00, before the job"));
}

/// The daemon was down from ten minutes before the end to it, and the job ended meanwhile.
Question asked_of_an_end_that_nobody_saw() {
  auto question = asked_of_a_pair();
  question.job->last_seen = kEnd - minutes(10);
  question.nodes[0].covered = {{.from = kEnd - hours(1), .to = kEnd - minutes(10)},
                               {.from = kEnd, .to = kEnd + hours(1)}};
  return question;
}

TEST(WasItTheNetwork, AnEndThatNobodySawIsNotKnown) {
  auto question = asked_of_an_end_that_nobody_saw();
  for (const auto at : {kEnd - minutes(11), kEnd}) {
    question.nodes[0].signs = {{.at = at, .sign = Sign::kCarrierLost, .link = "eth0"}};
    const auto answer = was_it_the_network(question);
    EXPECT_EQ(answer.kind, Answer::Kind::kNotKnown);
    EXPECT_EQ(answer.line, "Nothing is known of 02:50:00 to 03:00:00: the daemon was down.");
  }
}

TEST(WasItTheNetwork, AnEndThatNobodySawIsThatOfAMachineThatWentDown) {
  auto question = asked_of_an_end_that_nobody_saw();
  question.nodes[0].signs = {{.at = kEnd - seconds(30), .sign = Sign::kNodeStarted}};
  const auto answer = was_it_the_network(question);
  EXPECT_EQ(answer.kind, Answer::Kind::kNoFault);
  EXPECT_THAT(answer.line, HasSubstr("spark1 itself went down, and started again at 02:59:30"));
}

TEST(WasItTheNetwork, IsNeverSaidWhereNoFaultWasRecorded) {
  std::mt19937 dice(20240607);
  const auto draw = [&](int most) {
    return static_cast<int>(dice() % static_cast<unsigned>(most));
  };
  for (int round = 0; round < 2000; ++round) {
    auto question = asked_of_a_pair();
    question.nodes.push_back({.node = "spark2",
                              .ahead = seconds(draw(300) - 150),
                              .covered = {{.from = kEnd - hours(1), .to = kEnd + hours(1)}},
                              .signs = {}});
    for (int count = draw(8); count > 0; --count) {
      const auto first = static_cast<int>(Sign::kEcho);
      const auto sign = first + draw(static_cast<int>(protocol::kSigns.size()) - first);
      question.nodes[static_cast<std::size_t>(draw(2))].signs.push_back(
          {.at = kEnd + seconds(draw(1200) - 600),
           .sign = static_cast<Sign>(sign),
           .link = draw(2) == 0 ? "eth0" : "eth1"});
    }
    EXPECT_NE(was_it_the_network(question).kind, Answer::Kind::kFault);
  }
}

TEST(WasItTheNetwork, NamesOfThePeerAreHarmless) {
  auto question = asked_of_a_pair();
  question.nodes[0].signs.push_back(
      {.at = kEnd, .sign = Sign::kMtuChanged, .link = "eth0", .text = "by \x1b[31mred"});
  EXPECT_THAT(was_it_the_network(question).line, Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace spark::jobs
