// Each NAME.yaml of invalid/ is a broken file and NAME.txt all that is said about it; those of
// warnings/ load, and NAME.txt holds their warnings; those of agent/ are broken files of
// agent.yaml. SPARK_UPDATE_GOLDEN=1 rewrites the texts.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "cli/explain/words.hpp"
#include "config/agent.hpp"
#include "config/parse/parse.hpp"
#include "golden/golden_files.hpp"

namespace spark::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem());
  }
  std::ranges::sort(names);
  return names;
}

std::string findings_text(const fs::path& file, const std::vector<config::Diagnostic>& diagnostics,
                          const std::string& source) {
  std::string text;
  for (const config::Diagnostic& diagnostic : diagnostics) {
    text += config::render(diagnostic, file.filename().string(), source);
  }
  return text;
}

std::vector<config::Diagnostic> findings_in_cluster(std::string_view text) {
  return config::parse(text).diagnostics;
}

std::vector<config::Diagnostic> findings_in_agent(std::string_view text) {
  return config::parse_agent(text).diagnostics;
}

void expect_recorded(fs::path file, bool errors,
                     std::vector<config::Diagnostic> (*findings_in)(std::string_view)) {
  file.replace_extension(".yaml");
  const auto source = read_golden(file);
  const auto findings = findings_in(source);
  EXPECT_EQ(config::has_errors(findings), errors);
  const auto text = findings_text(file, findings, source);
  file.replace_extension(".txt");
  if (std::getenv("SPARK_UPDATE_GOLDEN") != nullptr) std::ofstream(file) << text;
  EXPECT_EQ(text, read_golden(file));
}

std::string name_of_case(const testing::TestParamInfo<std::string>& info) { return info.param; }

class InvalidGolden : public testing::TestWithParam<std::string> {};

TEST_P(InvalidGolden, IsRefusedAsRecorded) {
  expect_recorded(golden_folder() / "invalid" / GetParam(), true, findings_in_cluster);
}

INSTANTIATE_TEST_SUITE_P(Cases, InvalidGolden,
                         testing::ValuesIn(names_in(golden_folder() / "invalid")), name_of_case);

class WarningGolden : public testing::TestWithParam<std::string> {};

TEST_P(WarningGolden, LoadsAsRecorded) {
  expect_recorded(golden_folder() / "warnings" / GetParam(), false, findings_in_cluster);
}

INSTANTIATE_TEST_SUITE_P(Cases, WarningGolden,
                         testing::ValuesIn(names_in(golden_folder() / "warnings")), name_of_case);

class AgentGolden : public testing::TestWithParam<std::string> {};

TEST_P(AgentGolden, IsRefusedAsRecorded) {
  expect_recorded(golden_folder() / "agent" / GetParam(), true, findings_in_agent);
}

INSTANTIATE_TEST_SUITE_P(Cases, AgentGolden, testing::ValuesIn(names_in(golden_folder() / "agent")),
                         name_of_case);

std::string all_texts() {
  std::string all;
  for (const auto* folder : {"invalid", "warnings", "agent"}) {
    for (const auto& name : names_in(golden_folder() / folder)) {
      all += read_golden(golden_folder() / folder / (name + ".txt"));
    }
  }
  return all;
}

/// A line may hold more than the key that is meant.
TEST(FindingsGolden, HaveAKeyDeletedAndNoLine) {
  EXPECT_EQ(all_texts().find("delete the line\n"), std::string::npos);
  EXPECT_EQ(all_texts().find("delete the line,"), std::string::npos);
}

TEST(FindingsGolden, ShowEveryId) {
  const auto all = all_texts();
  for (const auto& id : cli::id_words()) {
    if (!id.starts_with("SR-SPEC-")) continue;
    EXPECT_NE(all.find("[" + id + "]"), std::string::npos) << id;
  }
}

}  // namespace
}  // namespace spark::test
