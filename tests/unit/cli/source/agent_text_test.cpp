#include "cli/source/agent_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/agent.hpp"

namespace spark::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kOthers =
    "# Of this machine.\n"
    "listen: 127.0.0.1:9842\n"
    "alerts:\n"
    "  hooks: /etc/hooks  # ours\n";

config::SourceSpec source() {
  config::SourceSpec spec{.url = {"ssh://git@git.example.org/lab.git", {}}};
  spec.signers = config::At<std::string>{"/etc/spark-reconcile/signers", {}};
  spec.from = config::At<std::string>{std::string(40, 'a'), {}};
  spec.host_keys.push_back({"ssh-ed25519 AAAA", {}});
  spec.every = {std::chrono::minutes{5}, {}};
  return spec;
}

TEST(AgentText, HasTheSectionAndAllElseByteByByte) {
  const auto text = with_section(kOthers, section_text(source()));
  ASSERT_TRUE(text);
  EXPECT_TRUE(text->starts_with(kOthers));
  const auto parsed = config::parse_agent(*text);
  EXPECT_TRUE(parsed.diagnostics.empty());
  ASSERT_TRUE(parsed.agent.source);
  EXPECT_EQ(parsed.agent.source->url, source().url);
  EXPECT_EQ(parsed.agent.source->from, source().from);
  EXPECT_EQ(parsed.agent.source->every, source().every);
  EXPECT_EQ(parsed.agent.source->host_keys, source().host_keys);
}

TEST(AgentText, ReplacesASectionWhereItStands) {
  const auto text =
      with_section("source:\n  url: file:///a\n  # its comment\n\nlisten: 127.0.0.1:1\n",
                   section_text(source()));
  ASSERT_TRUE(text);
  EXPECT_TRUE(text->starts_with("source:\n  url: ssh://"));
  EXPECT_THAT(*text, Not(HasSubstr("file:///a")));
  EXPECT_TRUE(text->ends_with("listen: 127.0.0.1:1\n"));
}

TEST(AgentText, LosesTheSectionAlone) {
  const auto with = with_section(kOthers, section_text(source()));
  ASSERT_TRUE(with);
  EXPECT_EQ(with_section(*with, "").value(), kOthers);
}

TEST(AgentText, LeavesOutWhatHasItsDefault) {
  config::SourceSpec spec{.url = {"file:///srv/lab", {}}};
  spec.verify = {config::Verify::kNone, {}};
  EXPECT_EQ(section_text(spec), "source:\n  url: file:///srv/lab\n  verify: none\n");
}

TEST(AgentText, RefusesAFileThatIsOneFlowMap) {
  EXPECT_FALSE(with_section("{ listen: \"127.0.0.1:1\" }\n", section_text(source())));
}

}  // namespace
}  // namespace spark::cli
