#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/json_document.hpp"
#include "helpers/peers/lines.hpp"
#include "helpers/peers/probe_relay.hpp"
#include "helpers/peers/question.hpp"
#include "unit/helpers/peers/a_key.hpp"
#include "unit/helpers/peers/connection.hpp"

namespace spark::helpers {
namespace {

using protocol::PeerAsk;
using protocol::RdmaHindrance;
using std::chrono::seconds;
using Steady = std::chrono::steady_clock;

SteadyTime soon() { return Steady::now() + seconds(10); }

const PeerNames kNames{.asker = "spark1", .answerer = "spark2"};

/// The question of who asks for a conversation with a key, as the other end reads it.
Result<PeerAsk> key_question(PeerLines& lines) {
  const auto line = lines.await(soon());
  return line ? value_from_text<PeerAsk>(*line) : std::unexpected(line.error());
}

/// Both ends of a conversation; spark1 asks.
class Talk {
 public:
  explicit Talk(const Secret& asker_key = test::a_key(), const Secret& answerer_key = test::a_key(),
                const PeerNames& answerer_names = kNames) {
    std::expected<void, Missing> begun;
    std::thread asking([&] { begun = begin_asking(asker, asker_key, kNames, soon()); });
    const auto question = key_question(answerer);
    EXPECT_TRUE(question &&
                begin_answering(answerer, answerer_key, answerer_names, *question, soon()));
    asking.join();
    EXPECT_TRUE(begun) << begun.error().why;
  }

  /// What the asker writes as bytes of the connection.
  std::string bytes_of(const std::string& line) {
    EXPECT_TRUE(asker.write(line, soon()));
    std::string bytes(4096, '\0');
    const auto got = read(ends.peer.get(), bytes.data(), bytes.size());
    bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return bytes;
  }
  void send_to_answerer(const std::string& bytes) const {
    EXPECT_EQ(write(ends.own.get(), bytes.data(), bytes.size()), std::ssize(bytes));
  }
  void send_to_asker(const std::string& bytes) const {
    EXPECT_EQ(write(ends.peer.get(), bytes.data(), bytes.size()), std::ssize(bytes));
  }

