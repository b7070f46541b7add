#include "config/yaml/diagnostic.hpp"

#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "config/yaml/diagnostic_ids.hpp"

namespace spark::config {
namespace {

Diagnostic at(Where where) {
  return {.id = "SR-SPEC-004", .where = where, .message = "unknown key 'mtuu'"};
}

TEST(Render, PutsTheCaretUnderTheColumn) {
  EXPECT_EQ(render(at({2, 3}), "cluster.yaml", "a: 1\n  mtuu: 9000\n"),
            "cluster.yaml:2:3: error: unknown key 'mtuu' [SR-SPEC-004]\n"
            "    2 |   mtuu: 9000\n"
            "      |   ^\n");
}

TEST(Render, ShowsReasonAndRelatedPlaces) {
  auto diagnostic = at({2, 1});
  diagnostic.severity = Severity::kWarning;
  diagnostic.reason = "one\ntwo";
  diagnostic.related.push_back({{1, 4}, "first here"});
  EXPECT_EQ(render(diagnostic, "f", "a: 1\nb\n"),
            "f:2:1: warning: unknown key 'mtuu' [SR-SPEC-004]\n"
            "    2 | b\n"
            "      | ^\n"
            "      = one\n"
            "      = two\n"
            "f:1:4: note: first here\n"
            "    1 | a: 1\n"
            "      |    ^\n");
}

TEST(Render, CountsBytesAndShowsCharacters) {
  EXPECT_EQ(render(at({1, 11}), "f", "\"gr\u00f6\u00dfe\":\tx\n"),
            "f:1:11: error: unknown key 'mtuu' [SR-SPEC-004]\n"
            "    1 | \"gr\u00f6\u00dfe\": x\n"
            "      |         ^\n");
}

TEST(Render, CutsALongLineAroundTheCaret) {
  const auto text =
      render(at({1, 100'001}), "f", std::string(100'000, 'a') + "b" + std::string(100'000, 'c'));
  EXPECT_NE(text.find("..." + std::string(60, 'a') + "b" + std::string(39, 'c') + "..."),
            std::string::npos);
  EXPECT_NE(text.find("\n      | " + std::string(63, ' ') + "^\n"), std::string::npos);
}

TEST(Render, KeepsControlCharactersFromTheTerminal) {
  const auto text = render(at({1, 1}), "f\x1b[2J", "a\x1b[2J\u202eb\n");
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_EQ(text.find("\u202e"), std::string::npos);
}

TEST(Render, TakesPlacesOutsideTheText) {
  EXPECT_EQ(render(at({9, 9}), "f", "a\n"), "f:9:9: error: unknown key 'mtuu' [SR-SPEC-004]\n");
  EXPECT_EQ(render(at({1, 99}), "f", "a\n"),
            "f:1:99: error: unknown key 'mtuu' [SR-SPEC-004]\n"
            "    1 | a\n"
            "      |  ^\n");
}

TEST(SpecIds, AreSortedAndComplete) {
  SpecId last{};
  for (const SpecIdEntry& entry : spec_ids()) {
    EXPECT_LT(last, entry.id);
    EXPECT_FALSE(entry.title.empty() || entry.cause.empty() || entry.fix.empty());
    last = entry.id;
  }
}

TEST(SpecIds, StandInTheManual) {
  std::ifstream file(SPARK_SOURCE_DIR "/docs/reference/cluster-yaml.md");
  const std::string manual{std::istreambuf_iterator<char>(file), {}};
  for (const SpecIdEntry& entry : spec_ids()) {
    EXPECT_NE(manual.find("| " + text_of(entry.id) + " | " + std::string(entry.title) + " |"),
              std::string::npos)
        << text_of(entry.id) << " " << entry.title;
  }
}

}  // namespace
}  // namespace spark::config
