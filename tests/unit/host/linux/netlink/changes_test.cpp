#include "host/linux/netlink/changes.hpp"

#include <cstring>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>

namespace spark::host {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint32_t kKernel = 0;

template <class Body>
std::string message(std::uint16_t type, std::uint32_t port, const Body& body) {
  const nlmsghdr header{.nlmsg_len = sizeof(nlmsghdr) + sizeof(Body),
                        .nlmsg_type = type,
                        .nlmsg_flags = 0,
                        .nlmsg_seq = 0,
                        .nlmsg_pid = port};
  std::string bytes(sizeof header + sizeof body, '\0');
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(&bytes[sizeof header], &body, sizeof body);
  bytes.resize(NLMSG_ALIGN(bytes.size()));
  return bytes;
}

std::string link(int index, std::uint32_t port) {
  ifinfomsg body{};
  body.ifi_index = index;
  return message(RTM_NEWLINK, port, body);
}

std::string address(std::uint32_t index, std::uint32_t port) {
  ifaddrmsg body{};
  body.ifa_index = index;
  return message(RTM_DELADDR, port, body);
}

TEST(ChangesIn, NamesLinkAndProcessOfEachInOrder) {
  EXPECT_THAT(changes_in(link(3, 4711) + address(4, 4712)),
              ElementsAre(LinkChange{3, 4711}, LinkChange{4, 4712}));
}

TEST(ChangesIn, TakesTheProcessOutOfAPortThatLibnlMadeUp) {
  EXPECT_THAT(changes_in(address(4, (5U << 22U) | 4711U)), ElementsAre(LinkChange{4, 4711}));
}

TEST(ChangesIn, LeavesOutTheKernelsOwnAndPortsThatNameNoProcess) {
  EXPECT_THAT(changes_in(link(3, kKernel) + link(3, static_cast<std::uint32_t>(-4096))), IsEmpty());
}

TEST(ChangesIn, LeavesOutRoutes) {
  EXPECT_THAT(changes_in(message(RTM_NEWROUTE, 4711, rtmsg{})), IsEmpty());
}

TEST(ChangesIn, EndsAtAMessageThatIsCutShortOrLiesAboutItsLength) {
  const auto whole = link(3, 4711);
  EXPECT_THAT(changes_in(whole + whole.substr(0, sizeof(nlmsghdr) + 2)),
              ElementsAre(LinkChange{3, 4711}));
  auto lies = whole;
  lies[0] = 4;  // shorter than its own header
  EXPECT_THAT(changes_in(lies + whole), IsEmpty());
  for (std::size_t size = 0; size < sizeof(nlmsghdr) + sizeof(ifinfomsg); ++size) {
    EXPECT_THAT(changes_in(whole.substr(0, size)), IsEmpty()) << size;
  }
}

TEST(Uevent, OfANetworkDeviceMatters) {
  using std::string_literals::operator""s;
  EXPECT_TRUE(is_about_our_devices("add@/devices/a\0ACTION=add\0SUBSYSTEM=net\0INTERFACE=x\0"s));
  EXPECT_TRUE(is_about_our_devices("add@/devices/a\0SUBSYSTEM=infiniband"s)) << "without its end";
}

TEST(Uevent, OfAnotherDeviceOrWithoutASubsystemDoesNot) {
  using std::string_literals::operator""s;
  EXPECT_FALSE(is_about_our_devices("add@/devices/a\0SUBSYSTEM=usb\0"s));
  EXPECT_FALSE(is_about_our_devices("add@/devices/SUBSYSTEM=net\0ACTION=add\0"s));
  EXPECT_FALSE(is_about_our_devices(""));
}

}  // namespace
}  // namespace spark::host
