// Each folder of plan/ holds a cluster.yaml, the world.yaml of a machine, and the plan.txt that
// must come of them. facts/ has facts that the verb `facts` printed once, and the plan that comes
// of them. SPARK_UPDATE_GOLDEN=1 rewrites the plans.

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
#include "fake/fake_pass.hpp"
#include "golden/golden_files.hpp"
#include "golden/world.hpp"
#include "state/select.hpp"

namespace spark::test {
namespace {

namespace fs = std::filesystem;

fs::path cases() { return golden_folder() / "plan"; }

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(cases())) {
    names.push_back(entry.path().filename());
  }
  return names;
}

std::string plan_of(const fs::path& cluster_file, host::View& view) {
  const auto parsed = config::parse(read_golden(cluster_file));
  EXPECT_FALSE(config::has_errors(parsed.diagnostics));
  auto selection = state::select(parsed.cluster, "", view);
  if (!selection) return selection.error().what;
  const auto plan = plan_in(view, selection->node);
  const cli::Terminal terminal(stdout, stderr, cli::Color::kNever, false);
  return cli::plan_text(plan, "cluster.yaml", terminal) + "\n" + cli::counts_text(plan) + "\n";
}

std::string plan_of_facts(const fs::path& cluster_file, const std::string& facts) {
  auto view = host::View::from_json(facts);
  return view ? plan_of(cluster_file, *view) : view.error().what;
}

void expect_recorded(const std::string& plan, const fs::path& file) {
  if (std::getenv("SPARK_UPDATE_GOLDEN") != nullptr) std::ofstream(file) << plan;
  EXPECT_EQ(plan, read_golden(file));
}

class PlanGolden : public testing::TestWithParam<std::string> {
 protected:
  PlanGolden() { build_world(host_, read_golden(folder_ / "world.yaml")); }

  std::string plan(host::View& view) { return plan_of(folder_ / "cluster.yaml", view); }

  const fs::path folder_ = cases() / GetParam();
  FakeHost host_;
  host::Host ports_ = host_.host();
};

TEST_P(PlanGolden, ReadsAsRecorded) {
  host::View view(ports_);
  expect_recorded(plan(view), folder_ / "plan.txt");
}

TEST_P(PlanGolden, IsTheSameFromTheFactsOfThatMachine) {
  host::View view(ports_);
  for (const auto& port : *view.rdma_ports()) {
    view.rdma_gids(port);  // as `facts` reads it; a plan reads one entry
  }
  const auto here = plan(view);
  EXPECT_EQ(plan_of_facts(folder_ / "cluster.yaml", view.to_json()), here);
}

TEST_P(PlanGolden, ChangesNothing) {
  host::View view(ports_);
  plan(view);
  EXPECT_EQ(host_.written(), std::vector<std::string>{});
}

INSTANTIATE_TEST_SUITE_P(Cases, PlanGolden, testing::ValuesIn(case_names()), [](const auto& param) {
  auto name = param.param;
  std::ranges::replace_if(name, [](char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

/// They are of an earlier version, and lack what that one did not look at.
TEST(FactsGolden, OfAnEarlierVersionAreRead) {
  const auto facts = golden_folder() / "facts/ring_from_the_box.json";
  const auto plan = plan_of_facts(cases() / "ring_from_the_box/cluster.yaml", read_golden(facts));
  EXPECT_TRUE(plan.contains("/run/systemd: not in these facts"));
  expect_recorded(plan, fs::path(facts).replace_extension(".txt"));
}

}  // namespace
}  // namespace spark::test
