#include "config/agent.hpp"

#include <fmt/format.h>
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
    EXPECT_TRUE(parsed.agent.jobs.names.value);
  }
}

TEST(ParseAgent, ReadsEveryKey) {
  const auto parsed = parse_agent(R"(
listen: "[2001:db8::1]:80"
token_file: /etc/page.token
alerts:
  alertmanager: ["http://127.0.0.1:9093"]
  webhook:
    - { url: "http://relay.example:8080/alerts", authorization_file: /etc/relay.token }
  hooks: /etc/hooks
jobs: { names: false }
)");
  EXPECT_TRUE(parsed.diagnostics.empty());
  EXPECT_EQ(parsed.agent.listen.value.ip.text(), "2001:db8::1");
  EXPECT_EQ(parsed.agent.token_file->value, "/etc/page.token");
  EXPECT_EQ(parsed.agent.alerts.alertmanagers.at(0).value, "http://127.0.0.1:9093");
  EXPECT_EQ(parsed.agent.alerts.alertmanagers.at(0).where, (Where{5, 18}));
  EXPECT_EQ(parsed.agent.alerts.webhooks.at(0).url.value, "http://relay.example:8080/alerts");
  EXPECT_EQ(parsed.agent.alerts.webhooks.at(0).authorization_file->value, "/etc/relay.token");
  EXPECT_EQ(parsed.agent.alerts.hooks.value, "/etc/hooks");
  EXPECT_FALSE(parsed.agent.jobs.names.value);
}

TEST(ParseAgent, NamesThePlaceOfWhatItRefuses) {
  EXPECT_EQ(findings_of("alerts:\n  hook: /x\n"), "2:3 SR-SPEC-004 alerts.hook\n");
  EXPECT_EQ(findings_of("listen: 127.0.0.1\n"), "1:9 SR-SPEC-019 listen\n");
  EXPECT_EQ(findings_of("listen: 300.0.0.1:80\n"), "1:9 SR-SPEC-101 listen\n");
  EXPECT_EQ(findings_of("listen: 127.0.0.1:65536\n"), "1:9 SR-SPEC-019 listen\n");
  EXPECT_EQ(findings_of("- a\n"), "1:1 SR-SPEC-013 \n");
}

TEST(ParseAgent, RefusesAPageForOthersWithoutAToken) {
  for (const auto* listen : {"192.0.2.11:9842", "0.0.0.0:9842", "\"[2001:db8::1]:9842\"",
                             "\"[::]:9842\"", "\"[::ffff:127.0.0.1]:9842\""}) {
    EXPECT_EQ(findings_of(fmt::format("listen: {}\n", listen)), "1:9 SR-SPEC-141 listen\n")
        << listen;
    EXPECT_EQ(findings_of(fmt::format("token_file: /etc/t\nlisten: {}\n", listen)), "") << listen;
  }
  for (const auto* listen : {"127.0.0.1:9842", "127.1.2.3:80", "\"[::1]:9842\""}) {
    EXPECT_EQ(findings_of(fmt::format("listen: {}\n", listen)), "") << listen;
  }
  EXPECT_EQ(findings_of("token_file: page.token\n"), "1:13 SR-SPEC-019 token_file\n");
}

TEST(ParseAgent, AnErrorAboutThePageAloneSpoilsNothingElse) {
  const auto of_page = parse_agent("listen: 192.0.2.11:9842\n").diagnostics;
  ASSERT_EQ(of_page.size(), 1U);
  EXPECT_TRUE(has_errors(of_page));
  EXPECT_FALSE(spoils_agent(of_page[0]));
  EXPECT_TRUE(spoils_agent(parse_agent("listen: x\n").diagnostics.at(0)));
}

TEST(ParseAgent, RefusesAReceiverTwice) {
  EXPECT_EQ(findings_of("alerts: { alertmanager: [\"http://a\", \"http://a\"] }\n"),
            "1:38 SR-SPEC-134 alerts.alertmanager[1]\n");
}

}  // namespace
}  // namespace spark::config
