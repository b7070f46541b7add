#include "host/processes.hpp"

#include <gtest/gtest.h>

namespace spark::host {
namespace {

constexpr std::string_view kLimits =
    "Limit                     Soft Limit           Hard Limit           Units     \n"
    "Max processes             15477                15477                processes \n"
    "Max locked memory         8388608              unlimited            bytes     \n"
    "Max address space         unlimited            unlimited            bytes     \n";

TEST(ParseMemlockLimit, FindsItAmongTheOthers) {
  EXPECT_EQ(parse_memlock_limit(kLimits), (MemlockLimit{8388608, kUnlimited}));
}

TEST(ParseMemlockLimit, RefusesWhatIsNone) {
  for (const auto* text :
       {"", "Max processes 1 1 processes\n", "Max locked memory",
        "Max locked memory         8388608\n", "Max locked memory  x  1  bytes\n",
        "Max locked memory 99999999999999999999 1 bytes\n"}) {
    EXPECT_EQ(parse_memlock_limit(text), std::nullopt) << text;
  }
}

TEST(UnitOfGroup, IsTheFirstServiceOrScope) {
  EXPECT_EQ(unit_of_group("/system.slice/ssh.service"), "ssh.service");
  EXPECT_EQ(unit_of_group("/system.slice/system-getty.slice/getty@tty1.service"),
            "getty@tty1.service");
  EXPECT_EQ(unit_of_group("/user.slice/user-1000.slice/user@1000.service/app.slice/a.service"),
            "user@1000.service");
  EXPECT_EQ(unit_of_group("/user.slice/user-0.slice/session-3.scope"), "session-3.scope");
}

TEST(UnitOfGroup, IsNoneInASlice) {
  EXPECT_EQ(unit_of_group("/system.slice"), "");
  EXPECT_EQ(unit_of_group(""), "");
}

TEST(MemlockText, TakesTheLargestUnitThatIsExact) {
  EXPECT_EQ(memlock_text(kUnlimited), "unlimited");
  EXPECT_EQ(memlock_text(std::uint64_t{16} << 30U), "16 GiB");
  EXPECT_EQ(memlock_text(8388608), "8 MiB");
  EXPECT_EQ(memlock_text(100000), "100000 bytes");
  EXPECT_EQ(memlock_text(0), "0 bytes");
}

}  // namespace
}  // namespace spark::host
