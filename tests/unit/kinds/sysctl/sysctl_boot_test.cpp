#include "kinds/sysctl/sysctl_boot.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace spark::kinds {
namespace {

/// A host that has only these files, by directory.
host::View view_with(const std::map<std::string, std::map<std::string, std::string>>& directories,
                     const std::string& sysctl_conf = "") {
  nlohmann::json facts;
  for (const auto* directory :
       {"/etc/sysctl.d", "/run/sysctl.d", "/usr/local/lib/sysctl.d", "/usr/lib/sysctl.d"}) {
    auto names = nlohmann::json::array();
    if (const auto found = directories.find(directory); found != directories.end()) {
      for (const auto& [name, text] : found->second) {
        names.push_back(name);
        facts["files"][std::string(directory) + "/" + name] = text;
      }
    }
    facts["directories"][directory] = names;
  }
  facts["files"]["/etc/sysctl.conf"] =
      sysctl_conf.empty() ? nlohmann::json(nullptr) : nlohmann::json(sysctl_conf);
  auto view = host::View::from_json(facts.dump());
  EXPECT_TRUE(view) << (view ? "" : view.error().what);
  return std::move(*view);
}

std::string winner(host::View view, const std::string& key) {
  const auto boot = BootSysctls::read(view);
  EXPECT_TRUE(boot);
  const auto* line = boot->winner(key);
  return line == nullptr ? "" : line->file + ":" + std::to_string(line->line) + " " + line->value;
}

TEST(BootSysctls, TakesTheLastFileByName) {
  auto view = view_with({{"/etc/sysctl.d", {{"90-b.conf", "net.core.rmem_max = 2\n"}}},
                         {"/usr/lib/sysctl.d", {{"99-c.conf", "\n# c\nnet/core/rmem_max=3\n"}}}});
  EXPECT_EQ(winner(std::move(view), "net.core.rmem_max"), "/usr/lib/sysctl.d/99-c.conf:3 3");
}

TEST(BootSysctls, LetsEtcHideAFileOfTheSameName) {
  auto view = view_with({{"/etc/sysctl.d", {{"50-a.conf", "net.core.rmem_max = 1\n"}}},
                         {"/usr/lib/sysctl.d", {{"50-a.conf", "net.core.rmem_max = 9\n"}}}});
  EXPECT_EQ(winner(std::move(view), "net.core.rmem_max"), "/etc/sysctl.d/50-a.conf:1 1");
}

TEST(BootSysctls, ReadsSysctlConfLast) {
  auto view = view_with({{"/etc/sysctl.d", {{"99-z.conf", "net.core.rmem_max = 1\n"}}}},
                        "net.core.rmem_max = 7\n");
  EXPECT_EQ(winner(std::move(view), "net.core.rmem_max"), "/etc/sysctl.conf:1 7");
}

TEST(BootSysctls, PrefersALiteralKeyToAPattern) {
  auto view = view_with({{"/etc/sysctl.d",
                          {{"10-a.conf", "net.ipv4.conf.eth0.arp_ignore = 1\n"},
                           {"20-b.conf", "net.ipv4.conf.*.arp_ignore = 2\n"}}}});
  auto again = view_with({{"/etc/sysctl.d", {{"20-b.conf", "net.ipv4.conf.*.arp_ignore = 2\n"}}}});
  EXPECT_EQ(winner(std::move(view), "net.ipv4.conf.eth0.arp_ignore"),
            "/etc/sysctl.d/10-a.conf:1 1");
  EXPECT_EQ(winner(std::move(again), "net.ipv4.conf.eth0.arp_ignore"),
            "/etc/sysctl.d/20-b.conf:1 2");
}

TEST(BootSysctls, TakesBothSpellingsOfAKeyWithADotInAName) {
  auto view = view_with(
      {{"/etc/sysctl.d", {{"10-a.conf", "net.ipv4.conf.eth0/100.arp_ignore = 1\nnothing =\n"}}}});
  EXPECT_EQ(winner(std::move(view), "net/ipv4/conf/eth0.100/arp_ignore"),
            "/etc/sysctl.d/10-a.conf:1 1");
}

TEST(BootSysctls, UnderstandsMinusCommentsAndTabs) {
  auto view =
      view_with({{"/etc/sysctl.d",
                  {{"10-a.conf", "; note\n-net.ipv4.tcp_rmem =  4096\t131072  33554432 \n"}}}});
  EXPECT_EQ(winner(std::move(view), "net.ipv4.tcp_rmem"),
            "/etc/sysctl.d/10-a.conf:2 4096 131072 33554432");
}

TEST(BootSysctls, SetsNothingWhereAMinusWithoutAValueComesLast) {
  auto view = view_with({{"/etc/sysctl.d",
                          {{"10-a.conf", "net.core.rmem_max = 1\nnet.ipv4.conf.*.rp_filter = 2\n"},
                           {"20-b.conf", "-net.core.rmem_max\n-net.ipv4.conf.eth0.rp_filter\n"}}}});
  const auto boot = BootSysctls::read(view);
  ASSERT_TRUE(boot);
  EXPECT_EQ(boot->winner("net.core.rmem_max")->value, "");
  EXPECT_EQ(boot->winner("net.ipv4.conf.eth0.rp_filter")->value, "");
  EXPECT_EQ(boot->winner("net.ipv4.conf.eth1.rp_filter")->value, "2");
}

TEST(BootSysctls, LetALaterLineOverruleOursAndNoLaterPattern) {
  auto view =
      view_with({{"/etc/sysctl.d",
                  {{"10-a.conf", "net.core.rmem_max = 1\n"},
                   {"99-z.conf", "net.core.wmem_max = 2\nnet.ipv4.conf.*.rp_filter = 2\n"}}}},
                "net.core.optmem_max = 3\n");
  const auto boot = BootSysctls::read(view);
  ASSERT_TRUE(boot);
  EXPECT_EQ(boot->later_than_ours("net.core.rmem_max"), nullptr);
  EXPECT_EQ(boot->later_than_ours("net.ipv4.conf.eth0.rp_filter"), nullptr);
  ASSERT_NE(boot->later_than_ours("net.core.wmem_max"), nullptr);
  ASSERT_NE(boot->later_than_ours("net.core.optmem_max"), nullptr);
}

TEST(WithSysctlLine, AddsChangesAndRemovesOneLine) {
  const auto one = with_sysctl_line("", "net.core.rmem_max", "1");
  EXPECT_TRUE(one.ends_with("net/core/rmem_max = 1\n"));
  const auto two = with_sysctl_line(one, "net.core.wmem_max", "2");
  EXPECT_TRUE(two.ends_with("net/core/rmem_max = 1\nnet/core/wmem_max = 2\n"));
  EXPECT_EQ(with_sysctl_line(two, "net.core.wmem_max", std::nullopt), one);
  EXPECT_EQ(with_sysctl_line(one, "net/core/rmem_max", std::nullopt), "");
}

}  // namespace
}  // namespace spark::kinds
