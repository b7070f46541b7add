// The plan of a shared report is that of the machine: for each world of plan/, the same kinds of
// steps, skipped resources and refusals, in the same order.

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/share/shared_report.hpp"
#include "config/parse/parse.hpp"
#include "fake/fake_pass.hpp"
#include "golden/golden_files.hpp"
#include "golden/world.hpp"
#include "state/select.hpp"

namespace spark::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> shared_cases() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(golden_folder() / "plan")) {
    names.push_back(entry.path().filename());
  }
  return names;
}

/// How often each kind has a step, is skipped, and each refusal is made: names and addresses aside.
std::map<std::string, int> outline_of(const plan::Plan& plan) {
  std::map<std::string, int> outline;
  for (const auto& step : plan.steps) ++outline[fmt::format("step {}", step.kind)];
  for (const auto& item : plan.skipped) {
    ++outline[fmt::format("skipped {} {}", item.kind, item.skipped.id)];
  }
  for (const auto& refusal : plan.refusals) ++outline[fmt::format("refused {}", refusal.id)];
  outline["in sync"] = static_cast<int>(plan.in_sync);
  return outline;
}

std::map<std::string, int> outline_in(host::View& view, const std::string& cluster_file) {
  const auto parsed = config::parse(cluster_file);
  EXPECT_FALSE(config::has_errors(parsed.diagnostics)) << cluster_file;
  const auto selection = state::select(parsed.cluster, "", view);
  if (!selection) return {{selection.error().what, 1}};
  return outline_of(plan_in(view, selection->node));
}

class SharedPlan : public testing::TestWithParam<std::string> {};

TEST_P(SharedPlan, IsThatOfTheMachine) {
  const auto folder = golden_folder() / "plan" / GetParam();
  FakeHost machine;
  build_world(machine, read_golden(folder / "world.yaml"));
  auto ports = machine.host();
  host::View view(ports);
  for (const auto& port : *view.rdma_ports()) view.rdma_gids(port);
  const auto file = read_golden(folder / "cluster.yaml");
  const auto here = outline_in(view, file);

  auto facts = nlohmann::json::parse(view.to_json());
  facts["cluster_file"] = file;
  std::vector<std::string> names;
  for (const auto& [name, spec] : config::parse(file).cluster.nodes) names.push_back(name);
  const auto report = cli::make_shared_report(facts, names);
  ASSERT_TRUE(report) << report.error().what;
  auto elsewhere = host::View::from_json(report->text);
  ASSERT_TRUE(elsewhere) << elsewhere.error().what;
  const std::string other = nlohmann::json::parse(report->text)["cluster_file"];
  EXPECT_EQ(outline_in(*elsewhere, other), here) << other;
  EXPECT_NE(other, file);
}

INSTANTIATE_TEST_SUITE_P(Cases, SharedPlan, testing::ValuesIn(shared_cases()),
                         [](const auto& param) {
                           auto name = param.param;
                           std::ranges::replace_if(
                               name, [](char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace spark::test
