// What `status` shows of a cluster of which this node knows, on a terminal of 80 columns and in a
// pipe: cluster/CASE/80.txt and lines.txt; what `status -n` shows of another node: node.txt; and
// what `topology --live` draws: topology-80.txt and topology-lines.txt. Of three cases also as SVG
// and as JSON, and of two of them on 60 and 120 columns; the others have to fit there.
// SPARK_UPDATE_GOLDEN=1 rewrites them.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/columns.hpp"
#include "base/json_document.hpp"
#include "base/moment.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/doctor/cluster_check.hpp"
#include "cli/text/gate_text.hpp"
#include "daemon/alerts/conditions.hpp"
#include "daemon/news.hpp"
#include "golden/golden_files.hpp"
#include "golden/world.hpp"
#include "helpers/web/page_cluster.hpp"
#include "node_state/node_summary.hpp"
#include "protocol/paths.hpp"
#include "state/bench_results.hpp"
#include "state/journal.hpp"
#include "unit/cli/text_file.hpp"
#include "unit/cli/verb_run.hpp"
#include "unit/cluster/clusters.hpp"
#include "unit/node_here.hpp"

namespace spark::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

const std::map<std::string, std::function<KnownCluster()>>& known_clusters() {
  const auto with = [](KnownCluster cluster, const std::function<void(KnownCluster&)>& change) {
    change(cluster);
    return cluster;
  };
  static const std::map<std::string, std::function<KnownCluster()>> kAll{
      {"pair", known_pair},
      {"ring", known_ring},
      {"switch", [] { return known_switch(); }},
      {"ring_of_four", known_ring_of_four},
      {"ring_of_four_a_silent_node_across",
       [=] { return with(known_ring_of_four(), [](auto& ring) { ring.goes_silent("spark3"); }); }},
      {"ring_a_silent_node",
       [=] { return with(known_ring(), [](auto& ring) { ring.goes_silent("spark3"); }); }},
      {"ring_a_node_away", known_ring_without_one},
      {"ring_a_node_never_heard",
       [=] { return with(known_ring(), [](auto& ring) { ring.was_never_heard("spark3"); }); }},
      {"ring_from_git",
       [=] {
         return with(known_ring(), [](auto& ring) {
           ring.follows_a_repository("alice@lab");
           ring.has_another_file("spark3");
         });
       }},
      {"pair_from_git_not_verified",
       [=] { return with(known_pair(), [](auto& pair) { pair.follows_a_repository(""); }); }},
      {"ring_measured",
       [=] {
         return with(known_ring(),
                     [](auto& ring) { ring.known.measured = {{.peer = "spark2", .bits = 186e9}}; });
       }},
      {"ring_that_rolls", known_ring_that_rolls},
      {"ring_that_rolled_here", known_ring_that_rolled_here},
      {"ring_two_files",
       [=] { return with(known_ring(), [](auto& ring) { ring.has_another_file("spark3"); }); }},
      {"ring_mtu_1500_at_a_peer",
       [=] { return with(known_ring(), [](auto& ring) { ring.has_a_small_mtu("spark2"); }); }},
      {"ring_swapped_plugs",
       [=] { return with(known_ring(), [](auto& ring) { ring.has_swapped_plugs(); }); }},
      {"pair_plug_in_another_cage",
       [=] {
         return with(known_pair(),
                     [](auto& pair) { pair.has_its_plug_in_the_other_cage("spark2"); });
       }},
      {"switch_without_its_carrier",
       [=] { return with(known_switch(), [](auto& all) { all.loses_its_switch(); }); }},
      {"pair_another_version",
       [=] {
         return with(known_pair(), [](auto& pair) {
           pair.details_of("spark2").version = "0.1.9";
           pair.has_another_file("spark2");
         });
       }},
      {"switch_without_rdma",
       [=] { return with(known_switch(), [](auto& all) { all.has_no_rdma("spark5"); }); }},
      {"switch_a_cloned_machine",
       [=] {
         return with(known_switch(), [](auto& all) {
           all.details_of("spark7").host_nqn = all.details_of("spark3").host_nqn;
           all.goes_silent("spark8");
         });
       }},
      {"switch_of_twelve",
       [=] { return with(known_switch(12), [](auto& all) { all.has_a_small_mtu("spark9"); }); }},
      {"pair_a_duplicated_number",
       [=] {
         return with(known_pair(), [](auto& pair) {
           pair.known.own.verdict = protocol::Verdict::kNotReady;
           const auto link = pair.links_to("spark2").front();
           pair.fails("SR-GATE-011", "peers", link, protocol::Detail::kNoAnswer,
                      "spark2 (203.0.113.12) does not answer", {"spark2"});
           pair.fails("SR-GATE-017", "one host", link, protocol::Detail::kDuplicate,
                      "another host has 203.0.113.11 too: 02:00:00:00:00:99", {},
                      "find that host by its hardware address, or give the nodes other numbers")
               .macs = {"02:00:00:00:00:99"};
         });
       }},
  };
  return kAll;
}

