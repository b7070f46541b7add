// Each folder of topology/ holds a cluster.yaml, and an older.yaml where two files are compared:
// changes.txt is what `--diff` lists.
// 80.txt is what `topology` shows on a terminal of so many columns, lines.txt what goes into a
// pipe, topology.json the body of --json; of one case also 60.txt and 120.txt, of two picture.svg.
// SPARK_UPDATE_GOLDEN=1 rewrites them.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/columns.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "fake/fake_host.hpp"
#include "golden/golden_files.hpp"
#include "unit/cli/text_file.hpp"
#include "unit/cli/verb_run.hpp"

namespace spark::test {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> names_of_topologies() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(golden_folder() / "topology")) {
    names.push_back(entry.path().filename());
  }
  std::ranges::sort(names);
  return names;
}

bool is_recorded_in_every_width(std::string_view topology) {
  return topology == "a_ring_grows" || topology == "a_switch_changes";
}

class TopologyGolden : public testing::TestWithParam<std::string> {
 protected:
  /// As seen from the root of the checkout, where the tests begin.
  [[nodiscard]] static std::string file(const std::string& name) {
    return fs::path("tests/golden/topology") / GetParam() / name;
  }
  [[nodiscard]] static bool is_compared() {
    return fs::exists(golden_folder() / "topology" / GetParam() / "older.yaml");
  }
  [[nodiscard]] static std::vector<std::string> compared_with(const std::string& older) {
    return {"topology", "-f", file("cluster.yaml"), "--diff", file(older)};
  }
  [[nodiscard]] static std::vector<std::string> words(const std::vector<std::string>& more = {}) {
    std::vector<std::string> all{"topology", "-f", file("cluster.yaml")};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  static std::string drawn(const std::vector<std::string>& typed,
                           std::optional<std::size_t> width = std::nullopt,
                           cli::Color color = cli::Color::kNever,
                           const std::string& host_name = "spark1") {
    FakeHost machine;
    machine.system().set_identity({.hostname = host_name, .machine_id = {}, .kernel = {}});
    auto ports = machine.host();
    const cli::TextFile out;
    const cli::TextFile err;
    const cli::Terminal terminal(out.stream(), err.stream(), color, false, width);
    const cli::Log log(stderr, {});
    const auto arguments = cli::typed_as(typed);
    EXPECT_EQ(arguments.verb->run({arguments, terminal, log, ports}), ExitCode::kDone);
    EXPECT_TRUE(terminal.finish());
    EXPECT_TRUE(machine.written().empty());
    return out.text();
  }

  static void expect_as_recorded(const std::string& text, const std::string& name) {
    const auto file = golden_folder() / "topology" / GetParam() / name;
    if (std::getenv("SPARK_UPDATE_GOLDEN") != nullptr) std::ofstream(file) << text;
    EXPECT_EQ(text, read_golden(file));
  }
};

TEST_P(TopologyGolden, FitsATerminalAsRecorded) {
  for (const std::size_t width : {60, 80, 120}) {
    const auto screen = drawn(words(), width);
    for (const auto line : lines_of(screen)) {
      // A command to copy is on a line of its own.
      const bool is_command = line.find("  spark-reconcile ") != std::string_view::npos;
      EXPECT_TRUE(columns(line) <= width || is_command) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
    if (width == 80 || is_recorded_in_every_width(GetParam())) {
      expect_as_recorded(screen, std::to_string(width) + ".txt");
    }
  }
}

TEST_P(TopologyGolden, SaysTheSameInColour) {
  const auto coloured = drawn(words(), 80, cli::Color::kAlways);
  EXPECT_NE(coloured.find('\x1b'), std::string::npos);
  EXPECT_EQ(std::regex_replace(coloured, std::regex("\x1b\\[[0-9;]*m"), ""), drawn(words(), 80));
}

/// There `status` fails, since the machine is no node of the file.
TEST_P(TopologyGolden, OffersNoStatusOnAnotherMachine) {
  const auto here = drawn(words(), 80);
  const auto next = here.find("\nWhat is there:  spark-reconcile status");
  // One file has no spark1, so it is another machine there already.
  EXPECT_EQ(next == std::string::npos, GetParam() == "a_chain_with_a_host");
  EXPECT_EQ(drawn(words(), 80, cli::Color::kNever, "laptop"), here.substr(0, next));
}

TEST_P(TopologyGolden, IsInAPipeAsRecorded) { expect_as_recorded(drawn(words()), "lines.txt"); }

TEST_P(TopologyGolden, IsAPictureAsRecorded) {
  const auto picture = drawn(words({"--format", "svg"}), 80);
  EXPECT_TRUE(picture.starts_with("<svg ")) << picture;
  if (is_recorded_in_every_width(GetParam()) || GetParam() == "pair_of_two_cables") {
    expect_as_recorded(picture, "picture.svg");
  }
}

TEST_P(TopologyGolden, IsJsonAsRecorded) {
  auto typed = is_compared() ? compared_with("older.yaml") : words();
  typed.emplace_back("--json");
  const auto whole = nlohmann::json::parse(drawn(typed));
  nlohmann::json body{{"topology", whole.at("topology")}};
  if (is_compared()) body["changes"] = whole.at("changes");
  expect_as_recorded(body.dump(2) + "\n", "topology.json");
}

TEST_P(TopologyGolden, ListsWhatDiffersAsRecorded) {
  if (is_compared()) expect_as_recorded(drawn(compared_with("older.yaml")), "changes.txt");
  EXPECT_TRUE(
      drawn(compared_with("cluster.yaml")).starts_with("nothing that topology shows differs"));
}

INSTANTIATE_TEST_SUITE_P(Cases, TopologyGolden, testing::ValuesIn(names_of_topologies()),
                         [](const auto& param) { return param.param; });

}  // namespace
}  // namespace spark::test
