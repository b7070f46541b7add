#include "cli/init/environment_lines.hpp"

#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spark::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// "3 NAME=value", with a '!' where the line can be commented out, "-NAME" for `unset`.
std::vector<std::string> shown(std::string_view text,
                               EnvironmentSyntax syntax = EnvironmentSyntax::kShell) {
  std::vector<std::string> lines;
  for (const auto& line : environment_lines(text, syntax)) {
    lines.push_back(line.value ? fmt::format("{}{} {}={}", line.line, line.alone ? "!" : "",
                                             line.name, *line.value)
                               : fmt::format("{} -{}", line.line, line.name));
  }
  return lines;
}

TEST(EnvironmentLines, AreWhatAScriptExports) {
  EXPECT_THAT(shown("# export A=0\n"
                    "export A=1 # one\n"
                    "export B='2 b' C=\"3\\\"c\" D=4\\ d\n"
                    "E=5; export E\n"
                    "F=6\n"
                    "G=7 ls\n"
                    "declare -x H=8\n"
                    "unset A\n"),
              ElementsAre("2! A=1", "3 B=2 b", "3 C=3\"c", "3 D=4 d", "4 E=5", "7 H=8", "8 -A"));
}

TEST(EnvironmentLines, AreAllAssignmentsOfAScriptThatExportsAll) {
  EXPECT_THAT(shown("set -a\nA=1\nB=2\n"), ElementsAre("2! A=1", "3! B=2"));
  EXPECT_THAT(shown("set -o allexport\nA=1\n"), ElementsAre("2! A=1"));
  EXPECT_THAT(shown("set -e\nA=1\n"), IsEmpty());
}

TEST(EnvironmentLines, GoOnAfterABackslash) {
  EXPECT_THAT(shown("export A=1 \\\n  B=2\nexport C=3\n"), ElementsAre("1 A=1", "2 B=2", "3! C=3"));
  EXPECT_THAT(shown("export A='1\n2'\nexport B=3\n"), ElementsAre("1! A=1\n2", "3! B=3"));
}

TEST(EnvironmentLines, InAnIfAreNotCommentedOut) {
  EXPECT_THAT(shown("if test -e /x; then\n  export A=1\nelse export A=2; fi\n"),
              ElementsAre("2 A=1", "3 A=2"));
}

TEST(EnvironmentLines, KeepACommandAsItStandsThere) {
  EXPECT_THAT(shown("export A=$(a | b; echo ')')\nexport B=`c | d`\nexport C=${X:-1}\n"),
              ElementsAre("1 A=$(a | b; echo ')')", "2 B=`c | d`", "3! C=${X:-1}"));
}

TEST(EnvironmentLines, EndWithTheTextWhateverIsOpen) {
  for (const auto* text : {"export A='1", "export A=\"1\\", "export A=$(1", "export A=`1",
                           "export A=\\", "\\", "export", "=1", "export =1 1A=2"}) {
    EXPECT_LE(shown(text).size(), 1U) << text;
  }
}

TEST(EnvironmentLines, OfPamHaveOnePairOfQuotes) {
  EXPECT_THAT(shown("PATH=\"/bin:/usr/bin\"\n  export A='1' # one\n#B=2\nC =3\nD=x y\n",
                    EnvironmentSyntax::kPam),
              ElementsAre("1! PATH=/bin:/usr/bin", "2! A=1", "5! D=x y"));
}

TEST(EnvironmentLines, OfNcclAreTakenLiterally) {
  EXPECT_THAT(shown("NCCL_DEBUG=WARN\nexport A=1\n B=2\n#C=3\nD=\"4\"\n", EnvironmentSyntax::kNccl),
              ElementsAre("1! NCCL_DEBUG=WARN", "5! D=\"4\""));
}

}  // namespace
}  // namespace spark::cli
