#include "config/yaml/document.hpp"

#include <chrono>
#include <ctime>

#include <gtest/gtest.h>

#include "config/yaml/diagnostic_list.hpp"

namespace spark::config {
namespace {

struct Read {
  std::optional<Value> root;
  std::vector<Diagnostic> diagnostics;
};

Read read(std::string_view text) {
  Findings findings;
  auto root = read_document(text, findings);
  auto diagnostics = std::move(findings).take(root ? &*root : nullptr);
  return {std::move(root), std::move(diagnostics)};
}

/// The ids of all findings, with a blank between them.
std::string ids_of(const Read& read) {
  std::string ids;
  for (const auto& diagnostic : read.diagnostics) {
    ids += (ids.empty() ? "" : " ") + diagnostic.id;
  }
  return ids;
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  while (times-- > 0) all += text;
  return all;
}

TEST(Document, KeepsOrderPlacesAndQuotes) {
  const auto [root, diagnostics] = read("b: [1, 'x']\na: {c: \"y\"}\n");
  ASSERT_TRUE(root);
  EXPECT_TRUE(diagnostics.empty());
  ASSERT_EQ(root->children.size(), 2U);
  const Value& list = root->children[0];
  EXPECT_EQ(list.key, "b");
  EXPECT_EQ(list.key_where, (Where{1, 1}));
  EXPECT_EQ(list.where, (Where{1, 4}));
  EXPECT_TRUE(list.children[0].plain);
  EXPECT_FALSE(list.children[1].plain);
  EXPECT_EQ(list.children[1].text, "x");
  EXPECT_EQ(root->children[1].children[0].where, (Where{2, 8}));
}

TEST(Document, TakesTheLineEndsOfWindows) {
  const auto [root, diagnostics] = read("a: 1\r\nb: 2\r\n");
  ASSERT_TRUE(root);
  EXPECT_TRUE(diagnostics.empty());
  EXPECT_EQ(root->children[1].key_where, (Where{2, 1}));
  EXPECT_EQ(root->children[1].text, "2");
}

TEST(Document, GivesAnAbsentValueThePlaceOfItsKeyOrMark) {
  const auto [root, diagnostics] = read("a:\nb:\n  - 1\n  -\n# comment\nc: 1\n");
  ASSERT_TRUE(root);
  EXPECT_EQ(root->children[0].where, (Where{1, 1}));
  EXPECT_EQ(root->children[1].children[1].where, (Where{4, 3}));
}

TEST(Document, ReportsAnchorsTagsAndAliasesTogether) {
  EXPECT_EQ(ids_of(read("a: &x 1\nb: *x\nc: !t 1\nd: ! \"1\"\n")),
            "SR-SPEC-006 SR-SPEC-006 SR-SPEC-007 SR-SPEC-007");
}

TEST(Document, TakesAQuotedExclamationMarkForText) {
  EXPECT_EQ(ids_of(read("a: '!x'\nb: \"&y\"\n")), "");
}

TEST(Document, RefusesAnAliasOfNothingAndACycle) {
  EXPECT_EQ(ids_of(read("a: *nothing\n")), "SR-SPEC-006");
  EXPECT_EQ(ids_of(read("a: &a [*a]\n")), "SR-SPEC-006 SR-SPEC-006");
}

TEST(Document, EndsOnTheCommaThatYamlCppReadsForever) {
  EXPECT_EQ(ids_of(read(",")), "SR-SPEC-001");
}

TEST(Document, RefusesAQuoteThatOnlyTheEndOfTheFileCloses) {
  EXPECT_EQ(ids_of(read("a: \"x\nb: 1\n")), "SR-SPEC-001");
  EXPECT_EQ(ids_of(read("a: 'it''s\n")), "SR-SPEC-001");
  EXPECT_EQ(ids_of(read("a: 'it''s'\nb: \"x\\\"y\"\n")), "");
}

TEST(Document, SaysThatTheFileEndsBeforeItsBracketIsClosed) {
  const auto says = [](const char* text) {
    const auto found = read(text).diagnostics;
    return !found.empty() && found.front().reason.contains("the file ends before its");
  };
  for (const auto* text : {"{\"a\": 1", "{\"a\": {\"b\": [1, 2]}", "a: { b: 1\n", "a: [1, 2\n",
                           "{\"a}\": 1", "{'a': 'it''s}'", "{a: b # }\n"}) {
    EXPECT_TRUE(says(text)) << text;
  }
  for (const auto* text : {"a: { b: 1 ]", "{a: it's}: 1", "{\"a\": 1}", "{a}: 1", "a: [1}\n"}) {
    EXPECT_FALSE(says(text)) << text;
  }
}

TEST(Document, PlacesATabWhereItStands) {
  const auto found = read("a:\n  b:\n  \tc: 1\n").diagnostics;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.front().where, (Where{3, 3}));
}

TEST(Document, ReadsTheFirstOfTwoDocuments) {
  const auto both = read("a: 1\n---\nb: 2\n");
  EXPECT_EQ(ids_of(both), "SR-SPEC-009");
  ASSERT_TRUE(both.root);
  EXPECT_EQ(both.root->children[0].key, "a");
}

TEST(Document, AllowsTheMarksOfOneDocument) { EXPECT_EQ(ids_of(read("---\na: 1\n...\n")), ""); }

TEST(Document, HoldsItsLimits) {
  EXPECT_EQ(ids_of(read("#" + std::string(256 * 1024 - 6, ' ') + "\na: 1")), "");
  EXPECT_EQ(ids_of(read("#" + std::string(256 * 1024 - 5, ' ') + "\na: 1")), "SR-SPEC-002");
  EXPECT_EQ(ids_of(read(repeated("[", 16) + repeated("]", 16))), "");
  EXPECT_EQ(ids_of(read(repeated("[", 17) + repeated("]", 17))), "SR-SPEC-002");
  EXPECT_EQ(ids_of(read("[" + repeated("1,", 49'999) + "]")), "");
  EXPECT_EQ(ids_of(read("[" + repeated("1,", 50'000) + "]")), "SR-SPEC-002");
  EXPECT_EQ(ids_of(read("a: " + std::string(4096, 'x'))), "");
  EXPECT_EQ(ids_of(read("a: " + std::string(4097, 'x'))), "SR-SPEC-002");
}

TEST(Document, EndsSoonOnHostileText) {
  constexpr std::size_t kSize = 256 * 1024;
  for (const std::string_view part :
       {"[",     "{",     "? ",      "- ",  ": ",  "-\n",  "? [",    "[{",
        "[a, ",  "{a: [", "&a ",     "!a ", "*a ", "# \n", "a: 1\n", "- &a x\n",
        "---\n", "...\n", "\"\\x41", "' ",  "\n",  "%A\n", ",",      "- - a\n"}) {
    const auto start = std::chrono::steady_clock::now();
    read(repeated(part, kSize / part.size()));
    // Quadratic work would take minutes; the sanitizers' builds need some of these seconds.
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20)) << part;
  }
}

double cpu_seconds_to_read(const std::string& text) {
  const auto start = std::clock();
  read(text);
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

TEST(Document, TakesNoLongerForAbsentItemsThanForOthers) {
  constexpr std::size_t kItems = 49'000;
  const auto absent = cpu_seconds_to_read("[" + repeated(",", kItems) + "]");
  const auto there = cpu_seconds_to_read("[" + repeated("1,", kItems) + "]");
  EXPECT_LT(absent, 4 * there) << "it took 20 times as long";
}

TEST(Document, PlacesAbsentItemsOfOneLine) {
  const auto [root, diagnostics] = read("a: [1,  , ü, ,\n ]\n");
  ASSERT_TRUE(root);
  ASSERT_EQ(root->children[0].children.size(), 4U);
  EXPECT_EQ(root->children[0].children[1].where, (Where{1, 6}));
  EXPECT_EQ(root->children[0].children[3].where, (Where{1, 13}));
}

TEST(PathOf, NamesKeysItemsAndDottedKeys) {
  const auto [root, diagnostics] =
      read("fabric:\n  cables:\n    - { mtu: 1 }\nhost: { sysctl: { net.core.x: 1 } }\n");
  ASSERT_TRUE(root);
  EXPECT_EQ(path_of(*root, {3, 14}, false), "fabric.cables[0].mtu");
  EXPECT_EQ(path_of(*root, {3, 7}, true), "fabric.cables[0]");
  EXPECT_EQ(path_of(*root, {4, 19}, false), "host.sysctl['net.core.x']");
  EXPECT_EQ(path_of(*root, {1, 1}, true), "");
}

}  // namespace
}  // namespace spark::config
