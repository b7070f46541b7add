// Each folder of compare/ holds an old.yaml and a new.yaml; text.txt is what `validate --against`
// prints about them, screen.txt the same on a terminal of 80 columns, github.txt as workflow
// commands. SPARK_UPDATE_GOLDEN=1 rewrites them.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cli/command.hpp"
#include "fake/fake_host.hpp"
#include "golden/golden_files.hpp"
#include "unit/cli/text_file.hpp"
#include "unit/cli/verb_run.hpp"

namespace spark::test {
namespace {

std::vector<std::string> names_of_comparisons() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(golden_folder() / "compare")) {
    names.push_back(entry.path().filename());
  }
  std::ranges::sort(names);
  return names;
}

class CompareGolden : public testing::TestWithParam<std::string> {
 protected:
  std::string validated(cli::ReportFormat format, const std::string& from = "old.yaml",
                        const std::string& to = "new.yaml",
                        std::optional<std::size_t> width = std::nullopt) const {
    FakeHost machine;
    auto ports = machine.host();
    // As seen from the root of the checkout, where the tests begin: lines break the same
    // everywhere.
    const auto folder = std::filesystem::path("tests/golden/compare") / GetParam();
    const cli::TextFile out;
    const cli::TextFile err;
    const cli::Terminal terminal(out.stream(), err.stream(), cli::Color::kNever, false, width);
    const cli::Log log(stderr, {});
    auto arguments = cli::typed_as({"validate", "-f", folder / to, "--against", folder / from});
    arguments.report_format = format;
    EXPECT_EQ(arguments.verb->run({arguments, terminal, log, ports}), ExitCode::kDone);
    EXPECT_TRUE(terminal.finish());
    auto text = out.text();
    const auto place = folder.string() + "/";
    for (auto at = text.find(place); at != std::string::npos; at = text.find(place)) {
      text.erase(at, place.size());
    }
    return text;
  }

  static void expect_as_recorded(const std::string& text, const std::string& name) {
    const auto file = golden_folder() / "compare" / GetParam() / name;
    if (std::getenv("SPARK_UPDATE_GOLDEN") != nullptr) std::ofstream(file) << text;
    EXPECT_EQ(text, read_golden(file));
  }
};

TEST_P(CompareGolden, ReadsAsRecorded) {
  expect_as_recorded(validated(cli::ReportFormat::kText), "text.txt");
}

TEST_P(CompareGolden, IsOnATerminalAsRecorded) {
  expect_as_recorded(validated(cli::ReportFormat::kText, "old.yaml", "new.yaml", 80), "screen.txt");
}

TEST_P(CompareGolden, IsAnnotatedAsRecorded) {
  expect_as_recorded(validated(cli::ReportFormat::kGithub), "github.txt");
}

TEST_P(CompareGolden, OfEqualFilesIsEmpty) {
  for (const std::string file : {"old.yaml", "new.yaml"}) {
    const auto text = validated(cli::ReportFormat::kText, file, file);
    EXPECT_EQ(text.find("unknown"), std::string::npos) << text;
    EXPECT_EQ(text.find("to change"), std::string::npos) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, CompareGolden, testing::ValuesIn(names_of_comparisons()),
                         [](const auto& param) { return param.param; });

}  // namespace
}  // namespace spark::test
