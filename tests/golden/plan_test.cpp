// Each folder of plan/ holds a cluster.yaml, the facts.json of a machine (as `facts` prints it),
// and the plan.txt that must come of them. SPARK_UPDATE_GOLDEN=1 rewrites plan.txt.

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cli/text/plan_text.hpp"
#include "config/parse/parse.hpp"
#include "plan/refusals.hpp"
#include "state/journal.hpp"
#include "state/ledger.hpp"
#include "state/select.hpp"

namespace spark::test {
namespace {

namespace fs = std::filesystem;

fs::path cases() { return fs::path(SPARK_SOURCE_DIR) / "tests/golden/plan"; }

std::string read(const fs::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(cases())) {
    names.push_back(entry.path().filename());
  }
  return names;
}

std::string plan_of(const fs::path& folder) {
  const auto parsed = config::parse(read(folder / "cluster.yaml"));
  EXPECT_FALSE(config::has_errors(parsed.diagnostics));
  auto view = host::View::from_json(read(folder / "facts.json"));
  if (!view) return view.error().what;
  auto selection = state::select(parsed.cluster, "", *view);
  if (!selection) return selection.error().what;
  const auto ledger = state::known_ledger(*view, selection->node.name);
  if (!ledger) return ledger.error().what;
  auto plan = plan::make_plan(selection->node, *view, *ledger);
  plan::add_refusals(plan, selection->node, *view, *ledger);
  const cli::Terminal terminal(stdout, stderr, cli::Color::kNever, false);
  return cli::plan_text(plan, "cluster.yaml", terminal) + "\n" + cli::counts_text(plan) + "\n";
}

class PlanGolden : public testing::TestWithParam<std::string> {};

TEST_P(PlanGolden, ReadsAsRecorded) {
  const auto folder = cases() / GetParam();
  const auto plan = plan_of(folder);
  if (std::getenv("SPARK_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(folder / "plan.txt") << plan;
  }
  EXPECT_EQ(plan, read(folder / "plan.txt"));
}

INSTANTIATE_TEST_SUITE_P(Cases, PlanGolden, testing::ValuesIn(case_names()), [](const auto& param) {
  auto name = param.param;
  std::ranges::replace_if(name, [](char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

}  // namespace
}  // namespace spark::test
