#include "cli/source/agent_text.hpp"

#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "config/agent.hpp"

namespace spark::cli {
namespace {

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

/// What the file has outside its section, and the section.
struct Document {
  std::string before;
  std::string section;
  std::string behind;

  [[nodiscard]] std::string text() const { return before + section + behind; }
};

/// Makes agent.yaml as people may write it, the same each time.
class Author {
 public:
  explicit Author(unsigned seed) : dice_(seed), end_(flips() ? "\r\n" : "\n") {}

  Document document() {
    Document made;
    made.before = others({"listen: 127.0.0.1:9842", "disturb: { patience: 2h }"});
    made.section = section();
    // A comment behind the last key belongs to nobody.
    if (flips()) made.behind = "  # behind it" + end_;
    made.behind += others({"token_file: /etc/token", "alerts:"});
    auto& last = made.behind.empty() ? made.section : made.behind;
    if (flips()) last.resize(last.size() - end_.size());
    return made;
  }

 private:
  bool flips() { return dice_() % 2 == 0; }

  /// Comments and blank lines, at any column.
  std::string remarks() {
    static constexpr std::string_view kRemarks[] = {"", "# ours", "  # indented: too", "  ", "#"};
    std::string text;
    while (dice_() % 3 == 0) text += std::string(kRemarks[dice_() % 5]) + end_;
    return text;
  }

  std::string others(const std::vector<std::string>& keys) {
    auto text = remarks();
    for (const auto& key : keys) {
      if (flips()) continue;
      text += key + end_;
      if (key == "alerts:") text += remarks() + "  hooks: /etc/hooks  # ours" + end_;
      text += remarks();
    }
    return text;
  }

  std::string section() {
    const std::string indent(1 + dice_() % 4, ' ');
    auto text = "source:" + std::string(flips() ? "  # of the lab" : "") + end_;
    const auto add = [&](const std::string& line) {
      text += remarks() + indent + line + (flips() ? "  # why" : "") + end_;
    };
    add("url: \"file:///srv/lab\"");
    if (flips()) add("branch: 'main'");
    if (flips()) add("from: \"" + std::string(40, '1') + "\"");
    if (flips()) {
      text += indent + "host_keys:" + end_;
      add("- \"ssh-ed25519 AAAA\"");
    }
    add("verify: none");
    if (flips()) add("revoked: /etc/revoked");
    return text;
  }

  std::mt19937 dice_;
  std::string end_;
};

TEST(AgentText, HasTheSectionAndAllElseByteByByte) {
  const auto text = with_source(kOthers, source());
  ASSERT_TRUE(text);
  EXPECT_TRUE(text->starts_with(kOthers));
  const auto parsed = config::parse_agent(*text);
  EXPECT_TRUE(parsed.diagnostics.empty());
  ASSERT_TRUE(parsed.agent.source);
  EXPECT_EQ(section_text(*parsed.agent.source), section_text(source()));
}

TEST(AgentText, OutsideTheSectionAllBytesAreEqual) {
  for (unsigned seed = 0; seed < 1000; ++seed) {
    const auto made = Author(seed).document();
    const auto text = made.text();
    ASSERT_TRUE(config::parse_agent(text).diagnostics.empty()) << text;

    EXPECT_EQ(without_source(text), made.before + made.behind) << text;
    const auto with = with_source(text, source());
    ASSERT_TRUE(with) << text;
    EXPECT_TRUE(with->starts_with(made.before)) << text << "--\n" << *with;
    EXPECT_TRUE(with->ends_with(made.behind)) << text << "--\n" << *with;
    EXPECT_EQ(with->ends_with('\n'), text.ends_with('\n')) << text << "--\n" << *with;
    const auto parsed = config::parse_agent(*with);
    ASSERT_TRUE(parsed.diagnostics.empty()) << text << "--\n" << *with;
    EXPECT_EQ(section_text(*parsed.agent.source), section_text(source())) << *with;
    EXPECT_EQ(with_source(*with, source()), *with);
  }
}

TEST(AgentText, OfAFileWithoutASectionAllBytesStay) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const auto made = Author(seed).document();
    const auto text = made.before + made.behind;
    const auto with = with_source(text, source());
    ASSERT_TRUE(with) << text;
    EXPECT_TRUE(with->starts_with(text)) << text << "--\n" << *with;
    EXPECT_TRUE(without_source(*with).value().starts_with(text));
    EXPECT_TRUE(config::parse_agent(*with).diagnostics.empty()) << text << "--\n" << *with;
  }
}

TEST(AgentText, AnotherFromChangesItsLineAlone) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const auto text = Author(seed).document().text();
    auto wanted = *config::parse_agent(text).agent.source;
    if (!wanted.from) continue;
    wanted.from = source().from;
    auto expected = text;
    expected.replace(expected.find(std::string(40, '1')), 40, wanted.from->value);
    EXPECT_EQ(with_source(text, wanted), expected);
  }
}

TEST(AgentText, CommentsInsideTheSectionStay) {
  constexpr std::string_view kText =
      "source:\n"
      "  # the lab's\n"
      "  url: file:///a  # a share\n"
      "\n"
      "  # revoked since May\n"
      "  revoked: /etc/revoked\n"
      "  host_keys:\n"
      "    # of the old server\n"
      "    - \"ssh-ed25519 BBBB\"\n"
      "# of the page\n"
      "listen: 127.0.0.1:1\n";
  EXPECT_EQ(with_source(kText, source()).value(),
            "source:\n"
            "  # the lab's\n"
            "  url: ssh://git@git.example.org/lab.git  # a share\n"
            "\n"
            "  # revoked since May\n"
            "  host_keys:\n"
            "    - \"ssh-ed25519 AAAA\"\n"
            "    # of the old server\n"
            "  signers: /etc/spark-reconcile/signers\n"
            "  from: \"" +
                std::string(40, 'a') +
                "\"\n"
                "  every: 300s\n"
                "# of the page\n"
                "listen: 127.0.0.1:1\n");
}

TEST(AgentText, WhatIsSaidAlreadyStaysAsItIsWritten) {
  constexpr std::string_view kText =
      "source:\n    url: 'file:///a'\n    branch: main\n    verify: none\n    every: 60000ms\n";
  const auto same = *config::parse_agent(kText).agent.source;
  EXPECT_EQ(with_source(kText, same), kText);
}

TEST(AgentText, LosesTheSectionAlone) {
  const auto with = with_source(kOthers, source());
  ASSERT_TRUE(with);
  EXPECT_EQ(without_source(*with).value(), kOthers);
}

TEST(AgentText, LeavesOutWhatHasItsDefault) {
  config::SourceSpec spec{.url = {"file:///srv/lab", {}}};
  spec.verify = {config::Verify::kNone, {}};
  EXPECT_EQ(section_text(spec), "source:\n  url: file:///srv/lab\n  verify: none\n");
}

TEST(AgentText, RefusesAFileThatIsOneFlowMap) {
  EXPECT_FALSE(with_source("{ listen: \"127.0.0.1:1\" }\n", source()));
  EXPECT_FALSE(with_source("---\r\nlisten: 127.0.0.1:1\r\n", source()));
}

TEST(AgentText, RefusesASectionThatIsOneFlowMap) {
  constexpr std::string_view kText = "source: { url: \"file:///a\", verify: none }\n# ours\n";
  EXPECT_FALSE(with_source(kText, source()));
  EXPECT_EQ(without_source(kText).value(), "# ours\n");
}

}  // namespace
}  // namespace spark::cli