/// Recorded as SVG and JSON too: a cable, a ring and a switch, each with something wrong.
const std::set<std::string>& in_full() {
  static const std::set<std::string> kCases{"pair_plug_in_another_cage", "ring_swapped_plugs",
                                            "switch_without_its_carrier"};
  return kCases;
}

/// A node of such a cluster, with what its daemon and spark-peers have written.
class ClusterScreens : public testing::TestWithParam<std::string> {
 protected:
  ClusterScreens() : cluster_(known_clusters().at(GetParam())()), view_(cluster_.view()) {
    build_world(host_, "");
    host_.files().put(protocol::kDefaultFile, cluster_.yaml);
    static_cast<void>(run({"apply"}));  // what a fake machine lacks is skipped
  }

  /// What a verb prints.
  std::pair<ExitCode, std::string> run(const std::vector<std::string>& words,
                                       std::optional<std::size_t> width = std::nullopt,
                                       cli::Color color = cli::Color::kNever) {
    const auto arguments = cli::typed_as(words);
    const cli::TextFile text;
    const cli::Terminal terminal(text.stream(), text.stream(), color, arguments.quiet, width);
    const cli::Log log(stderr, {});
    auto ports = host_.host();
    tell();
    const auto code = arguments.verb->run({arguments, terminal, log, ports});
    EXPECT_TRUE(terminal.finish());
    // On a slow machine the hellos of 2 s and of 43 s ago are some seconds older by now.
    const auto heard = std::regex_replace(text.text(), std::regex(R"(\b[2-9] s\b)"), "2 s");
    return {code, std::regex_replace(heard, std::regex(R"(\b[45]\d s\b)"), "43 s")};
  }

  /// Without what differs from run to run, and without what is said of the file before it.
  static std::string settled(const std::string& screen) {
    auto text = std::regex_replace(screen, std::regex("\r[^\r\n]*\r"), "");
    const auto end = text.find("\n\n");
    if (text.find(": warning: ") < end) text.erase(0, end + 2);
    return text;
  }

  [[nodiscard]] static bool is_recorded(std::size_t width) {
    return width == 80 || (in_full().contains(GetParam()) && !GetParam().starts_with("switch"));
  }

  void expect_as_recorded(const std::string& text, const std::string& name) const {
    const auto file = golden_folder() / "cluster" / GetParam() / name;
    if (std::getenv("SPARK_UPDATE_GOLDEN") != nullptr) {
      fs::create_directories(file.parent_path());
      std::ofstream(file) << text;
    }
    EXPECT_EQ(text, read_golden(file));
  }

