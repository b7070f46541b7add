// Before it disturbs what runs, the program asks who sits at a terminal, and nobody else.

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "process/spark.hpp"

namespace spark::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class Questions : public ::testing::Test {
 protected:
  Questions() {
    spark_.add_link("enp1s0f0np0");
    spark_.ip("link set enp1s0f0np0 up");
    spark_.file_with_links("enp1s0f0np0: { mtu: 9000 }");
  }

  /// On a terminal of its own, in the foreground, as script(1) starts it; `typed` is what is typed
  /// there before the end of the input.
  Outcome on_terminal(const std::vector<std::string>& words, const std::string& typed) const {
    return in_shell_at_terminal("exec {}", words, typed);
  }
  /// The same of a shell that runs `script`, whose {} is the command line of `words`.
  Outcome in_shell_at_terminal(const std::string& script, const std::vector<std::string>& words,
                               const std::string& typed) const {
    auto command = spark_.command(words);
    std::string line;
    for (const auto& word : command.argv) line += " '" + word + "'";
    auto typed_line = script;
    typed_line.replace(typed_line.find("{}"), 2, line);
    command.argv = {"script", "--quiet", "--return", "--command", typed_line, "/dev/null"};
    command.environment.emplace_back("SHELL=/bin/sh");
    command.input = typed;
    return run(command);
  }
  /// An apply that was killed once it had changed the MTU.
  void interrupt_an_apply() const {
    for (int nth = 1; nth < 20; ++nth) {
      auto killed = spark_.command({"apply"});
      killed.argv.insert(killed.argv.begin(),
                         {"strace", "-qq", "-o", "/dev/null", "-e", "trace=unlinkat", "-e",
                          fmt::format("inject=unlinkat:signal=KILL:when={}", nth)});
      killed.environment = {"ASAN_OPTIONS=detect_leaks=0"};  // which cannot be done under strace
      ASSERT_THAT(run(killed), Not(ExitsWith(0))) << "it never came so far";
      if (mtu() == 9000) return;
    }
    FAIL() << "it never came so far";
  }
  [[nodiscard]] int mtu() const { return spark_.link("enp1s0f0np0")["mtu"]; }

  Spark spark_;
};

TEST_F(Questions, AYesAtATerminalApplies) {
  const auto outcome = on_terminal({"apply"}, "yes\n");
  EXPECT_THAT(outcome, ExitsWith(0));
  EXPECT_THAT(outcome.out, HasSubstr("Carry this out?"));
  EXPECT_EQ(mtu(), 9000);
}

TEST_F(Questions, AnythingElseChangesNothing) {
  for (const auto* typed : {"n\n", "\n", "what?\n", ""}) {
    const auto outcome = on_terminal({"apply"}, typed);
    EXPECT_THAT(outcome, ExitsWith(6)) << typed;
    EXPECT_THAT(outcome.out, HasSubstr("nothing was changed")) << typed;
    EXPECT_EQ(mtu(), 1500) << typed;
  }
}

TEST_F(Questions, NotWhereTheAnswerIsGivenOrNobodySits) {
  EXPECT_THAT(on_terminal({"apply", "--yes"}, "").out, Not(HasSubstr("Carry this out?")));
  EXPECT_EQ(mtu(), 9000);
  EXPECT_THAT(on_terminal({"release", "-y"}, "").out, Not(HasSubstr("Carry this out?")));
  EXPECT_EQ(mtu(), 1500);
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0));
  EXPECT_EQ(mtu(), 9000);
  EXPECT_THAT(on_terminal({"apply"}, ""), ExitsWith(0)) << "there is nothing to do";
}

TEST_F(Questions, NotForASavedPlan) {
  const auto plan = spark_.host_path("/change.plan").string();
  ASSERT_THAT(spark_.reconcile({"plan", "--out", plan}), ExitsWith(0));
  EXPECT_THAT(on_terminal({"apply", plan}, ""), ExitsWith(0));
  EXPECT_EQ(mtu(), 9000);
}

TEST_F(Questions, NotInTheBackgroundOfATerminal) {
  // It may not read there: a question would stop it for ever.
  const auto outcome = in_shell_at_terminal(
      "set -m; (test -t 0 && test -t 1 && echo at a terminal; exec {}) & wait $!", {"apply"}, "");
  EXPECT_THAT(outcome, ExitsWith(0));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("at a terminal"), Not(HasSubstr("Carry this out?"))));
  EXPECT_EQ(mtu(), 9000);
}

TEST_F(Questions, NotWithAConfirmationThatIsWaitedForAnyway) {
  const auto outcome = on_terminal({"apply", "--confirm", "60s"}, "");
  EXPECT_THAT(outcome, ExitsWith(6)) << "nothing here would roll it back";
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("--confirm needs systemd"), Not(HasSubstr("Carry this out?"))));
  EXPECT_EQ(mtu(), 1500);
}

TEST_F(Questions, NotForARollbackOfWhatWasInterrupted) {
  interrupt_an_apply();
  const auto outcome = on_terminal({"rollback"}, "");
  EXPECT_THAT(outcome, ExitsWith(0));
  EXPECT_THAT(outcome.out, AllOf(HasSubstr("rolled back"), Not(HasSubstr("Carry this out?"))));
  EXPECT_EQ(mtu(), 1500);
}

TEST_F(Questions, AReportIsWrittenAfterAYes) {
  const auto report = spark_.host_path("/report.json");
  const std::vector<std::string> words{"facts", "--share", "-o", report};
  const auto refused = on_terminal(words, "n\n");
  EXPECT_THAT(refused, ExitsWith(6));
  EXPECT_THAT(refused.out, HasSubstr("replaced in this report:"));
  EXPECT_FALSE(std::filesystem::exists(report));
  EXPECT_THAT(on_terminal(words, "yes\n"), ExitsWith(0));
  const auto shared = nlohmann::json::parse(std::ifstream(report));
  EXPECT_EQ(shared["checklist"].size(), 10U) << "the questions of gate --checklist";
  EXPECT_EQ(shared["checklist"]["lanes"], "not_here");
}

TEST_F(Questions, ABundleIsWrittenAfterAYes) {
  const auto bundle = spark_.host_path("/bundle.json");
  const std::vector<std::string> words{"doctor", "--bundle", bundle};
  const auto refused = on_terminal(words, "n\n");
  EXPECT_THAT(refused, ExitsWith(6));
  EXPECT_THAT(refused.out, HasSubstr("in this bundle:"));
  EXPECT_FALSE(std::filesystem::exists(bundle));
  EXPECT_THAT(on_terminal(words, "yes\n"), ExitsWith(0));
  EXPECT_EQ(nlohmann::json::parse(std::ifstream(bundle))["names"], "replaced");
}

}  // namespace
}  // namespace spark::test
