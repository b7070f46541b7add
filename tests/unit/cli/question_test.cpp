#include "cli/question.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_pass.hpp"
#include "fake/names.hpp"
#include "protocol/paths.hpp"
#include "unit/cli/verb_run.hpp"

namespace spark::cli {
namespace {

using test::kRail;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string file_with_mtu(int bytes) {
  return "version: 1\ncluster: lab\nnodes: { spark1: { links: { enp1s0f0np0: { mtu: " +
         std::to_string(bytes) + " } } } }\n";
}

/// The MTU of a link that is up differs: to set it pauses its traffic.
class QuestionTest : public testing::Test {
 protected:
  QuestionTest() {
    test::add_spark(machine_);
    machine_.files().put(protocol::kDefaultFile, file_with_mtu(9000));
  }

  /// Answers with `answers` in turn.
  Printed asked(std::string_view verb, std::vector<std::optional<bool>> answers,
                Arguments arguments = {}) {
    questions_ = 0;
    answers_ = std::move(answers);
    static QuestionTest* self = nullptr;
    static ExitCode (*inner)(const Command&) = nullptr;
    self = this;
    arguments.verb = verb_named(verb);
    inner = arguments.verb->run;
    return run_verb(
        [](const Command& command) {
          return ask_before(command, inner, [](const std::string& prompt) {
            self->prompt_ = prompt;
            if (self->meanwhile_) self->meanwhile_();
            return self->answers_.at(self->questions_++);
          });
        },
        machine_, arguments);
  }
  [[nodiscard]] std::uint32_t mtu() {
    auto ports = machine_.host();
    return host::View(ports).link(kRail)->mtu;
  }

