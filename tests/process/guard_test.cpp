// The guard: nothing through which this machine is reached is taken away; other changes of the same
// links are nobody's concern.

#include <string>

#include <arpa/inet.h>
#include <sys/socket.h>

#include "process/spark.hpp"

namespace spark::test {
namespace {

using ::testing::HasSubstr;

/// enP7s7 has 192.0.2.10/24 and 203.0.113.10/24, both of them ours to remove.
class Guard : public ::testing::Test {
 protected:
  Guard() {
    spark_.add_link("enP7s7");
    allows("enP7s7: { addresses: [192.0.2.10/24, 203.0.113.10/24] }");
  }

  void refuses(const std::string& links, const std::string& why) const {
    spark_.file_with_links(links);
    const auto before = spark_.dump();
    const auto outcome = spark_.reconcile({"apply"});
    EXPECT_THAT(outcome, ExitsWith(6)) << links;
    EXPECT_THAT(outcome.err, HasSubstr("[SR-GUARD-001]")) << links;
    EXPECT_THAT(outcome.err, HasSubstr(why)) << links;
    EXPECT_EQ(spark_.dump(), before) << links;
  }

  void allows(const std::string& links) const {
    spark_.file_with_links(links);
    EXPECT_THAT(spark_.reconcile({"apply"}), ExitsWith(0)) << links;
  }