  /// The times of the cluster become times of this machine, and pass a second later but for this.
  void tell() {
    constexpr milliseconds kMargin{20};
    auto told = cluster_.known.told;
    const auto at = now();
    const auto by = (at.boot - cluster_.known.now - kMargin).count();
    for (auto& each : told.heard) {
      each.heard_ms += by;
      each.since_ms += by;
    }
    for (auto& each : told.peers) each.told_ms += by;
    auto ports = host_.host();
    const protocol::PeersOrder order{
        .enabled = true, .own = told.own, .peers = told.expected, .key_file = {}};
    const protocol::PeersReport report{.boot_id = state::boot_id(ports),
                                       .failed = {},
                                       .heard = told.heard,
                                       .told = told.peers,
                                       .rdma = {},
                                       .key_failed = {},
                                       .refused = {}};
    host_.files().put(protocol::kPeersOrderFile,
                      json_text(document_of(protocol::kPeersOrderSchema, order)));
    host_.files().put(protocol::kPeersReportFile,
                      json_text(document_of(protocol::kPeersReportSchema, report)));
    for (const auto& [peer, bits] : cluster_.known.measured) keep_bench(ports, peer, bits);
    put_state(host_.files(), own_state(at, kMargin));
  }

  /// What the page reads of this node.
  [[nodiscard]] node_state::NodeState state_now() const {
    auto state = own_state(now(), milliseconds(0));
    state.shape = cluster_.known.shape;
    return state;
  }

  KnownCluster cluster_;
  cluster::ClusterView view_;  ///< by the times of the cluster
  FakeHost host_;

 private:
  /// What `bench` kept of one number over one rail.
  static void keep_bench(host::Host& ports, const std::string& peer, double bits) {
    const std::string link = "enp1s0f0np0";
    EXPECT_TRUE(state::keep_bench_result(
        ports.files, {.at = "2026-01-31T09:30:00Z",
                      .version = "0.2.0",
                      .node = "spark1",
                      .peer = peer,
                      .seconds = 2,
                      .queue_pairs = 4,
                      .jobs = {},
                      .rails = {{.link = link, .cage = 0, .rail = 0, .driver = "mlx5_core"}},
                      .figures = {{.operation = "write",
                                   .direction = "to",
                                   .links = {link},
                                   .bits_per_second = bits,
                                   .failed = {}}}}));
  }

  /// As its daemon knows this node, so long after what the cluster says of it.
  [[nodiscard]] node_state::NodeState own_state(const Moment& at, milliseconds margin) const {
    const auto before = [&](milliseconds age) { return later(at, -(age + margin)); };
    const auto& own = cluster_.known.own;
    auto state = ready_node();
    state.version = own.version;
    state.node = own.name;
    state.file.digest = own.file.digest;
    state.verdict = own.verdict;
    state.verdict_since = before(*own.since);
    for (const auto& problem : own.problems) {
      const auto& found = problem.found;
      state.gate->rails.push_back({.link = found.link,
                                   .device = "",
                                   .ip = *IpAddress::parse("192.0.2.200"),
                                   .facts = {{.verdict = gate::Verdict::kNotReady,
                                              .id = found.id,
                                              .name = found.name,
                                              .measured = found.measured,
                                              .remedy = problem.remedy.text,
                                              .detail = found.detail,
                                              .peers = found.peers,
                                              .plug = found.plug,
                                              .macs = found.macs}}});
    }
    if (!own.file.commit.empty()) {
      state.source = node_state::SourceState{
          .commit = own.file.commit, .digest = own.file.digest, .principal = own.file.principal};
      const auto committed = before(*own.file.age).wall.time_since_epoch();
      state.source->time = std::chrono::floor<std::chrono::seconds>(committed).count();
    }
    if (const auto& held = cluster_.known.rollout.held) {
      state.rollout = node_state::RolloutHeld{.digest = held->digest,
                                              .since = before(*held->since),
                                              .waits = held->waits,
                                              .skipped = held->skipped};
    }
    return state;
  }
};

