#include "cli/state_here/node_here.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fake/fake_host.hpp"
#include "node_state/known_node.hpp"
#include "node_state/status_json.hpp"
#include "node_state/verdict_reason.hpp"
#include "protocol/alive.hpp"
#include "state/journal.hpp"
#include "unit/daemon/states.hpp"
#include "unit/node_here.hpp"

namespace spark::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

Result<std::optional<NodeHere>> read_of(const std::string& text) {
  test::FakeHost machine;
  machine.files().put(protocol::kNodeStateFile, text);
  auto host = machine.host();
  return node_here(host);
}

TEST(NodeHere, IsTheStateThatThePageShows) {
  for (auto [name, state] : daemon::test_states()) {
    // Kinds and sources are ours; a name in JSON cannot be other bytes.
    for (auto* counts : {&state.counters.triggers, &state.counters.corrections}) {
      std::erase_if(*counts, [](const auto& one) { return one.first.contains('\xff'); });
    }
    const auto text = test::node_state_text(state);
    const auto here = read_of(text);
    ASSERT_TRUE(here && *here) << name;
    const auto of_page = node_state::node_document_from(text);
    ASSERT_TRUE(of_page) << name;
    EXPECT_EQ(node_state::status_json((*here)->state, daemon::test_now()),
              node_state::status_json(of_page->state, daemon::test_now()))
        << name;
    EXPECT_EQ((*here)->why, printable(written(node_state::why_of(state)))) << name;
    EXPECT_EQ(utc_text((*here)->at.wall), "2026-11-21T21:56:57Z") << name;
  }
}

TEST(NodeHere, KeepsTheFieldsOfAProblem) {
  const auto here = read_of(test::node_state_text(daemon::test_states().at("misplaced")));
  ASSERT_TRUE(here && *here);
  const auto own = node_state::own_node((*here)->state, daemon::test_now());
  ASSERT_FALSE(own.problems.empty());
  const auto& problem = own.problems.front().found;
  EXPECT_EQ(problem.id, "SR-GATE-001");
  EXPECT_EQ(problem.detail, protocol::Detail::kOtherCage);
  EXPECT_EQ(problem.plug, protocol::Plug("spark1", 1));
  EXPECT_EQ(problem.link, (*here)->state.links.front().name);
}

TEST(NodeHere, IsReadWhereTheDaemonSaysMore) {
  auto json = nlohmann::json::parse(test::node_state_text(test::ready_node()));
  json["state"]["of_tomorrow"] = 1;
  json["of_tomorrow"] = nlohmann::json::array();
  const auto here = read_of(json.dump());
  ASSERT_TRUE(here && *here);
  EXPECT_EQ((*here)->state.node, "spark1");
}

TEST(NodeHere, OfADaemonOfBeforeHasWhatItSays) {
  auto state = test::ready_node();
  state.pass_at = test::moment_at("2026-11-21T21:50:00Z");
  auto json = nlohmann::json::parse(test::node_state_text(state));
  json.erase("at");
  for (const auto* member : {"around", "in_sync", "hardware", "file"}) json["state"].erase(member);
  const auto here = read_of(json.dump());
  ASSERT_TRUE(here && *here);
  EXPECT_EQ((*here)->at.wall, state.pass_at.wall);
  EXPECT_EQ((*here)->state.verdict, gate::Verdict::kReady);
  EXPECT_EQ((*here)->state.file.digest, "") << "it is not known";
  json["state"].erase("verdict");
  EXPECT_EQ((*read_of(json.dump()))->state.verdict, gate::Verdict::kUnknown);
}

TEST(NodeHere, OfAnotherVersionOrDamagedIsNamed) {
  const auto good = test::node_state_text(test::ready_node());
  auto json = nlohmann::json::parse(good);
  json["schema"] = "spark-reconcile/node-state/v2";
  for (const auto& text : {std::string(), std::string("{}"), std::string("[1]"),
                           good.substr(0, good.size() / 2), json.dump()}) {
    const auto here = read_of(text);
    ASSERT_FALSE(here) << text;
    EXPECT_EQ(here.error().code, ErrorCode::kUnsupported) << text;
    EXPECT_THAT(here.error().what, AllOf(HasSubstr("node-state.json' is not understood"),
                                         HasSubstr("`sudo systemctl restart spark-reconcile`")));
  }
}

TEST(NodeHere, IsNoneOfAnotherBootOrBeforeTheFirstPass) {
  test::FakeHost machine;
  auto host = machine.host();
  EXPECT_FALSE(node_here(host).value()) << "no daemon has run";
  auto json = nlohmann::json::parse(test::node_state_text(test::ready_node()));
  json["boot_id"] = state::boot_id(host) + "x";
  EXPECT_FALSE(read_of(json.dump()).value());
  json["boot_id"] = state::boot_id(host);
  EXPECT_TRUE(read_of(json.dump()).value());
  json["at"]["wall_ms"] = 0;
  EXPECT_FALSE(read_of(json.dump()).value());
}

TEST(NodeHere, OfADaemonThatHangsIsUnknownAndSaysWhatToDo) {
  test::FakeHost machine;
  auto host = machine.host();
  auto hung = test::ready_node();
  hung.released = node_state::Released{.at = "2026-11-21T21:50:00Z", .by = "alice"};
  auto refused = hung;
  refused.node.clear();
  refused.file.refused = "one error";
  for (const auto& state : {test::ready_node(), hung, refused}) {
    test::put_state(machine.files(), state);
    machine.files().put(protocol::kDaemonAliveFile, protocol::alive_text(now().boot));
    auto here = node_here(host);
    ASSERT_TRUE(here && *here);
    EXPECT_EQ((*here)->hangs, "");
    EXPECT_EQ((*here)->state.verdict, gate::Verdict::kReady);
    EXPECT_TRUE(read_last_gate(host));

    machine.files().put(protocol::kDaemonAliveFile,
                        protocol::alive_text(now().boot - std::chrono::seconds(31)));
    here = node_here(host);
    ASSERT_TRUE(here && *here);
    EXPECT_EQ((*here)->state.verdict, gate::Verdict::kUnknown);
    EXPECT_THAT((*here)->hangs,
                HasSubstr("the daemon hangs, or was killed: it has said nothing since "
                          "2"));
    EXPECT_EQ((*here)->why, (*here)->hangs + "; `sudo systemctl restart spark-reconcile`");
    EXPECT_FALSE((*here)->state.released) << "who is told that waits for no verdict";
    EXPECT_FALSE(read_last_gate(host)) << "old facts";
    if (!state.node.empty()) {
      EXPECT_EQ(node_state::own_node((*here)->state, now()).why, (*here)->why);
    }

    machine.files().put(protocol::kDaemonAliveFile, "soon");
    EXPECT_THAT(node_here(host).value()->hangs, HasSubstr("is not understood"));
  }
}

}  // namespace
}  // namespace spark::cli
