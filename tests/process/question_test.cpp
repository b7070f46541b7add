// Before it disturbs what runs, the program asks who sits at a terminal, and nobody else.

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "process/spark.hpp"

namespace spark::test {
namespace {

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
    auto command = spark_.command(words);
    std::string line = "exec";
    for (const auto& word : command.argv) line += " '" + word + "'";
    command.argv = {"script", "--quiet", "--return", "--command", line, "/dev/null"};
    command.input = typed;
    return run(command);
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