  Spark spark_;
};

TEST_F(Guard, KeepsWhatTheDefaultRouteLeavesBy) {
  spark_.ip("route add default via 192.0.2.1");
  refuses("enP7s7: { up: false }", "default route");
  refuses("enP7s7: { addresses: [203.0.113.10/24] }", "default route");
  // Another length takes the address away for a moment.
  refuses("enP7s7: { addresses: [192.0.2.10/25, 203.0.113.10/24] }", "default route");
  allows("enP7s7: { mtu: 9000, addresses: [192.0.2.10/24, 198.51.100.10/24] }");
}

TEST_F(Guard, KeepsTheLinkLocalAddressThatLeadsToAnIpv6Router) {
  spark_.set_sysctl("net.ipv6.conf.enP7s7.addr_gen_mode", "0");
  spark_.ip("route add default via fe80::1 dev enP7s7");
  refuses("enP7s7: { link_local: none, addresses: [192.0.2.10/24, 203.0.113.10/24] }",
          "default route");
}

TEST_F(Guard, KeepsTheIpv6ThatADefaultRouteLeavesBy) {
  spark_.ip(
      "address add 2001:db8::10/64 dev enP7s7\n"
      "route add default via 2001:db8::1");
  const std::string addresses = "addresses: [192.0.2.10/24, 203.0.113.10/24]";
  refuses("enP7s7: { mtu: 1000, " + addresses + " }", "default route");
  spark_.file(R"(version: 1
cluster: lab
nodes: { spark1: {} }
host: { sysctl: { net.ipv6.conf.enP7s7.disable_ipv6: 1 } }
)");
  const auto outcome = spark_.reconcile({"apply"});
  EXPECT_THAT(outcome, ExitsWith(6));
  EXPECT_THAT(outcome.err, HasSubstr("[SR-GUARD-001]"));
}

TEST_F(Guard, KeepsEveryNextHopOfTheDefaultRoute) {
  spark_.add_link("enp1s0f0np0");
  spark_.ip(
      "address add 198.51.100.10/24 dev enp1s0f0np0\n"
      "route add default nexthop via 192.0.2.1 dev enP7s7 nexthop via 198.51.100.1 dev "
      "enp1s0f0np0");
  const std::string rest = "enP7s7: { addresses: [192.0.2.10/24, 203.0.113.10/24] }\n";
  refuses(rest + "enp1s0f0np0: { up: false }", "default route");
}

TEST_F(Guard, KnowsALinkByItsAlternativeName) {
  spark_.ip("link property add dev enP7s7 altname enP7p1s0");
  const auto managed = [&](const std::string& management, const std::string& link) {
    spark_.file("version: 1\ncluster: lab\nnodes:\n  spark1: { management: " + management +
                ", links: { " + link + ": { up: false } } }\n");
    return spark_.reconcile({"apply"});
  };
  EXPECT_THAT(managed("enP7p1s0", "enP7s7"), ExitsWith(6));
  EXPECT_THAT(managed("enP7s7", "enP7p1s0"), ExitsWith(6));
}

TEST_F(Guard, KeepsWhatStandsBelowTheDefaultRoute) {
  spark_.ip(
      "link add link enP7s7 name stacked0 type macvlan\n"
      "link set stacked0 up\n"
      "address add 198.51.100.10/24 dev stacked0\n"
      "route add default via 198.51.100.1");
  refuses("enP7s7: { up: false }", "default route");
  allows("enP7s7: { addresses: [192.0.2.10/24] }");
}

TEST_F(Guard, KeepsTheManagementLinkAndAllItsAddresses) {
  const auto managed = [&](const std::string& link) {
    spark_.file(
        "version: 1\ncluster: lab\nnodes:\n"
        "  spark1: { management: enP7s7, links: { enP7s7: " +
        link + " } }\n");
    return spark_.reconcile({"apply"});
  };
  const auto before = spark_.dump();
  EXPECT_THAT(managed("{ up: false }"), ExitsWith(6));
  EXPECT_THAT(managed("{ addresses: [192.0.2.10/24] }"), ExitsWith(6));
  EXPECT_THAT(managed("{ addresses: [192.0.2.10/24, 203.0.113.10/25] }"), ExitsWith(6));
  EXPECT_EQ(spark_.dump(), before);
  EXPECT_THAT(
      managed("{ mtu: 9000, addresses: [192.0.2.10/24, 203.0.113.10/24, 198.51.100.10/24] }"),
      ExitsWith(0));
}

/// An established TCP connection to a port of the machine.
class Session {
 public:
  Session(const Spark& spark, const char* address, std::uint16_t port) {
    in_network(spark.network(), [&] {
      sockaddr_in to{.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {}};
      EXPECT_EQ(inet_pton(AF_INET, address, &to.sin_addr), 1);
      auto* generic = static_cast<sockaddr*>(static_cast<void*>(&to));
      listener_ = UniqueFd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      client_ = UniqueFd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
      EXPECT_EQ(bind(listener_.get(), generic, sizeof(to)), 0);
      EXPECT_EQ(listen(listener_.get(), 1), 0);
      EXPECT_EQ(connect(client_.get(), generic, sizeof(to)), 0);
      server_ = UniqueFd(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      EXPECT_TRUE(server_.valid());
    });
  }

 private:
  UniqueFd listener_;
  UniqueFd client_;
  UniqueFd server_;
};

TEST_F(Guard, KeepsWhatAnSshSessionIsConnectedTo) {
  const Session session(spark_, "203.0.113.10", 22);
  refuses("enP7s7: { up: false }", "ssh session");
  refuses("enP7s7: { addresses: [192.0.2.10/24] }", "ssh session");
  allows("enP7s7: { addresses: [203.0.113.10/24] }");
}

TEST_F(Guard, TakesTheShellsWordForItsSshSession) {
  spark_.file_with_links("enP7s7: { up: false }");
  auto command = spark_.command({"plan"});
  command.environment = {"SSH_CONNECTION=203.0.113.99 40000 203.0.113.10 22"};
  EXPECT_THAT(run(command), ExitsWith(6));
}

TEST_F(Guard, NeverRefusesAnEmptyPlan) {
  spark_.ip("route add default via 192.0.2.1");
  const Session session(spark_, "203.0.113.10", 22);
  allows("enP7s7: { up: true, addresses: [192.0.2.10/24, 203.0.113.10/24] }");
}

}  // namespace
}  // namespace spark::test
