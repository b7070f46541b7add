#include "config/agent.hpp"

#include <gtest/gtest.h>

namespace spark::config {
namespace {

std::string findings_of(std::string_view text) {
  std::string all;
  for (const auto& finding : parse_agent(text).diagnostics) {
    all += std::to_string(finding.where.line) + ":" + std::to_string(finding.where.column) + " " +
           finding.id + " " + finding.path + "\n";
  }
  return all;
}

TEST(ParseAgent, HasDefaultsForAFileThatSaysNothing) {
  for (const auto* text : {"", "# nothing\n", "{}\n"}) {
    const auto parsed = parse_agent(text);
    EXPECT_TRUE(parsed.diagnostics.empty()) << text;
    EXPECT_EQ(parsed.agent.listen.value.ip.text(), "127.0.0.1");
    EXPECT_EQ(parsed.agent.listen.value.port, 9842);
    EXPECT_EQ(parsed.agent.alerts.hooks.value, "/etc/spark-reconcile/hooks.d");
    EXPECT_TRUE(parsed.agent.alerts.alertmanagers.empty());
  }
}

TEST(ParseAgent, ReadsEveryKey) {
  const auto parsed = parse_agent(R"(
listen: "[2001:db8::1]:80"
alerts:
  alertmanager: ["http://127.0.0.1:9093"]
  webhook:
    - { url: "http://relay.example:8080/alerts", authorization_file: /etc/relay.token }
  hooks: /etc/hooks
)");
  EXPECT_TRUE(parsed.diagnostics.empty());
  EXPECT_EQ(parsed.agent.listen.value.ip.text(), "2001:db8::1");
  EXPECT_EQ(parsed.agent.alerts.alertmanagers.at(0).value, "http://127.0.0.1:9093");
  EXPECT_EQ(parsed.agent.alerts.alertmanagers.at(0).where, (Where{4, 18}));
  EXPECT_EQ(parsed.agent.alerts.webhooks.at(0).url.value, "http://relay.example:8080/alerts");
  EXPECT_EQ(parsed.agent.alerts.webhooks.at(0).authorization_file->value, "/etc/relay.token");
  EXPECT_EQ(parsed.agent.alerts.hooks.value, "/etc/hooks");
}

TEST(ParseAgent, NamesThePlaceOfWhatItRefuses) {
  EXPECT_EQ(findings_of("alerts:\n  hook: /x\n"), "2:3 SR-SPEC-004 alerts.hook\n");
  EXPECT_EQ(findings_of("listen: 127.0.0.1\n"), "1:9 SR-SPEC-019 listen\n");
  EXPECT_EQ(findings_of("listen: 300.0.0.1:80\n"), "1:9 SR-SPEC-101 listen\n");
  EXPECT_EQ(findings_of("listen: 127.0.0.1:65536\n"), "1:9 SR-SPEC-019 listen\n");
  EXPECT_EQ(findings_of("- a\n"), "1:1 SR-SPEC-013 \n");
}

TEST(ParseAgent, RefusesAReceiverTwice) {
  EXPECT_EQ(findings_of("alerts: { alertmanager: [\"http://a\", \"http://a\"] }\n"),
            "1:38 SR-SPEC-134 alerts.alertmanager[1]\n");
}

}  // namespace
}  // namespace spark::config
