#include "host/linux/linux_system.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "fake/fake_host.hpp"

namespace spark::host {
namespace {

using testing::Contains;
using testing::Field;
using testing::Not;

class LinuxSystemTest : public testing::Test {
 protected:
  LinuxSystem system(std::string ssh_connection = "") {
    return {world_.files(), std::move(ssh_connection)};
  }

  test::FakeHost world_;
};

TEST_F(LinuxSystemTest, KnowsWhoThisIs) {
  world_.files().put("/etc/machine-id", "0123456789abcdef0123456789abcdef\n");
  utsname names{};
  ASSERT_EQ(uname(&names), 0);
  EXPECT_EQ(*system().identity(), (Identity{.hostname = names.nodename,
                                            .machine_id = "0123456789abcdef0123456789abcdef",
                                            .kernel = names.release}));
}

TEST_F(LinuxSystemTest, TheLastingNameComesBeforeTheOneOfTheMoment) {
  utsname names{};
  ASSERT_EQ(uname(&names), 0);
  const auto name_with = [this](const std::string& text) {
    world_.files().put("/etc/hostname", text);
    return system().identity()->hostname;
  };
  EXPECT_EQ(name_with("spark1\n"), "spark1");
  EXPECT_EQ(name_with("# hostname(5)\n\n  spark1 \n"), "spark1");
  for (const auto* none : {"", "\n", "localhost\n", "# nothing\n"}) {
    EXPECT_EQ(name_with(none), names.nodename) << none;
  }
}

TEST_F(LinuxSystemTest, AMachineWithoutMachineIdHasNone) {
  EXPECT_EQ(system().identity()->machine_id, "");
}

TEST_F(LinuxSystemTest, AMachineIdThatCannotBeReadIsAnError) {
  world_.make_unreadable("/etc/machine-id");
  EXPECT_FALSE(system().identity());
}

TEST_F(LinuxSystemTest, TheSessionOfThisProcessCounts) {
  EXPECT_THAT(*system("198.51.100.7 50000 192.0.2.11 22").ssh_sessions(),
              Contains(SshSession{.local = *IpAddress::parse("192.0.2.11"),
                                  .peer = *IpAddress::parse("198.51.100.7")}));
  EXPECT_THAT(*system("fe80::7%enP7s7 50000 fe80::11%enP7s7 22").ssh_sessions(),
              Contains(SshSession{.local = *IpAddress::parse("fe80::11"),
                                  .peer = *IpAddress::parse("fe80::7")}));
}

TEST_F(LinuxSystemTest, ASessionThatNamesNoAddressIsNone) {
  for (const auto* text : {"", "198.51.100.7", "198.51.100.7 50000", "198.51.100.7 50000 x 22"}) {
    EXPECT_THAT(*system(text).ssh_sessions(),
                Not(Contains(Field(&SshSession::peer, *IpAddress::parse("198.51.100.7")))));
  }
}

TEST_F(LinuxSystemTest, RootMayChangeTheNetwork) {
  if (geteuid() != 0) {
    GTEST_SKIP() << "not root";
  }
  EXPECT_TRUE(*system().can_change_network());
}

}  // namespace
}  // namespace spark::host
