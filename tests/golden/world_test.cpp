#include "golden/world.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/view.hpp"
#include "kinds/network/address_origin.hpp"

namespace spark::test {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::SizeIs;

class WorldTest : public testing::Test {
 protected:
  host::View& of(const std::string& text) {
    build_world(host_, text);
    return view_;
  }

  std::vector<std::string> addresses_on(const std::string& link) {
    std::vector<std::string> texts;
    for (const auto& address : view_.addresses_on(*view_.link(link))) {
      texts.push_back(address.text());
    }
    return texts;
  }

  FakeHost host_;
  host::Host ports_ = host_.host();
  host::View view_{ports_};
};

TEST_F(WorldTest, OfAnEmptyTextIsASparkAsItComes) {
  auto& view = of("# nothing\n");
  EXPECT_THAT(*view.links(), SizeIs(7));
  EXPECT_THAT(*view.rdma_ports(), SizeIs(4));
  EXPECT_TRUE(view.link("enp1s0f0np0")->carrier);
  EXPECT_FALSE(view.link("wlP9s9")->up);
  EXPECT_FALSE(*view.file("/etc/NetworkManager/NetworkManager.conf"));
  EXPECT_EQ(host_.writes(), 0U);
}

TEST_F(WorldTest, HasLinksAsTheTextSays) {
  auto& view = of(R"(
links:
  enP7s7: { addresses: [192.0.2.11/24] }
  enp1s0f0np0: { mtu: 9000, ipv6: none, ours: [198.51.100.11/24], sysctl: { arp_ignore: 1 } }
  enp1s0f1np1: { cable: false }
  enP2p1s0f0np0: { up: false }
  enP2p1s0f1np1: absent
  docker0: { kind: bridge, addresses: [203.0.113.1/24] }
)");
  EXPECT_THAT(addresses_on("enP7s7"), testing::ElementsAre("192.0.2.11/24"));
  const auto& rail = *view.link("enp1s0f0np0");
  EXPECT_EQ(rail.mtu, 9000U);
  EXPECT_THAT(
      *view.addresses(),
      Contains(testing::AllOf(Field(&host::AddressInfo::link_index, rail.index),
                              Field(&host::AddressInfo::protocol, kinds::kOurAddressProtocol))));
  EXPECT_EQ(view.address(rail, *IpAddress::parse("fe80::5eff:fe10:2")), nullptr);
  EXPECT_EQ(view.sysctl("net.ipv4.conf.enp1s0f0np0.arp_ignore")->text, "1");
  EXPECT_FALSE(view.link("enp1s0f1np1")->carrier);
  EXPECT_FALSE(view.link("enP2p1s0f0np0")->up);
  EXPECT_EQ(view.link("enP2p1s0f1np1"), nullptr);
  EXPECT_THAT(*view.rdma_ports(), SizeIs(3));
  EXPECT_EQ(view.link("docker0")->kind, "bridge");
}

TEST_F(WorldTest, HasEverythingElseAsTheTextSays) {
  auto& view = of(R"(
hostname: spark9
links: { enp1s0f0np0: { ours: [198.51.100.11/24] } }
routes: [{ to: 198.51.100.0/25, via: 192.0.2.1, link: enP7s7, table: 52, metric: 7 }]
rules: [{ priority: 5270, table: 52 }]
sysctl: { net.core.rmem_max: 777777 }
managers: [NetworkManager, systemd-networkd]
rdma:
  rocep1s0f0: { gids: { 198.51.100.11: 7 }, cm_mode: RoCE v2 }
  rocep1s0f1: absent
modules: { nvme_tcp: loaded, rdma_ucm: available, mlx5_ib: missing, ib_uverbs: built_in }
memlock: { init.scope: unlimited, system.slice/ssh.service: 8MiB }
nvme:
  - { nqn: data, address: 198.51.100.12, port: 4421, over: enp1s0f0np0,
      uuid: 00000000-0000-4000-8000-00000000000d }
mounts: [{ path: /mnt/data, nqn: data, type: ext4, writable: true, options: [noatime] }]
files: { /etc/hosts: "127.0.0.1 localhost spark9\n" }
)");
  EXPECT_EQ(view.identity()->hostname, "spark9");
  EXPECT_THAT(*view.routes(), Contains(Field(&host::RouteInfo::metric, 7U)));
  EXPECT_EQ(view.route_to(*IpAddress::parse("198.51.100.12"))->table, 52U);
  EXPECT_EQ(view.sysctl("net.core.rmem_max")->text, "777777");
  EXPECT_TRUE(*view.file("/etc/NetworkManager/NetworkManager.conf"));
  EXPECT_THAT(*view.directory("/sys/fs/cgroup/system.slice/systemd-networkd.service"), SizeIs(1));
  const auto& ports = *view.rdma_ports();
  const auto port = std::ranges::find(ports, "rocep1s0f0", &host::RdmaPort::device);
  ASSERT_NE(port, ports.end());
  EXPECT_THAT(ports, SizeIs(3));
  EXPECT_EQ(view.rdma_gids(*port)->back().index, 7U);
  EXPECT_EQ(view.rdma_gids(*port)->back().type, host::kRoceV2);
  EXPECT_EQ(*view.rdma_cm_mode(*port), "RoCE v2");
  EXPECT_TRUE(view.module("nvme_tcp")->loaded);
  EXPECT_FALSE(view.module("rdma_ucm")->loaded);
  EXPECT_FALSE(view.module("mlx5_ib")->available);
  EXPECT_TRUE(view.module("ib_uverbs")->built_in);
  EXPECT_EQ(view.process_groups()->at(0).memlock_soft, host::kUnlimited);
  EXPECT_EQ(view.process_groups()->at(1).memlock_soft, 8U * 1024 * 1024);
  EXPECT_EQ(view.nvme()->controllers.at(0).via, "enp1s0f0np0");
  EXPECT_EQ(view.mounts()->at(0).device, view.nvme()->namespaces.at(0).device);
  EXPECT_EQ(*view.file("/etc/hosts"), "127.0.0.1 localhost spark9\n");
}

struct WrongText {
  const char* text;
  const char* what;
};

class WrongWorld : public testing::TestWithParam<WrongText> {};

TEST_P(WrongWorld, IsRefusedWithItsLine) {
  FakeHost host;
  try {
    build_world(host, GetParam().text);
    FAIL() << "it was taken";
  } catch (const std::invalid_argument& wrong) {
    EXPECT_THAT(wrong.what(), HasSubstr(GetParam().what));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Texts, WrongWorld,
    testing::Values(
        WrongText{"link: {}\n", "line 1: unknown key 'link'"},
        WrongText{"links:\n  enP7s7: { mtuu: 9000 }\n", "line 2: unknown key 'mtuu'"},
        WrongText{"links:\n  enP7s8: { mtu: 9000 }\n", "line 2: this machine has no link 'enP7s8'"},
        WrongText{"links:\n  enP7s8: {}\n", "line 2: this machine has no link 'enP7s8'"},
        WrongText{"links:\n  enP7s7: { mtu: many }\n", "line 2: 'many' is not a whole number"},
        WrongText{"links:\n  enP7s7: { mtu: 10 }\n", "mtu less than device minimum"},
        WrongText{"links:\n  enP7s7: { addresses: 192.0.2.1 }\n", "'addresses' wants a list"},
        WrongText{"links:\n  enP7s7: { up: yes }\n", "line 2: 'yes' is not true or false"},
        WrongText{"\nsysctl: { net.core.rmem_maxx: 1 }\n", "line 2: read sysctl"},
        WrongText{"files:\n  /a: b\n  /a: c\n", "line 3: '/a' is there twice"},
        WrongText{"files: []\n", "line 1: 'files' wants a map"},
        WrongText{"managers: [ifupdown]\n", "line 1: a manager is"},
        WrongText{"modules:\n  nvme_tcp: gone\n", "line 2: a module is"},
        WrongText{"rdma:\n  mlx5_0: {}\n", "line 2: this machine has no RDMA device 'mlx5_0'"},
        WrongText{"mounts:\n  - { nqn: data }\n", "line 2: "},
        WrongText{"memlock:\n  init.scope: much\n", "line 2: 'much' is not a size"},
        WrongText{"links: {\n", "line 1: this is not YAML"}));

}  // namespace
}  // namespace spark::test
