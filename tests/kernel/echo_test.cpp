// What comes back over a cable, and how that is told from what does not.

#include "host/echo.hpp"

#include <array>
#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake/names.hpp"
#include "host/linux/linux_system.hpp"
#include "kernel/namespace.hpp"

namespace spark::test {
namespace {

using testing::HasSubstr;

constexpr std::chrono::seconds kLong{30};
constexpr std::chrono::milliseconds kShort{1000};  // a busy machine answers late

class LinuxEcho : public NamespaceTest {
 protected:
  void SetUp() override {
    NamespaceTest::SetUp();
    if (IsSkipped()) return;
    EXPECT_TRUE(host::LinuxSysctl().write("net.ipv4.ping_group_range", "0 2147483647"));
    add_cable(kRail);
    ip("link set enp1s0f0np0 mtu 9000 up");
    ip("address add 192.0.2.11/24 dev enp1s0f0np0");
    ip("address add 2001:db8::11/64 dev enp1s0f0np0 nodad");
    ip_at_peer("link set enp1s0f0np0 mtu 9000");
    ip_at_peer("address add 192.0.2.12/24 dev enp1s0f0np0");
    ip_at_peer("address add 2001:db8::12/64 dev enp1s0f0np0 nodad");
    wait_until_usable();
  }

  static protocol::EchoRequest to(const char* peer, std::uint32_t bytes = 9000) {
    const auto ip = *IpAddress::parse(peer);
    const auto* const ours = ip.is_v4() ? "192.0.2.11" : "2001:db8::11";
    return {.link = kRail, .from = *IpAddress::parse(ours), .to = ip, .bytes = bytes};
  }

  static protocol::EchoReport ask(const protocol::EchoRequest& request,
                                  std::chrono::milliseconds deadline) {
    const auto reports = host::echo_all(std::array{request}, deadline);
    EXPECT_TRUE(reports) << reports.error().what;
    return reports->at(0);
  }
};

TEST_F(LinuxEcho, BringsAWholePacketBackInBothFamilies) {
  for (const auto* peer : {"192.0.2.12", "2001:db8::12"}) {
    const auto report = ask(to(peer), kLong);
    EXPECT_TRUE(report.whole) << peer;
    EXPECT_GT(report.took.count(), 0);
  }
}

TEST_F(LinuxEcho, TellsASmallerMtuOfThePeerFromAPeerThatIsNotThere) {
  ip_at_peer("link set enp1s0f0np0 mtu 1500");
  const auto reports = host::echo_all(
      std::array{to("192.0.2.12"), to("2001:db8::12"), to("192.0.2.13"), to("192.0.2.12", 1500)},
      kShort);
  ASSERT_TRUE(reports);
  const protocol::EchoReport none;
  EXPECT_TRUE((*reports)[0].small && !(*reports)[0].whole);
  EXPECT_TRUE((*reports)[1].small && !(*reports)[1].whole);
  EXPECT_EQ((*reports)[2], none);
  EXPECT_TRUE((*reports)[3].whole);
}

TEST_F(LinuxEcho, SaysWhyThisMachineSendsNothing) {
  EXPECT_THAT(ask(to("192.0.2.12", 9001), kLong).refused, HasSubstr("Message too long"));
  auto from_nowhere = to("192.0.2.12");
  from_nowhere.from = *IpAddress::parse("192.0.2.99");
  EXPECT_THAT(ask(from_nowhere, kLong).refused, HasSubstr("Cannot assign requested address"));
  auto over_nothing = to("192.0.2.12");
  over_nothing.link = "enp1s0f1np1";
  EXPECT_THAT(ask(over_nothing, kLong).refused, HasSubstr("No such device"));
}

TEST_F(LinuxEcho, CountsNoAnswerThatComesByAnotherLink) {
  // Both ends know a second cable, and the peer answers by that one.
  add_cable("enP2p1s0f0np0");
  ip("link set enP2p1s0f0np0 mtu 9000 up");
  ip("address add 198.51.100.11/24 dev enP2p1s0f0np0");
  ip_at_peer("link set enP2p1s0f0np0 mtu 9000");
  ip_at_peer("address add 198.51.100.12/24 dev enP2p1s0f0np0");
  ip_at_peer("route add 192.0.2.11/32 via 198.51.100.11");
  EXPECT_EQ(ask(to("192.0.2.12"), kShort), protocol::EchoReport());
  ip_at_peer("route delete 192.0.2.11/32 via 198.51.100.11");
  EXPECT_TRUE(ask(to("192.0.2.12"), kLong).whole);
}

TEST_F(LinuxEcho, NeedsNoPermissionOfTheGroupAsRoot) {
  EXPECT_TRUE(host::LinuxSysctl().write("net.ipv4.ping_group_range", "1 0"));
  for (const auto* peer : {"192.0.2.12", "2001:db8::12"}) {
    EXPECT_TRUE(ask(to(peer), kLong).whole) << peer;
  }
  ip_at_peer("link set enp1s0f0np0 mtu 1500");
  for (const auto* peer : {"192.0.2.12", "2001:db8::12"}) {
    const auto report = ask(to(peer), kShort);
    EXPECT_TRUE(report.small && !report.whole) << peer;
  }
}

TEST_F(LinuxEcho, IsRefusedToOthersInAGroupThatMaySendNone) {
  EXPECT_TRUE(host::LinuxSysctl().write("net.ipv4.ping_group_range", "1 0"));
  const pid_t child = fork();
  if (child == 0) {
    const bool dropped = setgid(65534) == 0 && setuid(65534) == 0;
    const auto reports = host::echo_all(std::array{to("192.0.2.12")}, kLong);
    _exit(dropped && !reports && reports.error().code == ErrorCode::kPermission ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace spark::test
