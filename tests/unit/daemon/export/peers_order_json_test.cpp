#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "daemon/export/publish.hpp"
#include "unit/daemon/states.hpp"

namespace spark::daemon {
namespace {

nlohmann::json own_of(const NodeState& state) {
  return nlohmann::json::parse(peers_order_json(state))["own"];
}

TEST(PeersOrderJson, TellsTheVersionsThatPeersCompare) {
  auto state = test_states().at("ready");
  state.gate->service_memlock = host::kUnlimited;
  const auto own = own_of(state);
  EXPECT_EQ(own["firmware"], "28.45.4028 (NVD0000000087)");
  EXPECT_EQ(own["driver"], "mlx5_core") << "its version is that of the kernel";
  EXPECT_EQ(own["dgx_os"], "7.5.0");
  EXPECT_EQ(own["gpu_driver"], "580.95.05");
  EXPECT_EQ(own["memlock"], "unlimited");
}

TEST(PeersOrderJson, NamesBothWhereTheCardsOfANodeDiffer) {
  auto state = test_states().at("ready");
  auto& link = state.hardware.facts->links.front();
  link.firmware = "28.43.1014 (NVD0000000087)";
  link.driver_version = "24.07-0.6.1";
  const auto own = own_of(state);
  EXPECT_EQ(own["firmware"], "28.43.1014 (NVD0000000087), 28.45.4028 (NVD0000000087)");
  EXPECT_EQ(own["driver"], "mlx5_core, mlx5_core 24.07-0.6.1");
}

TEST(PeersOrderJson, LeavesOutWhatIsNotKnown) {
  auto state = test_states().at("ready");
  state.hardware = {};
  const auto own = own_of(state);
  for (const auto* key : {"firmware", "driver", "dgx_os", "gpu_driver", "memlock", "host_nqn"}) {
    EXPECT_FALSE(own.contains(key)) << key;
  }
}

TEST(PeersOrderJson, TellsHowItStoodInTheLastDayTheNewestFirst) {
  auto state = test_states().at("ready");
  state.verdicts = {{gate::Verdict::kReady, ago(std::chrono::hours(2))},
                    {gate::Verdict::kNotReady, ago(std::chrono::hours(3))}};
  const auto verdicts = own_of(state)["verdicts"];
  ASSERT_EQ(verdicts.size(), 2U) << verdicts;
  EXPECT_EQ(verdicts[0]["verdict"], "ready");
  EXPECT_EQ(verdicts[0]["since"], utc_text(ago(std::chrono::hours(2)).wall));
  EXPECT_EQ(verdicts[1]["verdict"], "not ready");
  state.verdicts.resize(kMostVerdicts, state.verdicts.front());
  EXPECT_EQ(own_of(state)["verdicts"].size(), protocol::kMostVerdictsTold);
}

TEST(PeersOrderJson, TellsWhomItReaches) {
  auto state = test_states().at("ready");
  auto& order = state.peers_order;
  const auto ip = *IpAddress::parse("192.0.2.12");
  auto& rail = state.gate->rails.front();
  order.own.rails = {{.link = rail.link, .cage = 1, .rail = 0}};
  order.peers = {{.node = "spark2", .ip = ip, .link = rail.link, .local = rail.ip}};
  EXPECT_FALSE(own_of(state).contains("reach")) << "nobody was asked";
  rail.reach[ip] = protocol::Reach::kEcho;
  const auto reach = own_of(state)["reach"];
  ASSERT_EQ(reach.size(), 1U) << reach;
  EXPECT_EQ(reach[0]["node"], "spark2");
  EXPECT_EQ(reach[0]["cage"], 1);
  EXPECT_EQ(reach[0]["reach"], "echo");
  order.peers.resize(protocol::kMostReach + 1, order.peers.front());
  EXPECT_FALSE(own_of(state).contains("reach")) << "so many would not fit";
}

/// Not ready, for so many things, of which the last is the worst.
NodeState with_failing_facts(std::size_t count, const std::string& measured) {
  auto state = test_states().at("ready");
  state.verdict = gate::Verdict::kNotReady;
  auto& facts = state.gate->node;
  facts.clear();
  for (std::size_t i = 0; i < count; ++i) {
    facts.push_back(gate::fails(gate::kPeersFact, gate::Verdict::kUnknown, gate::Detail::kUnread,
                                measured, ""));
    facts.back().peers.assign(8, std::string(63, 'a'));
  }
  facts.back().verdict = gate::Verdict::kNotReady;
  facts.back().measured = "the worst";
  return state;
}

TEST(PeersOrderJson, TellsWhatIsWrongAsValuesAndForOlderNodesAsASentence) {
  const auto own = own_of(with_failing_facts(2, "not read"));
  ASSERT_EQ(own["problems"].size(), 2U) << own;
  EXPECT_EQ(own["problems"][0]["id"], "SR-GATE-011");
  EXPECT_EQ(own["problems"][0]["detail"], "unread");
  EXPECT_EQ(own["problems"][0]["measured"], "the worst");
  EXPECT_EQ(own["problems"][0]["peers"].size(), 8U);
  EXPECT_EQ(own["reasons"], nlohmann::json::array({"peers: the worst [SR-GATE-011]"}));
  EXPECT_FALSE(own_of(test_states().at("ready")).contains("problems"));
}

TEST(PeersOrderJson, TellsTheWorstProblemsThatAPeerTakes) {
  EXPECT_EQ(own_of(with_failing_facts(20, "not read"))["problems"].size(), protocol::kMostProblems);
  // 64 ways and eight rails leave little room.
  auto state = with_failing_facts(8, std::string(300, 'x'));
  auto& order = state.peers_order;
  auto& rail = state.gate->rails.front();
  order.own.rails = {{.link = rail.link, .cage = 1, .rail = 0}};
  order.peers.clear();
  for (std::size_t i = 0; i < protocol::kMostReach; ++i) {
    const auto ip = *IpAddress::parse("192.0.2." + std::to_string(i + 1));
    order.peers.push_back(
        {.node = std::string(63, 'n'), .ip = ip, .link = rail.link, .local = rail.ip});
    rail.reach[ip] = protocol::Reach::kEcho;
  }
  order.own.rails.resize(8, order.own.rails.front());
  const auto own = own_of(state);
  EXPECT_LT(own.dump().size(), protocol::kMostDetailsBytes);
  ASSERT_FALSE(own["problems"].empty());
  EXPECT_LT(own["problems"].size(), protocol::kMostProblems);
  EXPECT_EQ(own["problems"][0]["measured"], "the worst");
}

}  // namespace
}  // namespace spark::daemon
