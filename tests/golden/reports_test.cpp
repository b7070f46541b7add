// Reports that `facts --share` wrote on machines: the plan of each is as recorded beside it.
// SPARK_UPDATE_GOLDEN=1 rewrites the plans.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/text/plan_text.hpp"
#include "config/parse/parse.hpp"
#include "fake/fake_pass.hpp"
#include "golden/golden_files.hpp"
#include "state/select.hpp"

namespace spark::test {
namespace {

std::vector<std::string> report_names() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(golden_folder().parent_path() / "reports")) {
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem());
  }
  return names;
}

std::string plan_of_report(const std::string& report) {
  auto view = host::View::from_json(report);
  if (!view) return view.error().what;
  const auto json = nlohmann::json::parse(report);
  const auto parsed = config::parse(json.at("cluster_file").get<std::string>());
  EXPECT_FALSE(config::has_errors(parsed.diagnostics));
  const auto selection = state::select(parsed.cluster, json.at("node").get<std::string>(), *view);
  if (!selection) return selection.error().what;
  const auto plan = plan_in(*view, selection->node);
  const cli::Terminal terminal(stdout, stderr, cli::Color::kNever, false);
  return cli::plan_text(plan, "cluster.yaml", terminal) + "\n" + cli::counts_text(plan) + "\n";
}

class ReportGolden : public testing::TestWithParam<std::string> {};

TEST_P(ReportGolden, PlansAsRecorded) {
  const auto folder = golden_folder().parent_path() / "reports";
  const auto plan = plan_of_report(read_golden(folder / (GetParam() + ".json")));
  const auto recorded = folder / (GetParam() + ".txt");
  if (std::getenv("SPARK_UPDATE_GOLDEN") != nullptr) std::ofstream(recorded) << plan;
  EXPECT_EQ(plan, read_golden(recorded));
}

INSTANTIATE_TEST_SUITE_P(Reports, ReportGolden, testing::ValuesIn(report_names()),
                         [](const auto& param) { return param.param; });

}  // namespace
}  // namespace spark::test
