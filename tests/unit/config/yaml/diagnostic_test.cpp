#include "config/yaml/diagnostic.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace spark::config
