#include "kinds/memlock/memlock_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_host.hpp"

namespace spark::kinds {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

constexpr std::uint64_t kKibi = 1024;

class MemlockLines : public testing::Test {
 protected:
  std::vector<MemlockLine> logins() {
    auto ports = host_.host();
    host::View view(ports);
    return login_memlock_lines(view).value();
  }
  std::vector<MemlockLine> manager() {
    auto ports = host_.host();
    host::View view(ports);
    return manager_memlock_lines(view).value();
  }
  void put(const std::string& path, const std::string& text) { host_.files().put(path, text); }

  test::FakeHost host_;
};

TEST_F(MemlockLines, TakesTheLastFileOfLimitsByName) {
  put("/etc/security/limits.conf", "* soft memlock 1\n");
  put("/etc/security/limits.d/99-b.conf", "*\tsoft\tmemlock\t3 # why\n");
  put("/etc/security/limits.d/10-a.conf", "* soft memlock 2\n");
  const auto lines = logins();
  const auto* soft = soft_winner(lines, "*");
  ASSERT_NE(soft, nullptr);
  EXPECT_EQ(soft->soft, 3 * kKibi);
  EXPECT_EQ(soft->file, "/etc/security/limits.d/99-b.conf");
  EXPECT_TRUE(soft->after_ours);
  EXPECT_EQ(hard_winner(lines, "*"), nullptr);
  EXPECT_EQ(soft_winner(lines, "root"), nullptr) << "the wildcard leaves root out";
}

TEST_F(MemlockLines, ADashSetsBoth) {
  put("/etc/security/limits.d/a.conf", "root - memlock unlimited\n");
  const auto lines = logins();
  ASSERT_NE(soft_winner(lines, "root"), nullptr);
  EXPECT_EQ(hard_winner(lines, "root")->hard, host::kUnlimited);
  EXPECT_TRUE(hard_winner(lines, "root")->after_ours) << "'a' sorts after '9'";
}

TEST_F(MemlockLines, PassesOverWhatPamPassesOver) {
  put("/etc/security/limits.conf",
      "* soft nofile 1\n* soft memlock many\n* both memlock 1\n* soft memlock\n#* - memlock 1\n");
  EXPECT_THAT(logins(), SizeIs(0));
}

TEST_F(MemlockLines, ReadsTheManagersSectionAlone) {
  put("/etc/systemd/system.conf", "[Manager]\n#DefaultLimitMEMLOCK=1\nDefaultLimitMEMLOCK=8M\n");
  put("/usr/lib/systemd/system.conf.d/50-a.conf",
      "[Other]\nDefaultLimitMEMLOCK=1\n[Manager]\nDefaultLimitMEMLOCK=1G:infinity\n");
  const auto lines = manager();
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_EQ(lines[0].soft, 8 * kKibi * kKibi);
  EXPECT_EQ(soft_winner(lines, "")->soft, kKibi * kKibi * kKibi);
  EXPECT_EQ(hard_winner(lines, "")->hard, host::kUnlimited);
  EXPECT_EQ(lines[1].line, 4);
  EXPECT_FALSE(lines[1].after_ours);
}

TEST_F(MemlockLines, AnEmptyAssignmentEndsWhatStoodBefore) {
  put("/etc/systemd/system.conf.d/50-a.conf", "[Manager]\nDefaultLimitMEMLOCK=1G\n");
  put("/etc/systemd/system.conf.d/60-b.conf", "[Manager]\nDefaultLimitMEMLOCK=\n");
  const auto lines = manager();
  ASSERT_NE(soft_winner(lines, ""), nullptr);
  EXPECT_EQ(soft_winner(lines, "")->soft, std::nullopt);
}

TEST(ParseSystemdLimit, KnowsItsForms) {
  EXPECT_EQ(parse_systemd_limit("infinity"),
            (host::MemlockLimit{host::kUnlimited, host::kUnlimited}));
  EXPECT_EQ(parse_systemd_limit("64K:1M"), (host::MemlockLimit{64 * kKibi, kKibi * kKibi}));
  EXPECT_EQ(parse_systemd_limit("65536"), (host::MemlockLimit{65536, 65536}));
  for (const auto* text : {"", "M", "1:", ":1", "-1", "64k", "99999999999E", "1 2"}) {
    EXPECT_EQ(parse_systemd_limit(text), std::nullopt) << text;
  }
}

TEST(MemlockTexts, SayItForRootToo) {
  EXPECT_THAT(limits_text(host::kUnlimited), HasSubstr("\n* hard memlock unlimited\n"));
  EXPECT_THAT(limits_text(1024 * kKibi), HasSubstr("\nroot soft memlock 1024\n"));
  EXPECT_THAT(manager_text(65536), HasSubstr("\n[Manager]\nDefaultLimitMEMLOCK=65536\n"));
  EXPECT_THAT(unit_text(host::kUnlimited), HasSubstr("\n[Service]\nLimitMEMLOCK=infinity\n"));
}

}  // namespace
}  // namespace spark::kinds