  test::FakeHost machine_;
  std::function<void()> meanwhile_;
  std::vector<std::optional<bool>> answers_;
  std::size_t questions_ = 0;
  std::string prompt_;  ///< of the last question
};

TEST_F(QuestionTest, AYesAppliesWhatWasShownOnce) {
  const auto printed = asked("apply", {true});
  EXPECT_EQ(questions_, 1U);
  EXPECT_EQ(mtu(), 9000U);
  const auto shown = printed.out.find("pauses traffic on enp1s0f0np0");
  ASSERT_NE(shown, std::string::npos) << printed.out;
  EXPECT_EQ(printed.out.find("pauses traffic on enp1s0f0np0", shown + 1), std::string::npos);
}

TEST_F(QuestionTest, NamesTheJobThatWouldBeDisturbed) {
  machine_.processes().begin({.pid = 4711, .name = "python3", .user = "alice"});
  machine_.rdma().set_users("rocep1s0f0", 4, 4711);
  const auto printed = asked("apply", {true});
  EXPECT_THAT(printed.out, HasSubstr("! in use: python3 (pid 4711) of alice uses rail 0 of cage 0 "
                                     "(enp1s0f0np0)\n"));
  EXPECT_THAT(prompt_, StartsWith("A job that runs now uses what this disturbs."));
  EXPECT_EQ(mtu(), 9000U) << "an apply by hand never waits";
}

TEST_F(QuestionTest, WithoutAYesNothingIsChanged) {
  const auto before = machine_.writes();
  const auto no = asked("apply", {false});
  EXPECT_EQ(no.code, ExitCode::kRefused);
  EXPECT_EQ(no.err, "not carried out; nothing was changed\n");
  const auto end = asked("apply", {std::nullopt});
  EXPECT_EQ(end.code, ExitCode::kRefused);
  EXPECT_THAT(end.err, HasSubstr("no answer; nothing was changed"));
  EXPECT_EQ(machine_.writes(), before);
  EXPECT_EQ(mtu(), 1500U);
}

TEST_F(QuestionTest, NothingIsLockedMeanwhile) {
  meanwhile_ = [&] { EXPECT_TRUE(machine_.files().lock(protocol::kLockFile)); };
  asked("apply", {true});
  EXPECT_EQ(questions_, 1U);
  EXPECT_EQ(mtu(), 9000U);
}

TEST_F(QuestionTest, APlanThatHasChangedIsShownAndAskedAboutAgain) {
  meanwhile_ = [&] {
    if (questions_ == 0) {
      ASSERT_TRUE(machine_.netlink().set_mtu(kRail, 4000));
    }
  };
  const auto printed = asked("apply", {true, true});
  EXPECT_EQ(questions_, 2U);
  EXPECT_THAT(printed.out, HasSubstr("This machine has changed meanwhile. The plan now:\n"));
  EXPECT_EQ(mtu(), 9000U);
}

TEST_F(QuestionTest, APlanThatDisturbsLessByNowIsAskedAboutAgainToo) {
  auto more = file_with_mtu(9000);
  more.insert(more.find("mtu: 9000"), "addresses: [192.0.2.1/24], ");
  machine_.files().put(protocol::kDefaultFile, more);
  meanwhile_ = [&] { ASSERT_TRUE(machine_.netlink().set_mtu(kRail, 9000)); };
  EXPECT_EQ(asked("apply", {true, false}).code, ExitCode::kRefused);
  EXPECT_EQ(questions_, 2U);
}

TEST_F(QuestionTest, WhatDisturbsNothingIsNotAskedAbout) {
  asked("apply", {true});
  EXPECT_EQ(asked("apply", {}).code, ExitCode::kDone) << "there is nothing to do";
  auto more = file_with_mtu(9000);
  more.insert(more.find("mtu: 9000"), "addresses: [192.0.2.1/24], ");
  machine_.files().put(protocol::kDefaultFile, more);
  EXPECT_THAT(asked("apply", {}).out, HasSubstr("192.0.2.1"));
  EXPECT_EQ(questions_, 0U);
}

TEST_F(QuestionTest, AReleaseIsAskedAbout) {
  asked("apply", {true});
  EXPECT_EQ(asked("release", {false}).code, ExitCode::kRefused);
  EXPECT_EQ(mtu(), 9000U);
  asked("release", {true});
  EXPECT_EQ(mtu(), 1500U);
}

TEST_F(QuestionTest, ARollbackSaysWhereItReturnsToAndAsks) {
  asked("apply", {true});
  const auto other = file_with_mtu(4000);
  machine_.files().put(protocol::kDefaultFile, other);
  asked("apply", {true});
  ASSERT_EQ(mtu(), 4000U);
  const auto no = asked("rollback", {false});
  EXPECT_EQ(no.code, ExitCode::kRefused);
  EXPECT_THAT(no.out, StartsWith("returns to the file of generation 1: "));
  EXPECT_EQ(mtu(), 4000U);
  EXPECT_EQ(**machine_.files().read(protocol::kDefaultFile), other);
  const auto yes = asked("rollback", {true});
  EXPECT_EQ(mtu(), 9000U);
  EXPECT_EQ(**machine_.files().read(protocol::kDefaultFile), file_with_mtu(9000));
}

TEST_F(QuestionTest, ARollbackOfWhatWaitsIsNotAskedAbout) {
  const auto waits = asked("apply", {}, typed_as({"apply", "--confirm", "1m"}));
  ASSERT_EQ(waits.code, ExitCode::kDone) << "nobody is asked: it is rolled back by itself";
  ASSERT_EQ(mtu(), 9000U);
  const auto back = asked("rollback", {});
  EXPECT_EQ(back.code, ExitCode::kDone) << back.err;
  EXPECT_EQ(questions_, 0U);
  EXPECT_EQ(mtu(), 1500U);
}

TEST_F(QuestionTest, NobodyIsAskedWithoutATerminal) {
  EXPECT_FALSE(can_be_asked({.yes = true}));
  EXPECT_EQ(run_verb("apply", machine_).err, "");
  EXPECT_EQ(mtu(), 9000U);
}

}  // namespace
}  // namespace spark::cli