  test::Connection ends;
  PeerLines asker{ends.own.get(), 1000};
  PeerLines answerer{ends.peer.get(), 1000};
};

TEST(PeerLines, GoBothWaysBetweenNodesWithTheSameKey) {
  Talk talk;
  for (int i = 0; i < 3; ++i) {
    const auto asked = "a question " + std::to_string(i);
    ASSERT_TRUE(talk.asker.write(asked, soon()));
    EXPECT_EQ(talk.answerer.await(soon()), asked);
    ASSERT_TRUE(talk.answerer.write("", soon()));
    EXPECT_EQ(talk.asker.await(soon()), "");
  }
}

TEST(PeerLines, OfAnotherKeyAreForged) {
  Talk talk(test::a_key(), test::another_key());
  ASSERT_TRUE(talk.asker.write("x", soon()));
  const auto line = talk.answerer.await(soon());
  ASSERT_FALSE(line);
  EXPECT_EQ(line.error().code, ErrorCode::kInvalid);
  EXPECT_TRUE(talk.answerer.is_forged());
  ASSERT_TRUE(talk.answerer.write("y", soon()));
  EXPECT_FALSE(talk.asker.await(soon()));
  EXPECT_TRUE(talk.asker.is_forged());
}

TEST(PeerLines, OfAnotherNameAreForged) {
  for (const auto& names : {PeerNames{.asker = "spark3", .answerer = "spark2"},
                            PeerNames{.asker = "spark1", .answerer = "spark3"},
                            PeerNames{.asker = "spark2", .answerer = "spark1"}}) {
    Talk talk(test::a_key(), test::a_key(), names);
    ASSERT_TRUE(talk.asker.write("x", soon()));
    EXPECT_FALSE(talk.answerer.await(soon())) << names.asker << " " << names.answerer;
  }
}

TEST(PeerLines, OfAnotherConversationAreForged) {
  Talk first;
  const auto bytes = first.bytes_of("details");
  Talk second;
  second.send_to_answerer(bytes);
  EXPECT_FALSE(second.answerer.await(soon()));
  EXPECT_TRUE(second.answerer.is_forged());
}

TEST(PeerLines, ThatComeASecondTimeAreForged) {
  Talk talk;
  const auto bytes = talk.bytes_of("details");
  talk.send_to_answerer(bytes + bytes);
  EXPECT_EQ(talk.answerer.await(soon()), "details");
  EXPECT_FALSE(talk.answerer.await(soon()));
}

TEST(PeerLines, InAnotherOrderAreForged) {
  Talk talk;
  const auto first = talk.bytes_of("first");
  const auto second = talk.bytes_of("second");
  talk.send_to_answerer(second + first);
  EXPECT_FALSE(talk.answerer.await(soon()));
  EXPECT_FALSE(talk.answerer.await(soon())) << "nothing is taken after one that was forged";
}

TEST(PeerLines, ThatComeBackToWhoWroteThemAreForged) {
  Talk talk;
  talk.send_to_asker(talk.bytes_of("details"));
  EXPECT_FALSE(talk.asker.await(soon()));
}

TEST(PeerLines, ThatWereCutOrChangedAreForged) {
  const auto is_taken = [](const auto& change) {
    Talk talk;
    auto bytes = talk.bytes_of("details");
    change(bytes);
    talk.send_to_answerer(bytes);
    return talk.answerer.await(soon()).has_value();
  };
  EXPECT_TRUE(is_taken([](std::string&) {}));
  EXPECT_FALSE(is_taken([](std::string& bytes) { bytes.erase(bytes.size() - 2, 1); }));
  EXPECT_FALSE(is_taken([](std::string& bytes) { bytes.erase(0, 1); }));
  EXPECT_FALSE(is_taken([](std::string& bytes) { bytes.insert(bytes.size() - 1, "x"); }));
  EXPECT_FALSE(is_taken([](std::string& bytes) { bytes.erase(0, kMacLetters + 1); }));
  EXPECT_FALSE(is_taken([](std::string& bytes) { bytes[kMacLetters] = '\t'; }));
  EXPECT_FALSE(is_taken([](std::string& bytes) { bytes.resize(kMacLetters, 'x'), bytes += '\n'; }));
  EXPECT_FALSE(is_taken([](std::string& bytes) { bytes = "\n"; }));
}

TEST(Handshake, APeerThatKnowsOfNoKeyHasNone) {
  for (const auto* answer :
       {R"({"refused":"this version knows no such question","kind":"other"})", R"({"refused":""})",
        R"({"refused":"","nonce":"c2hvcnQ"})", "{}", "garbage"}) {
    test::Connection ends;
    PeerLines lines(ends.own.get(), 1000);
    const auto text = std::string(answer) + "\n";
    ASSERT_EQ(write(ends.peer.get(), text.data(), text.size()), std::ssize(text));
    const auto begun = begin_asking(lines, test::a_key(), kNames, soon());
    ASSERT_FALSE(begun) << answer;
    EXPECT_EQ(begun.error().kind, RdmaHindrance::kKey);
    EXPECT_EQ(begun.error().why, "spark2 has no key (ready.key_file)");
  }
}

TEST(Handshake, ANonceOfAnotherLengthIsNotAnswered) {
  const auto nonce = new_nonce();
  const auto is_answered = [](const std::string& with) {
    test::Connection ends;
    PeerLines lines(ends.own.get(), 1000);
    PeerAsk ask{.what = "key"};
    ask.nonce = with;
    return begin_answering(lines, test::a_key(), kNames, ask, soon()).has_value();
  };
  EXPECT_TRUE(is_answered(nonce));
  EXPECT_FALSE(is_answered(""));
  EXPECT_FALSE(is_answered(nonce.substr(1)));
  EXPECT_FALSE(is_answered(nonce + nonce));
}

/// Someone in the middle of the connection changes what the probes say to each other.
TEST(PeerLines, AChangedLineEndsARelay) {
  Talk talk;
  const auto bytes = talk.bytes_of("{}");
  auto changed = bytes;
  changed[changed.size() - 2] = ' ';
  talk.send_to_answerer(changed);
  const auto reports = relay_probe({"/bin/sh", "-c", "sleep 60"}, talk.answerer, soon(), {});
  ASSERT_TRUE(reports) << reports.error().what;
  EXPECT_EQ(reports->why, "a line of the peer was changed on its way");
}

}  // namespace
}  // namespace spark::helpers
