#include "cli/workflow_commands.hpp"

#include <gtest/gtest.h>

namespace spark::cli {
namespace {

using Level = Annotation::Level;

TEST(WorkflowCommand, NamesThePlaceAndTheTitle) {
  EXPECT_EQ(workflow_command({.level = Level::kError,
                              .file = "cluster.yaml",
                              .where = {12, 5},
                              .title = "SR-SPEC-004",
                              .message = "unknown key"}),
            "::error file=cluster.yaml,line=12,col=5,title=SR-SPEC-004::unknown key\n");
}

TEST(WorkflowCommand, HasNoPlaceWithoutAFile) {
  EXPECT_EQ(
      workflow_command(
          {.level = Level::kNotice, .file = {}, .where = {3, 1}, .title = "t", .message = "m"}),
      "::notice title=t::m\n");
  EXPECT_EQ(workflow_command(
                {.level = Level::kWarning, .file = {}, .where = {}, .title = {}, .message = "m"}),
            "::warning::m\n");
}

TEST(WorkflowCommand, EscapesWhatWouldEndIt) {
  EXPECT_EQ(workflow_command({.level = Level::kError,
                              .file = "a,b:c%.yaml",
                              .where = {},
                              .title = "one: two, three",
                              .message = "50%, at\r\na: b"}),
            "::error file=a%2Cb%3Ac%25.yaml,title=one%3A two%2C three::50%25, at%0D%0Aa: b\n");
}

TEST(CommandsOfFindings, AreErrorsAndWarningsAtTheirLines) {
  const auto file = parse_cluster_text("cluster.yaml", "version: 1\nclustre: lab\n");
  const auto commands = commands_of_findings(file, false);
  EXPECT_TRUE(commands.starts_with("::error file=cluster.yaml,line=")) << commands;
  EXPECT_NE(commands.find("title=SR-SPEC-004::unknown key 'clustre'"), std::string::npos)
      << commands;
}

TEST(CommandsOfFindings, HaveTheLinesOfAReason) {
  const auto commands = commands_of_findings(
      parse_cluster_text("cluster.yaml", "version: 1\ncluster: lab\nnodes: { a: { psk: x } }\n"),
      false);
  EXPECT_TRUE(commands.contains("on the node,%0Aand write its path: ")) << commands;
}

TEST(CommandsOfFindings, OfStdinHaveNoFile) {
  const auto commands =
      commands_of_findings(parse_cluster_text("<stdin>", "version: 1\nclustre: lab\n"), false);
  EXPECT_TRUE(commands.starts_with("::error title=")) << commands;
}

}  // namespace
}  // namespace spark::cli
