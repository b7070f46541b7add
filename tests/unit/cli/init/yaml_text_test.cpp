#include "cli/init/yaml_text.hpp"

#include <gmock/gmock.h>

#include "base/text.hpp"

namespace spark::cli {
namespace {

TEST(YamlText, PutsTheCommentsOfNeighbouringLinesIntoOneColumn) {
  YamlText yaml;
  yaml.line("a: 1", "one");
  yaml.indent();
  yaml.line("b: 2", "two");
  yaml.outdent();
  yaml.line("c: 3");
  yaml.line("d: 4", "alone");
  EXPECT_EQ(yaml.text(), "a: 1     # one\n  b: 2   # two\nc: 3\nd: 4   # alone\n");
}

TEST(YamlText, WrapsCommentsAndPutsLongOnesAboveTheirLine) {
  YamlText yaml;
  yaml.indent();
  const std::string words(30, 'x');
  yaml.line("a: 1", words + " " + words + " " + words + " " + words);
  EXPECT_EQ(yaml.text(),
            "  # " + words + " " + words + "\n  # " + words + " " + words + "\n  a: 1\n");
}

TEST(YamlText, LetsNothingEndAComment) {
  YamlText yaml;
  yaml.comment("a\nversion: 2");
  yaml.command("b\rversion: 3");
  yaml.line("version: 1", "c\nversion: 4");
  const auto text = yaml.text();
  EXPECT_EQ(lines_of(text).size(), 3U) << yaml.text();
}

TEST(YamlText, CountsItsLines) {
  YamlText yaml;
  EXPECT_EQ(yaml.next_line(), 1);
  yaml.line("a: 1");
  yaml.blank();
  EXPECT_EQ(yaml.next_line(), 3);
}

TEST(YamlWord, QuotesWhatReadersTakeForSomethingElse) {
  EXPECT_EQ(yaml_word("spark1"), "spark1");
  EXPECT_EQ(yaml_word("no"), "\"no\"");
  EXPECT_EQ(yaml_word("1e3"), "\"1e3\"");
  EXPECT_EQ(yaml_word("12"), "\"12\"");
}

}  // namespace
}  // namespace spark::cli
