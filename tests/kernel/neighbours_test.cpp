// Who answers for an address over a cable, in both families, and what the question leaves behind.

#include "host/neighbours.hpp"

#include <array>
#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fake/names.hpp"
#include "kernel/namespace.hpp"

namespace spark::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::chrono::milliseconds kPatience{300};
constexpr const char* kTwin = "enP2p1s0f0np0";

class LinuxNeighbours : public NamespaceTest {
 protected:
  void SetUp() override {
    NamespaceTest::SetUp();
    if (IsSkipped()) return;
    add_cable(kRail);
    ip("link set enp1s0f0np0 up");
    ip("address add 192.0.2.11/24 dev enp1s0f0np0");
    ip("address add 2001:db8::11/64 dev enp1s0f0np0 nodad");
    ip_at_peer("address add 192.0.2.12/24 dev enp1s0f0np0");
    ip_at_peer("address add 2001:db8::12/64 dev enp1s0f0np0 nodad");
    wait_until_usable();
  }

  /// From our own address.
  static host::NeighbourQuestion for_address(const char* target) {
    const auto ip = *IpAddress::parse(target);
    return {.link = kRail,
            .target = ip,
            .sender = IpAddress::parse(ip.is_v4() ? "192.0.2.11" : "2001:db8::11"),
            .to = {}};
  }
  static host::NeighbourQuestion from_nowhere(const char* target) {
    auto question = for_address(target);
    question.sender.reset();
    return question;
  }

  static host::NeighbourReport ask(const host::NeighbourQuestion& question) {
    const auto reports = host::ask_neighbours(std::array{question}, kPatience);
    EXPECT_TRUE(reports) << reports.error().what;
    return reports->at(0);
  }

  [[nodiscard]] host::MacAddress peer_mac(const std::string& link = kRail) const {
    const auto text = ip_at_peer("-json link show " + link);
    return *host::parse_mac(nlohmann::json::parse(text)[0]["address"]);
  }
};

TEST_F(LinuxNeighbours, NamesWhoAnswersInBothFamilies) {
  for (const auto* peer : {"192.0.2.12", "2001:db8::12"}) {
    EXPECT_THAT(ask(for_address(peer)).macs, ElementsAre(peer_mac())) << peer;
  }
  EXPECT_THAT(ask(from_nowhere("192.0.2.12")).macs, ElementsAre(peer_mac()));
  EXPECT_EQ(ask(for_address("192.0.2.13")), host::NeighbourReport());
  EXPECT_EQ(ask(for_address("2001:db8::13")), host::NeighbourReport());
}

TEST_F(LinuxNeighbours, AnswersToOneHostAlone) {
  auto question = for_address("192.0.2.12");
  question.to = peer_mac();
  EXPECT_THAT(ask(question).macs, ElementsAre(peer_mac()));
  question.to = host::MacAddress{0x02, 0, 0, 0, 0, 0x7f};
  EXPECT_THAT(ask(question).macs, IsEmpty());
}

TEST_F(LinuxNeighbours, AHostInAnotherSubnetAnswersAQuestionFromNowhere) {
  ip_at_peer("address add 198.51.100.12/24 dev enp1s0f0np0");
  EXPECT_THAT(ask(from_nowhere("198.51.100.12")).macs, ElementsAre(peer_mac()));
}

TEST_F(LinuxNeighbours, NeverAsksFromTheUnspecifiedIpv6Address) {
  auto question = from_nowhere("2001:db8::12");
  EXPECT_THAT(ask(question).refused, HasSubstr("no address of ours"));
  question.sender = *IpAddress::parse("::");
  EXPECT_THAT(ask(question).refused, HasSubstr("no address of ours"));
}

TEST_F(LinuxNeighbours, AnIpv6PeerThatSetsItsAddressMeanwhileKeepsIt) {
  ip_at_peer("address add 2001:db8::77/64 dev enp1s0f0np0");
  ask(for_address("2001:db8::77"));
  const auto text = ip_at_peer("address show dev enp1s0f0np0 to 2001:db8::77");
  EXPECT_THAT(text, HasSubstr("2001:db8::77"));
  EXPECT_THAT(text, Not(HasSubstr("dadfailed")));
}

