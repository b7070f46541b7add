#include "cli/text/layout.hpp"

#include <cstdio>
#include <string>

#include <gtest/gtest.h>

namespace spark::cli {
namespace {

TEST(NextLine, IsNoneWithoutACommand) {
  EXPECT_EQ(next_line("Apply it", "spark-reconcile apply"), "Apply it:  spark-reconcile apply\n");
  EXPECT_EQ(next_line("Is it ready?", "spark-reconcile gate"),
            "Is it ready?  spark-reconcile gate\n");
  EXPECT_EQ(next_line("Apply it", ""), "");
}

TEST(Typed, HasSudoBeforeWhatOnlyRootMay) {
  const Terminal root(stdout, stderr, Color::kNever, false);
  const auto person = root.with_sudo(true);
  EXPECT_EQ(typed("spark-reconcile apply -f a.yaml", root), "spark-reconcile apply -f a.yaml");
  EXPECT_EQ(typed("spark-reconcile apply -f a.yaml", person),
            "sudo spark-reconcile apply -f a.yaml");
  EXPECT_EQ(typed("spark-reconcile confirm", person.printing_into(stdout, 80)),
            "sudo spark-reconcile confirm");
  EXPECT_EQ(typed("systemctl start spark-reconcile", person),
            "sudo systemctl start spark-reconcile");
  EXPECT_EQ(typed("spark-reconcile gate", person), "spark-reconcile gate");
  EXPECT_EQ(typed("eval \"$(spark-reconcile export)\"", person),
            "eval \"$(spark-reconcile export)\"");
  EXPECT_EQ(typed("", person), "");
  for (const auto* shows :
       {"systemctl status spark-reconcile", "spark-reconcile mute", "spark-reconcile follow",
        "spark-reconcile init --pair", "spark-reconcile jobs -w"}) {
    EXPECT_EQ(typed(shows, person), shows);
  }
  EXPECT_EQ(typed("spark-reconcile init --discover", person),
            "sudo spark-reconcile init --discover");
  EXPECT_EQ(typed("spark-reconcile jobs 7", person), "sudo spark-reconcile jobs 7");
}

TEST(Typed, IsEachCommandOfAText) {
  const Terminal root(stdout, stderr, Color::kNever, false);
  const std::string text =
      "`spark-reconcile plan` shows them, `spark-reconcile apply` sets them; a ` alone";
  EXPECT_EQ(typed_in(text, root), text);
  EXPECT_EQ(typed_in(text, root.with_sudo(true)),
            "`spark-reconcile plan` shows them, `sudo spark-reconcile apply` sets them; a ` alone");
  EXPECT_EQ(fitting("`systemctl start x`\n", root.with_sudo(true)), "`sudo systemctl start x`\n");
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
