#include "cli/text/layout.hpp"

#include <cstdio>
#include <string>

#include <gtest/gtest.h>

namespace spark::cli {
namespace {

TEST(Listed, JoinsAsPeopleDo) {
  EXPECT_EQ(listed({}), "");
  EXPECT_EQ(listed({"a"}), "a");
  EXPECT_EQ(listed({"a", "b"}), "a and b");
  EXPECT_EQ(listed({"a", "b", "c"}), "a, b and c");
}

TEST(NextLine, IsNoneWithoutACommand) {
  EXPECT_EQ(next_line("Apply it", "spark-reconcile apply"), "Apply it:  spark-reconcile apply\n");
  EXPECT_EQ(next_line("Is it ready?", "spark-reconcile gate"),
            "Is it ready?  spark-reconcile gate\n");
  EXPECT_EQ(next_line("Apply it", ""), "");
}

TEST(Fitting, BreaksOnlyForATerminal) {
  const std::string text = "daemon: one two three four five six seven\n  eight nine ten eleven\n";
  const Terminal file(stdout, stderr, Color::kNever, false);
  EXPECT_EQ(fitting(text, file), text);
  const Terminal screen(stdout, stderr, Color::kNever, false, 24);
  EXPECT_EQ(fitting(text, screen),
            "daemon: one two three\n"
            "four five six seven\n"
            "  eight nine ten eleven\n");
}

}  // namespace
}  // namespace spark::cli