TEST_F(LinuxNeighbours, LeaveTheTablesOfBothEndsAsTheyAre) {
  // Both machines have two rails on one wire, and the peer answers as before its first apply.
  add_cable(kTwin);
  ip_at_peer("address add 198.51.100.12/24 dev enP2p1s0f0np0");
  ip("link set enP2p1s0f0np0 up");
  ip("address add 198.51.100.11/24 dev enP2p1s0f0np0");
  ip("neighbour replace 192.0.2.12 lladdr " + host::text_of(peer_mac()) +
     " dev enp1s0f0np0 nud reachable");
  const auto ours = link(kRail).mac;
  ip_at_peer("neighbour replace 192.0.2.11 lladdr " + ours + " dev enp1s0f0np0 nud reachable");
  const auto addresses = [](const std::string& table) {
    std::vector<std::string> lines;
    for (const auto& entry : nlohmann::json::parse(table)) {
      if (entry.contains("lladdr") &&
          entry["dst"].get<std::string>().find(':') == std::string::npos)
        lines.push_back(entry["dst"].get<std::string>() + entry["dev"].get<std::string>() +
                        entry["lladdr"].get<std::string>());
    }
    return lines;
  };
  const auto before = addresses(ip("-json neighbour show"));
  const auto before_there = addresses(ip_at_peer("-json neighbour show"));
  auto direct = for_address("192.0.2.12");
  direct.to = peer_mac();
  const std::array questions{direct, from_nowhere("198.51.100.12"), from_nowhere("203.0.113.9")};
  const auto reports = host::ask_neighbours(questions, kPatience);
  ASSERT_TRUE(reports);
  EXPECT_THAT((*reports)[1].macs, ElementsAre(peer_mac())) << "as with arp_ignore 0";
  EXPECT_EQ(addresses(ip("-json neighbour show")), before);
  EXPECT_EQ(addresses(ip_at_peer("-json neighbour show")), before_there);
}

TEST_F(LinuxNeighbours, SendsAtMostTwentyAPerSecondOverALink) {
  const std::vector<host::NeighbourQuestion> questions(11, from_nowhere("192.0.2.12"));
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_TRUE(host::ask_neighbours(questions, std::chrono::milliseconds(0)));
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(500));
}

TEST_F(LinuxNeighbours, SaysWhyItDoesNotAsk) {
  auto question = for_address("192.0.2.12");
  question.link = "enp1s0f1np1";
  EXPECT_THAT(ask(question).refused, HasSubstr("No such device"));
  question.link = kRail;
  ip("link set enp1s0f0np0 down");
  EXPECT_THAT(ask(question).refused, HasSubstr("Network is down"));
}

TEST_F(LinuxNeighbours, AreNotAskedWithoutTheRightTo) {
  const pid_t child = fork();
  if (child == 0) {
    const bool dropped = setgid(65534) == 0 && setuid(65534) == 0;
    const auto reports = host::ask_neighbours(std::array{for_address("192.0.2.12")}, kPatience);
    _exit(dropped && !reports && reports.error().code == ErrorCode::kPermission ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(LinuxNeighbours, TheKernelsTableIsRead) {
  const auto mac = peer_mac();
  ip("neighbour replace 192.0.2.12 lladdr " + host::text_of(mac) +
     " dev enp1s0f0np0 nud permanent");
  const auto neighbours = netlink_.neighbours();
  ASSERT_TRUE(neighbours) << neighbours.error().what;
  EXPECT_THAT(
      *neighbours,
      testing::Contains(host::NeighbourInfo{
          .link_index = link(kRail).index, .ip = *IpAddress::parse("192.0.2.12"), .mac = mac}));
  const auto downs = link(kRail).carrier_downs;
  ip_at_peer("link set enp1s0f0np0 down");
  EXPECT_EQ(link(kRail).carrier_downs, downs + 1);
}

}  // namespace
}  // namespace spark::test
