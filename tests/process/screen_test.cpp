// What a terminal shows: in lines of its width, by cage and rail, and what is going on meanwhile. A
// pipe has one line for each thing.

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/columns.hpp"
#include "cli/input/verb.hpp"
#include "process/spark.hpp"
#include "protocol/paths.hpp"

namespace spark::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class OnATerminal : public ::testing::Test {
 protected:
  OnATerminal() {
    for (const auto* link : {"enp1s0f0np0", "enP2p1s0f0np0"}) {
      spark_.add_link(link);
      spark_.ip(std::string("link set ") + link + " up");
    }
    file_with_mtu("9000");
  }

  void file_with_mtu(const std::string& mtu) {
    spark_.file(R"(version: 1
cluster: pair
nodes: { spark1: { number: 11 }, spark2: { number: 12 } }
fabric:
  mtu: )" + mtu +
                R"(
  cables:
    - { ends: [spark1:0, spark2:0], subnets: [192.0.2.0/24, 198.51.100.0/24] }
)");
  }

  /// On a terminal of so many columns, as script(1) starts it.
  Outcome shown(const std::vector<std::string>& words, int columns) const {
    auto command = spark_.command(words);
    auto line = "stty cols " + std::to_string(columns) + "; exec";
    for (const auto& word : command.argv) line += " '" + word + "'";
    command.argv = {"script", "--quiet", "--return", "--command", line, "/dev/null"};
    command.environment.emplace_back("COLUMNS=");
    auto outcome = run(command);
    std::erase(outcome.out, '\n');
    std::ranges::replace(outcome.out, '\r', '\n');
    return outcome;
  }

  static std::vector<std::string> lines_in(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }

  /// The last line with something in it.
  static std::string last_line_in(const std::string& text) {
    auto lines = lines_in(text);
    std::erase_if(lines, [](const std::string& line) {
      return line.find_first_not_of(' ') == std::string::npos;
    });
    return lines.empty() ? "" : lines.back();
  }

  Spark spark_;
};

TEST_F(OnATerminal, APlanFitsAndGroupsTheRails) {
  for (const int width : {60, 80, 120}) {
    const auto plan = shown({"plan"}, width);
    EXPECT_THAT(plan, ExitsWith(0));
    EXPECT_THAT(plan.out, HasSubstr("cage 0 ══ spark2 cage 0"));
    EXPECT_THAT(plan.out, HasSubstr("the same, with 198.51.100.11/24"));
    EXPECT_THAT(plan.out, Not(HasSubstr("RDMA on it"))) << "these links have no RDMA device";
    for (const auto& line : lines_in(plan.out)) {
      EXPECT_TRUE(columns(line) <= static_cast<std::size_t>(width) || line.starts_with("Apply it:"))
          << line;
    }
    EXPECT_THAT(lines_in(plan.out).back(), HasSubstr("Apply it:  spark-reconcile apply"));
  }
}

TEST_F(OnATerminal, ARollbackEndsWithTheNextCommand) {
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(4)) << "virtual links have no RDMA";
  file_with_mtu("1500");
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(4));
  const auto rollback = shown({"rollback", "--yes"}, 80);
  EXPECT_THAT(rollback.out, HasSubstr("is as it was before"));
  EXPECT_THAT(lines_in(rollback.out).back(), StartsWith("What is left:  spark-reconcile plan"));
}

TEST_F(OnATerminal, WhatEachVerbSaysFits) {
  EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(4)) << "virtual links have no RDMA";
  const std::vector<std::vector<std::string>> lines{
      {"init", "--pair"},
      {"init", "--from-host"},
      {"validate"},
      {"status"},
      {"gate"},
      {"doctor"},
      {"history"},
      {"history", "diff"},
      {"events"},
      {"export"},
      {"jobs"},
      {"rollback"},
      {"wait", "--timeout", "100ms"},
      {"facts", "--share", "--yes", "-o", spark_.host_path("/report.json")},
      {"release", "--yes"}};
  for (const auto& words : lines) {
    const auto outcome = shown(words, 80);
    for (const auto& line : lines_in(outcome.out)) {
      // A command is copied in one piece, and here it has a folder behind it.
      EXPECT_TRUE(columns(line) <= 80 || line.contains(" --root ")) << line;
    }
  }
}

TEST_F(OnATerminal, APipeHasALineForEachStep) {
  const auto plan = spark_.reconcile({"plan"});
  EXPECT_THAT(plan.out, HasSubstr("~ mtu"));
  EXPECT_THAT(plan.out, HasSubstr("+ address"));
  EXPECT_THAT(plan.out, Not(HasSubstr("the same, with")));
  EXPECT_THAT(shown({"plan", "-v"}, 80).out, HasSubstr("enP2p1s0f0np0 198.51.100.11"))
      << "and -v shows them too";
}