TEST_P(ClusterScreens, FitATerminalAsRecorded) {
  for (const std::size_t width : {60, 80, 120}) {
    const auto screen = settled(run({"status"}, width).second);
    for (const auto line : lines_of(screen)) {
      const bool is_command = line.find("  spark-reconcile ") != std::string_view::npos;
      EXPECT_TRUE(columns(line) <= width || is_command) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
    if (is_recorded(width)) expect_as_recorded(screen, std::to_string(width) + ".txt");
  }
}

TEST_P(ClusterScreens, AreInAPipeAsRecorded) {
  const auto lines = run({"status"}).second;
  expect_as_recorded(
      lines + "\n$ spark-reconcile status --brief\n" + run({"status", "--brief"}).second,
      "lines.txt");
}

/// Without tags and backticks.
std::string plain(const std::string& text) {
  return std::regex_replace(text, std::regex("<[^>]*>|`"), "");
}

TEST_P(ClusterScreens, NameTheSameRootWithItsRemedyOnEachOfThem) {
  const auto screen = plain(run({"status"}).second);
  const auto brief = plain(run({"status", "--brief"}).second);
  const auto causes = nlohmann::json::parse(run({"status", "--json"}).second)["cluster"]["causes"];
  const auto page = plain(helpers::cluster_html(
      {.view = view_, .told = cluster_.known.told.peers, .now = cluster_.known.now}, state_now(),
      now()));
  ASSERT_EQ(causes.size(), view_.roots.size());
  if (view_.roots.empty()) return;
  const auto& root = view_.roots.front().problem;
  const auto remedy = plain(written(text_of(root.remedy)));
  EXPECT_EQ(causes[0]["node"], root.node);
  EXPECT_EQ(causes[0]["id"], root.found.id);
  EXPECT_EQ(plain(causes[0]["remedy"].get<std::string>()), remedy);
  EXPECT_NE(screen.find("\nNext:  " + remedy + "\n"), std::string::npos) << screen;
  EXPECT_NE(brief.find(" → " + remedy), std::string::npos) << brief;
  EXPECT_NE(page.find("→ " + remedy), std::string::npos) << page;
  for (const auto& text : {screen, brief, page}) {
    EXPECT_NE(text.find(root.node), std::string::npos) << text;
    EXPECT_NE(text.find(root.found.id), std::string::npos) << text;
  }
}

TEST_P(ClusterScreens, HaveTheRootOfDoctorAndOfTheScreenOfItsNode) {
  if (view_.roots.empty()) return;
  const auto& root = view_.roots.front().problem;
  const auto remedy = plain(written(text_of(root.remedy)));
  if (root.node != cluster_.known.own.name) {
    const auto there = plain(run({"status", "-n", root.node}).second);
    EXPECT_NE(there.find("\nNext:  " + remedy + "\n"), std::string::npos) << there;
  }
  if (cli::is_of_versions(root)) return;  // doctor has a row of its own for each version
  const cli::TextFile text;
  const auto arguments = cli::typed_as({"doctor"});
  const cli::Terminal terminal(text.stream(), text.stream(), cli::Color::kNever, false);
  const cli::Log log(stderr, {});
  auto ports = host_.host();
  tell();
  const auto here = cli::known_cluster({arguments, terminal, log, ports});
  ASSERT_TRUE(here);
  cli::Examination examination;
  add_problems(*here, examination);
  add_nodes(here->view, examination);
  const auto& findings = findings_in(cli::Section::kCluster, examination);
  EXPECT_TRUE(std::ranges::any_of(findings, [&](const cli::Finding& finding) {
    return finding.what.contains(root.found.id) && plain(finding.remedy) == remedy;
  })) << root.found.id;
}

TEST_P(ClusterScreens, HaveTheRootOfWhatThisNodeSaysOfItself) {
  const auto& own = cluster_.known.own;
  if (view_.roots.empty() || own.verdict != gate::Verdict::kNotReady) return;
  const auto& root = view_.roots.front().problem;
  const bool is_own = std::ranges::any_of(own.problems, [&](const auto& problem) {
    return root.node == own.name && problem.found.id == root.found.id &&
           problem.remedy.text == root.remedy.text;
  });
  if (!is_own || root.remedy.text.empty()) return;
  const auto state = state_now();
  const auto summary = node_state::summary_of(state, now());
  ASSERT_TRUE(summary.lead);
  EXPECT_EQ(summary.lead->id, root.found.id);
  EXPECT_EQ(summary.lead->remedy, root.remedy.text);
  const cli::TextFile out;
  const cli::Terminal terminal(out.stream(), out.stream(), cli::Color::kNever, false);
  const auto line = gate_line(*state.gate, own.name, terminal);
  EXPECT_TRUE(line.contains("[" + root.found.id + "]")) << line;
  EXPECT_TRUE(gate_text(*state.gate, terminal).contains(root.remedy.text));
  const auto here = run({"status", "--here"}).second;
  EXPECT_NE(here.find("[" + root.found.id + "]"), std::string::npos) << here;
  EXPECT_NE(here.find(root.remedy.text), std::string::npos) << here;
  const auto alerts = daemon::conditions(state);
  const auto alert = std::ranges::find(alerts, "SparkNodeNotReady", &daemon::Alert::name);
  ASSERT_NE(alert, alerts.end());
  EXPECT_TRUE(alert->description.contains("[" + root.found.id + "]")) << alert->description;
  EXPECT_EQ(alert->remedy, root.remedy.text);
  auto former = state;
  former.verdict = gate::Verdict::kReady;
  const auto events = daemon::news(former, state);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_TRUE(events.front().text.contains("[" + root.found.id + "]")) << events.front().text;
  EXPECT_EQ(events.front().remedy, root.remedy.text);
}

TEST_P(ClusterScreens, AreDrawnAsRecorded) {
  const std::vector<std::string> live{"topology", "--live"};
  for (const std::size_t width : {60, 80, 120}) {
    const auto [code, text] = run(live, width);
    EXPECT_EQ(code, ExitCode::kDone);
    const auto screen = settled(text);
    for (const auto line : lines_of(screen)) EXPECT_LE(columns(line), width) << line;
    if (is_recorded(width)) expect_as_recorded(screen, fmt::format("topology-{}.txt", width));
  }
  expect_as_recorded(settled(run(live).second), "topology-lines.txt");
  const auto svg = settled(run({"topology", "--live", "--format", "svg"}).second);
  EXPECT_TRUE(svg.starts_with("<svg ")) << svg;
  if (in_full().contains(GetParam())) expect_as_recorded(svg, "topology.svg");
}

TEST_P(ClusterScreens, SayTheSameInColour) {
  const auto coloured = settled(run({"status"}, 80, cli::Color::kAlways).second);
  EXPECT_NE(coloured.find('\x1b'), std::string::npos);
  EXPECT_EQ(std::regex_replace(coloured, std::regex("\x1b\\[[0-9;]*m"), ""),
            settled(run({"status"}, 80).second));
}

TEST_P(ClusterScreens, ShowThisNodeAloneWithHere) {
  const auto screen = run({"status", "--here"}, 80).second;
  EXPECT_NE(screen.find("cage 0 ══ "), std::string::npos) << screen;
  EXPECT_EQ(screen.find("HEARD"), std::string::npos) << screen;
}

TEST_P(ClusterScreens, ShowAnotherNodeAsRecorded) {
  const auto& own = cluster_.known.own.name;
  const auto wrong = std::ranges::find_if(
      view_.roots, [&](const diagnosis::Root& root) { return root.problem.node != own; });
  const auto& other =
      wrong == view_.roots.end() ? cluster_.known.shape.nodes.back() : wrong->problem.node;
  std::string all;
  for (const std::size_t width : {60, 80, 120}) {
    const auto [code, text] = run({"status", "-n", other}, width);
    EXPECT_EQ(code, ExitCode::kDone);
    const auto screen = settled(text);
    for (const auto line : lines_of(screen)) {
      EXPECT_LE(columns(line), width) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
    if (is_recorded(width)) all += fmt::format("{0:-<{1}}\n{2}", "", width, screen);
  }
  all += "$ spark-reconcile status -n " + other + " | cat\n" + run({"status", "-n", other}).second;
  all +=
      "$ spark-reconcile status -q -n " + other + "\n" + run({"status", "-q", "-n", other}).second;
  expect_as_recorded(all, "node.txt");
}

TEST_P(ClusterScreens, ShowAnotherNodeAsJson) {
  for (const auto& name : cluster_.known.shape.nodes) {
    if (name == cluster_.known.own.name) continue;
    const auto shown = nlohmann::json::parse(run({"status", "--json", "-n", name}).second);
    EXPECT_EQ(shown["node"], name);
    const auto& heard = shown["heard"];
    EXPECT_EQ(heard["by"], cluster_.known.own.name);
    const auto& line =
        *std::ranges::find(view_.nodes, name, [](const auto& node) { return node.name; });
    EXPECT_EQ(heard["node"]["node"], name);
    EXPECT_EQ(heard["node"]["verdict"], name_of(line.verdict));
    EXPECT_EQ(heard["node"]["what"], written(line.what));
    EXPECT_EQ(heard["told_ms_ago"].is_null(),
              protocol::told_by(cluster_.known.told.peers, name) == nullptr);
    for (const auto& pair : heard["pairs"]) EXPECT_EQ(pair["node"], name) << heard;
    if (in_full().contains(GetParam()) && name == cluster_.known.shape.nodes.back()) {
      static const std::regex kAge(R"re(((_ms|_ago)": )[0-9]+)re");
      expect_as_recorded(std::regex_replace(heard.dump(2), kAge, "$012000") + "\n", "node.json");
    }
  }
}

TEST_P(ClusterScreens, SayWhichOtherNodesThereAre) {
  const auto [code, text] = run({"status", "--json", "-n", "spark99"});
  EXPECT_EQ(code, ExitCode::kError);
  EXPECT_NE(text.find("the file has no node 'spark99'; it has: spark1, spark"), std::string::npos)
      << text;
}

TEST_P(ClusterScreens, ShowThisNodeAloneWhereItIsNamed) {
  const auto screen = run({"status", "-n", cluster_.known.own.name}, 80).second;
  EXPECT_NE(screen.find("cage 0 ══ "), std::string::npos) << screen;
  EXPECT_EQ(screen.find("knows it"), std::string::npos) << screen;
}

TEST_P(ClusterScreens, TakeTheNameForThisMachineWithHere) {
  const auto screen = run({"status", "--here", "-n", "spark2"}, 80).second;
  EXPECT_NE(screen.find("spark2 · cluster "), std::string::npos) << screen;
  EXPECT_EQ(screen.find("knows it"), std::string::npos) << screen;
}

TEST_P(ClusterScreens, AreJsonAsRecorded) {
  if (in_full().contains(GetParam())) {
    expect_as_recorded(json_text(document_of(cluster::kViewSchema, view_), 2) + "\n", "view.json");
  }
  const auto shown = nlohmann::json::parse(run({"status", "--json"}).second);
  EXPECT_EQ(shown["cluster"]["schema"], cluster::kViewSchema);
  EXPECT_EQ(shown["cluster"]["causes"],
            nlohmann::json::parse(json_text(document_of(cluster::kViewSchema, cluster_.view())))
                .at("causes"));
  EXPECT_EQ(shown["cluster"]["rollout"].is_null(), !view_.rollout);
  if (!view_.rollout) return;
  EXPECT_EQ(shown["cluster"]["rollout"]["to"], view_.rollout->to);
  EXPECT_EQ(shown["cluster"]["rollout"]["nodes"].size(), view_.nodes.size());
}

std::vector<std::string> names_of_clusters() {
  std::vector<std::string> names;
  for (const auto& [name, cluster] : known_clusters()) names.push_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Cases, ClusterScreens, testing::ValuesIn(names_of_clusters()),
                         [](const auto& param) { return param.param; });

}  // namespace
}  // namespace spark::test
