#include "config/yaml/other_text.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/parse/parse.hpp"

namespace spark::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kWhole =
    "version: 1\ncluster: lab\nnodes:\n  spark1: { number: 1 }\n  spark2: { number: 2 }\n";

std::vector<std::string> messages_of(std::string_view text) {
  std::vector<std::string> messages;
  for (const auto& diagnostic : parse(text).diagnostics) messages.push_back(diagnostic.message);
  return messages;
}

/// The good file with one text replaced.
std::string with(std::string_view text, std::string_view by) {
  std::string whole(kWhole);
  return whole.replace(whole.find(text), text.size(), by);
}

TEST(OtherText, IsNamedOnceInPlaceOfAllErrors) {
  for (const auto& [text, message] : std::vector<std::pair<std::string, std::string>>{
           {std::string("\x7f") + "ELF\x02\x01", "binary file"},
           {std::string(20, '\0'), "binary file"},
           {std::string("\xff\xfev\0e\0", 6), "UTF-16"},
           {"<html>\n</html>\n", "web page"},
           {"<?xml version=\"1.0\"?>\n", "web page"},
           {with("cluster", "<<<<<<< HEAD\ncluster"), "merge conflict"},
           {with("version", "```yaml\nversion"), "Markdown"},
           {with("lab", "{{ cluster }}"), "template"},
           {with("lab", "\"{{ cluster }}\""), "template"},
           {with("nodes:\n", "nodes:\n{% for n in nodes %}\n"), "template"},
           {"# a comment\nversion = 1\n", "TOML"},
           {"[cluster]\nname = lab\n", "TOML"},
           {"network: { version: 2 }\n", "netplan"},
           {"services: {}\n", "Docker Compose"},
           {"apiVersion: v1\nkind: List\n", "Kubernetes"},
           {"fabric: {}\nmtu: 9000\n", "no cluster file"},
       }) {
    EXPECT_THAT(messages_of(text), ElementsAre(HasSubstr(message))) << text;
  }
}

TEST(OtherText, IsNotSeenInAFileThatLoads) {
  EXPECT_THAT(messages_of(std::string(kWhole) + "# {{ x }} ${X} “x” <<<<<<<\n"), IsEmpty());
}

TEST(OtherText, LeavesErrorsOfOtherLinesAlone) {
  EXPECT_THAT(messages_of(with("lab", "$CLUSTER") + "mtuu: 1\n"),
              ElementsAre("this is a variable of a shell", HasSubstr("mtuu")));
  EXPECT_THAT(messages_of(with("lab", "“lab”") + "mtuu: 1\n"),
              ElementsAre(HasSubstr("typographic quote"), HasSubstr("mtuu")));
}

TEST(OtherText, IsNamedWhereTheErrorIsAndNotBesideIt) {
  EXPECT_THAT(messages_of(std::string(kWhole) + "mtuu: [1, “x”] # –\n"),
              ElementsAre(HasSubstr("mtuu")));
}

TEST(OtherText, NamesTheOtherVariablesWhereTheParserStopped) {
  const auto found = parse("version: 1\ncluster: $CLUSTER\nnodes: { a: ${X} }\n").diagnostics;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().where, (Where{3, 13}));
  ASSERT_EQ(found.front().related.size(), 1U);
  EXPECT_EQ(found.front().related.front().where, (Where{2, 10}));
}

}  // namespace
}  // namespace spark::config