TEST_F(OnATerminal, AnApplyShowsTheStepThatIsMade) {
  const auto apply = shown({"apply", "--yes"}, 80);
  EXPECT_THAT(apply.out, HasSubstr("1 of "));
  EXPECT_THAT(apply.out, Not(HasSubstr("✓")));
  const auto piped = spark_.reconcile({"apply"});
  EXPECT_THAT(piped.out, Not(HasSubstr("1 of ")));
}

TEST_F(OnATerminal, AGateShowsWhatIsChecked) {
  ASSERT_THAT(spark_.reconcile({"apply"}), ExitsWith(4)) << "virtual links have no RDMA";
  const auto gate = shown({"gate"}, 80);
  const auto first = gate.out.find("  checking enp1s0f0np0: ");
  const auto second = gate.out.find("  checking enP2p1s0f0np0: ");
  ASSERT_NE(first, std::string::npos) << gate.out;
  ASSERT_NE(second, std::string::npos) << gate.out;
  EXPECT_LT(first, second) << "rail by rail";
  EXPECT_LT(second, gate.out.find("spark1: ")) << "before the verdict";
  EXPECT_THAT(gate.out, HasSubstr("still asking: who is at the other end of enp1s0f0np0, "));
  const auto piped = spark_.reconcile({"gate"});
  EXPECT_THAT(piped.out + piped.err, AllOf(Not(HasSubstr("checking")), Not(HasSubstr("asking"))));
}

/// What is typed, in the order of this table, and what the last line has.
struct NextOfVerb {
  std::vector<std::string> words;
  std::string next;
  std::function<void()> before = [] {};
};

TEST_F(OnATerminal, EachVerbEndsWithTheNextCommand) {
  const std::map<std::string_view, std::string> others{
      {"join", "needs another machine on a cable: Discover"},
      {"confirm", "needs systemd, without which nothing waits: ConfirmTest"},
      {"bench", "needs RDMA, which virtual links do not have"},
      {"explain", "is itself what other verbs name as the next command"},
      {"daemon", "stays"},
      {"follow", "needs a repository"},
      {"sync", "needs a repository"},
      {"rollout", "is the program of an engine"},
      {"export", "prints what jobs read, and here has nothing to print"},
      {"facts", "prints what programs read"},
      {"version", "says one word"}};
  std::unique_ptr<Running> daemon;
  const std::vector<NextOfVerb> rows{
      {{"init", "--pair"}, "spark-reconcile plan "},
      {{"validate"}, "What would change here:  spark-reconcile plan"},
      {{"plan"}, "Apply it:  spark-reconcile apply"},
      {{"apply", "--yes"}, "What is left:  spark-reconcile plan"},
      {{"status"}, ":  spark-reconcile "},
      {{"gate"}, ":  spark-reconcile "},
      {{"doctor"}, "Then again:  spark-reconcile doctor"},
      {{"topology"}, "What is there:  spark-reconcile status"},
      {{"history"}, "What the last one changed:  spark-reconcile history diff"},
      {{"jobs"}, "Follow it:  spark-reconcile jobs -w"},
      {{"events"}, "Follow them:  spark-reconcile events -f"},
      {{"rollback", "--yes"},
       "What is left:  spark-reconcile plan",
       [&] {
         file_with_mtu("1500");
         ASSERT_THAT(spark_.reconcile({"apply"}), ExitsWith(4));
       }},
      {{"pause", "--for", "1h"}, "End it:  spark-reconcile resume"},
      {{"resume"}, "How it stands:  spark-reconcile status"},
      {{"wait", "--timeout", "10ms"}, "What prevents it:  spark-reconcile doctor"},
      {{"release", "--yes"}, "Set it up again:  spark-reconcile apply"},
      {{"mute", "SparkDrift", "--for", "1h", "--why", "cabling"},
       "End it:  spark-reconcile mute --end",
       [&] {
         daemon = std::make_unique<Running>(spark_.command({"daemon"}));
         ASSERT_TRUE(wait_until([&] { return !spark_.read(protocol::kStatusFile).empty(); },
                                std::chrono::seconds(30)));
       }}};
  for (const auto* verb : cli::verbs()) {
    const bool is_told = std::ranges::any_of(
        rows, [&](const NextOfVerb& row) { return row.words.front() == verb->name; });
    EXPECT_NE(is_told, others.contains(verb->name)) << verb->name << ": one of the two";
  }
  for (const auto& row : rows) {
    row.before();
    const auto outcome = shown(row.words, 80);
    EXPECT_THAT(last_line_in(outcome.out), HasSubstr(row.next)) << row.words.front() << outcome;
  }
}

TEST_F(OnATerminal, WaitSaysWhatItWaitsFor) {
  const auto wait = shown({"wait", "--timeout", "100ms"}, 60);
  EXPECT_THAT(wait, ExitsWith(3));
  EXPECT_THAT(wait.out, HasSubstr("waiting: for a daemon"));
  EXPECT_THAT(spark_.reconcile({"wait", "--timeout", "100ms"}).out, Not(HasSubstr("waiting:")));
}

}  // namespace
}  // namespace spark::test
