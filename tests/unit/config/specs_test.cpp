// The files that must load, tests/specs/ and examples/, each with the warnings its comment names.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "config/parse/parse.hpp"

namespace spark::config {
namespace {

namespace fs = std::filesystem;

using Ids = std::vector<std::string>;

/// Of all others: none.
const std::map<std::string, Ids> kWarnings{
    {"tests/specs/links-by-name.yaml", {"SR-SPEC-201", "SR-SPEC-202"}},
    {"tests/specs/one-rail-mesh.yaml",
     {"SR-SPEC-201", "SR-SPEC-213", "SR-SPEC-201", "SR-SPEC-201"}},
    {"examples/one-rail-mesh.yaml", {"SR-SPEC-201", "SR-SPEC-213", "SR-SPEC-201", "SR-SPEC-201"}},
    {"examples/ring-of-four.yaml", {"SR-SPEC-214"}},
};

TEST(Specs, LoadWithTheWarningsThatTheyName) {
  const fs::path root(SPARK_SOURCE_DIR);
  std::size_t files = 0;
  for (const auto* folder : {"tests/specs", "examples"}) {
    for (const auto& entry : fs::directory_iterator(root / folder)) {
      if (entry.path().extension() != ".yaml") continue;
      ++files;
      std::ifstream file(entry.path());
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      const auto name = fs::relative(entry.path(), root).string();
      const auto parsed = parse(text);
      Ids ids;
      for (const auto& diagnostic : parsed.diagnostics) ids.push_back(diagnostic.id);
      const auto expected = kWarnings.find(name);
      EXPECT_EQ(ids, expected == kWarnings.end() ? Ids{} : expected->second) << name;
      EXPECT_FALSE(has_errors(parsed.diagnostics)) << name;
    }
  }
  EXPECT_EQ(files, 14U);
}

}  // namespace
}  // namespace spark::config
