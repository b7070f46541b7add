#include "node_state/node_document.hpp"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "daemon/export/metrics.hpp"
#include "node_state/node_summary.hpp"
#include "node_state/status_json.hpp"
#include "node_state/verdict_reason.hpp"
#include "protocol/web.hpp"
#include "unit/daemon/states.hpp"

namespace spark::node_state {
namespace {

using testing::HasSubstr;

NodeDocument document_of(const NodeState& state) {
  return {.listen = {.ip = *IpAddress::parse("2001:db8::1"), .port = 80},
          .token_file = "/etc/spark-reconcile/page.token",
          .hostname = "spark1",
          .boot_id = "6d68a9b6-0000-4000-8000-000000000000",
          .at = daemon::test_now(),
          .state = state};
}

TEST(NodeDocument, ShowsTheSameNodeInAnotherProcess) {
  for (auto [name, state] : daemon::test_states()) {
    // Kinds and sources are ours; a name in JSON cannot be other bytes.
    for (auto* counts : {&state.counters.triggers, &state.counters.corrections}) {
      std::erase_if(*counts, [](const auto& one) { return one.first.contains('\xff'); });
    }
    const auto text = node_document_text(document_of(state));
    const auto read = node_document_from(text);
    ASSERT_TRUE(read) << name << ": " << read.error().what;
    EXPECT_EQ(read->listen, document_of(state).listen);
    EXPECT_EQ(read->hostname, "spark1");
    EXPECT_EQ(read->boot_id, document_of(state).boot_id);
    EXPECT_EQ(read->at.wall, daemon::test_now().wall);
    EXPECT_EQ(node_document_text(*read), text) << name;
    EXPECT_EQ(daemon::metrics_text(read->state, daemon::test_now()),
              daemon::metrics_text(state, daemon::test_now()))
        << name;
    EXPECT_EQ(status_json(read->state, daemon::test_now()), status_json(state, daemon::test_now()))
        << name;
    EXPECT_EQ(written(node_state::summary_of(read->state, daemon::test_now()).sentence),
              written(node_state::summary_of(state, daemon::test_now()).sentence));
  }
}

TEST(NodeDocument, IsShortEnoughToBeRead) {
  EXPECT_LT(node_document_text(document_of(daemon::test_states().at("huge"))).size(),
            protocol::kMostNodeStateBytes / 3);
  // The largest cluster that `init` writes.
  constexpr int kMostNodes = 254;
  auto state = daemon::test_states().at("huge");
  cluster::Segment leaf{.name = "leaf-of-the-first-rack", .ends = {}};
  for (int node = 1; node <= kMostNodes; ++node) {
    state.shape.nodes.push_back(fmt::format("spark-of-the-lab-{}", node));
    for (const int cage : {0, 1}) {
      leaf.ends.push_back({.node = state.shape.nodes.back(), .cage = cage, .rails = 2});
    }
  }
  state.shape.segments = {leaf};
  EXPECT_LT(node_document_text(document_of(state)).size(), protocol::kMostNodeStateBytes / 2);
}

TEST(NodeDocument, OfAnotherVersionOrDamagedIsRefused) {
  const auto good = node_document_text(document_of(daemon::test_states().at("ring")));
  EXPECT_FALSE(node_document_from(""));
  EXPECT_FALSE(node_document_from(good.substr(0, good.size() / 2)));
  auto json = nlohmann::json::parse(good);
  json["state"]["verdict"] = "splendid";
  EXPECT_THAT(node_document_from(json.dump()).error().what, HasSubstr("at '/state/verdict'"));
  json["schema"] = "spark-reconcile/node-state/v2";
  EXPECT_FALSE(node_document_from(json.dump()));
}

}  // namespace
}  // namespace spark::node_state
