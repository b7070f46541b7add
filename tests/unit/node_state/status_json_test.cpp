#include "node_state/status_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "node_state/verdict_reason.hpp"
#include "unit/daemon/states.hpp"

namespace spark::node_state {
namespace {

nlohmann::json json_of(const std::string& name) {
  return nlohmann::json::parse(status_json(daemon::test_states().at(name), daemon::test_now()));
}

TEST(StatusJson, HasTheEnvelopeOfEveryOutput) {
  const auto json = json_of("contested");
  EXPECT_EQ(json["schema"], "spark-reconcile/daemon-status/v1");
  EXPECT_EQ(json["version"], "0.2.0");
  EXPECT_EQ(json["node"], "spark1");
  EXPECT_EQ(json["generated_at"], "2031-04-05T06:07:08Z");
  EXPECT_EQ(json["exit_code"], 3);
}

TEST(StatusJson, SaysWhyTheNodeIsNotReady) {
  EXPECT_EQ(json_of("contested")["why"],
            "mtu of enp1s0f0np0: 1500, the file says 9000 [SR-GATE-002]");
  EXPECT_EQ(json_of("waiting")["why"], "link of enp1s0f0np0: no such device [SR-GATE-001]");
}

TEST(StatusJson, HasNullWhereNothingIsKnown) {
  const auto json = json_of("nothing");
  for (const auto* key : {"node", "digest", "cluster", "paused", "verdict_since", "gate", "pass"}) {
    EXPECT_TRUE(json[key].is_null()) << key;
  }
  EXPECT_EQ(json["verdict"], "unknown");
  EXPECT_EQ(json["why"], "no cluster file has been in force yet");
}

TEST(StatusJson, SaysWhyAMachineIsNoNodeOfItsFile) {
  NodeState state;
  state.pass_error = "what '/var/lib/spark-reconcile/spark1' remembers belongs to another machine";
  EXPECT_EQ(written(node_state::why_of(state)), state.pass_error);
}

TEST(StatusJson, HasNullForWhatIsAbsent) {
  const auto drift = json_of("contested")["drift"][0];
  EXPECT_TRUE(drift["have"].is_null());
  EXPECT_EQ(drift["want"], "28 bits");
}

TEST(StatusJson, HasWhatIsInForceAndWhatIsRefused) {
  const auto file = json_of("refused")["file"];
  EXPECT_EQ(file["refused"]["since"], "2031-04-05T05:55:08Z");
  EXPECT_THAT(file["refused"]["findings"].get<std::string>(), testing::HasSubstr("SR-SPEC-031"));
}

TEST(StatusJson, HasWhatIsEmptyAsNullAndMomentsAsTexts) {
  NodeState state;
  state.file.path = "/f";
  state.source = SourceState{.url = "u", .refused = protocol::SourceFault{.id = "SR-GIT-001"}};
  state.paused = state::Paused{.until = daemon::test_now(), .reason = "", .by = ""};
  state.links = {{.name = "eth0", .speed = 200000, .cabling = gate::Cabling{}}};
  state.changes = {{.at = daemon::test_now(), .took = std::chrono::milliseconds(250)}};
  const auto json = nlohmann::json::parse(status_json(state, daemon::test_now()));
  EXPECT_EQ(json["paused"], nlohmann::json::parse(R"({"since": null, "by": null, "reason": "",
      "until": "2031-04-05T06:07:08Z"})"));
  EXPECT_EQ(json["source"]["refused"],
            nlohmann::json::parse(R"({"id": "SR-GIT-001", "what": "", "commit": null})"));
  EXPECT_EQ(json["source"]["subject"], "");
  EXPECT_EQ(json["links"][0]["speed_mbps"], 200000);
  EXPECT_EQ(json["links"][0]["cabling"]["by"], nullptr);
  EXPECT_EQ(json["changes"][0]["took_seconds"], 0.25);
  EXPECT_EQ(json["changes"][0]["failure"], nullptr);
  EXPECT_EQ(json["hardware"], nullptr);
  EXPECT_FALSE(json.contains("shape"));
}

TEST(StatusJson, IsUtf8WhateverTheHostSays) { EXPECT_EQ(json_of("hostile")["exit_code"], 3); }

}  // namespace
}  // namespace spark::node_state
