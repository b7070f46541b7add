#include "cli/input/arguments.hpp"

#include <gtest/gtest.h>

namespace spark::cli {
namespace {

TEST(CommandLineFor, NamesTheSameNodeOfTheSameFile) {
  Arguments arguments{.file = "ring.yaml", .node = "spark1"};
  EXPECT_EQ(command_line_for("apply", arguments), "spark-reconcile apply -f ring.yaml -n spark1");
  arguments = {.file = "-", .root = "/image"};
  EXPECT_EQ(command_line_for("plan", arguments),
            "spark-reconcile plan -f - --root /image (with the same file on its standard input)");
}

TEST(CommandLineFor, QuotesWhatAShellWouldTakeApart) {
  EXPECT_EQ(command_line_for("apply", {.file = "my files/it's.yaml"}),
            "spark-reconcile apply -f 'my files/it'\\''s.yaml'");
  EXPECT_EQ(command_line_for("apply", {.file = "$(id).yaml"}),
            "spark-reconcile apply -f '$(id).yaml'");
}

TEST(CommandLineFor, NamesASavedPlanAndItsRoot) {
  EXPECT_EQ(command_line_for("apply", {.root = "/image", .plan_file = "o.plan"}),
            "spark-reconcile apply o.plan --root /image");
}

}  // namespace
}  // namespace spark::cli
