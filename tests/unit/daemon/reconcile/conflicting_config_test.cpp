#include "daemon/reconcile/conflicting_config.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_cluster.hpp"

namespace spark::daemon {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* kLink = "enp1s0f0np0";
constexpr const char* kProfile = "/etc/NetworkManager/system-connections/lan.nmconnection";
constexpr const char* kMade = "/run/NetworkManager/system-connections/netplan-cx7.nmconnection";
constexpr const char* kNetplan = "/etc/netplan/40-cx7.yaml";
constexpr const char* kUuid = "5f3d2b1a-0c9e-4d7b-8a65-43210fedcba9";

/// A link that no fabric names, so that NetworkManager and systemd-networkd may have it too.
class ConflictingConfigTest : public testing::Test {
 protected:
  ConflictingConfigTest() {
    test::add_spark(host_);
    test::add_network_managers(host_);
  }

  [[nodiscard]] std::string link_file(const char* directory) {
    auto ports = host_.host();
    return fmt::format("{}/{}", directory, host::View(ports).link(kLink)->index);
  }
  /// As NetworkManager writes it once a profile is active.
  void activate(const std::string& uuid) {
    host_.files().put(link_file("/run/NetworkManager/devices"),
                      "[device]\nmanaged=true\nconnection-uuid=" + uuid + "\n");
  }
  void put_profile(const std::string& path, const std::string& connection,
                   const std::string& rest) {
    host_.files().put(
        path, fmt::format("[connection]\nid=lan\n{}\ntype=ethernet\n\n{}", connection, rest));
  }
  /// netplan writes no uuid; NetworkManager makes one of the path.
  void put_netplan() {
    host_.files().put(kNetplan,
                      "network:\n  version: 2\n  ethernets:\n    cx7:\n      match: { name: " +
                          std::string(kLink) + " }\n      mtu: 1500\n");
  }
  void run_networkd(const std::string& file, const std::string& text) {
    host_.files().put("/sys/fs/cgroup/system.slice/systemd-networkd.service/cgroup.procs", "226\n");
    host_.files().put(
        link_file("/run/systemd/netif/links"),
        "# This is private data. Do not parse.\nADMIN_STATE=configured\nNETWORK_FILE=" + file +
            "\n");
    host_.files().put(file, text);
  }

  std::optional<ConflictingSetting> find(std::string_view kind, const std::string& key,
                                         const std::string& more = "") {
    const auto node =
        test::node_on(host_, fmt::format("version: 1\ncluster: one\nnodes:\n  spark1: {{ "
                                         "links: {{ {}: {{ mtu: 9000, addresses: "
                                         "[198.51.100.11/24]{} }} }} }}\n"
                                         "host: {{ sysctl: {{ net.core.rmem_max: 4096 }} }}\n",
                                         kLink, more));
    auto ports = host_.host();
    host::View view(ports);
    return find_conflict(view, node,
                         {.kind = std::string(kind),
                          .key = key,
                          .on = {.link = kLink, .ip = IpAddress::parse("198.51.100.11").value()}});
  }
  std::string what(std::string_view kind, const std::string& key) {
    const auto conflict = find(kind, key);
    return conflict ? conflict->what : "nobody";
  }

  const std::string address_ = std::string(kLink) + " 198.51.100.11";
  test::FakeHost host_;
};

TEST_F(ConflictingConfigTest, NameTheActiveProfileAndItsMtu) {
  put_profile(kProfile, fmt::format("uuid={}", kUuid), "[ethernet]\nmtu=1500\n[ipv6]\nmtu=1280\n");
  EXPECT_EQ(what("mtu", kLink), "nobody") << "it is not active";
  activate(kUuid);
  const auto conflict = find("mtu", kLink);
  ASSERT_TRUE(conflict);
  EXPECT_EQ(conflict->what, std::string(kProfile) + ", active on enp1s0f0np0, sets mtu 1500");
  EXPECT_EQ(conflict->remedy, std::string("`exclusive: true` in the file keeps NetworkManager off "
                                          "enp1s0f0np0; or change ") +
                                  kProfile);
}

/// NMS_KEYFILE_STORAGE_TYPE_RUN of NetworkManager's nms-keyfile-utils.h.
TEST_F(ConflictingConfigTest, NameTheProfileOfRunThatHidesTheOneOfEtc) {
  const auto uuid = fmt::format("uuid={}", kUuid);
  put_profile(kProfile, uuid, "[ethernet]\nmtu=9000\n");
  put_profile(kMade, uuid, "[ethernet]\nmtu=1500\n");
  activate(kUuid);
  EXPECT_EQ(what("mtu", kLink), std::string(kMade) + ", active on enp1s0f0np0, sets mtu 1500");
}

TEST_F(ConflictingConfigTest, NameNobodyWhoWantsTheSame) {
  put_profile(
      kProfile, fmt::format("uuid={}", kUuid),
      "[ethernet]\nmtu=9000\n[ipv4]\naddress1=198.51.100.11/24,198.51.100.1\nmethod=manual\n");
  activate(kUuid);
  EXPECT_EQ(what("mtu", kLink), "nobody");
  EXPECT_EQ(what("address", address_), "nobody");
  put_profile(kProfile, fmt::format("uuid={}", kUuid), "");
  EXPECT_EQ(what("mtu", kLink), "nobody") << "it leaves the MTU alone";
}

TEST_F(ConflictingConfigTest, SayWhereTheAddressesOfTheProfileComeFrom) {
  activate(kUuid);
  put_profile(kProfile, fmt::format("uuid={}", kUuid),
              "[ipv4]\naddress1=203.0.113.7/24,203.0.113.1\nmethod=auto\n");
  EXPECT_EQ(what("address", address_),
            std::string(kProfile) +
                ", active on enp1s0f0np0, sets 203.0.113.7/24 and takes others from DHCP");
  put_profile(kProfile, fmt::format("uuid={}", kUuid), "[ipv4]\nmethod=disabled\n");
  EXPECT_THAT(what("address", address_), HasSubstr("sets no such address"));
}

TEST_F(ConflictingConfigTest, NameTheNetplanFileBehindAProfileWithoutUuid) {
  put_netplan();
  put_profile(kMade, fmt::format("interface-name={}", kLink), "[ethernet]\nmtu=1500\n");
  activate("9295901d-f337-3bd4-82b4-f1b1c3385d42");
  const auto conflict = find("mtu", kLink);
  ASSERT_TRUE(conflict);
  EXPECT_EQ(conflict->what,
            fmt::format("{}:4, active on enp1s0f0np0 as {}, sets mtu 1500", kNetplan, kMade));
  EXPECT_THAT(conflict->remedy, HasSubstr(fmt::format("or change {}:4", kNetplan)));
}

TEST_F(ConflictingConfigTest, NameTheNetworkFileInForce) {
  host_.files().erase("/sys/fs/cgroup/system.slice/NetworkManager.service/cgroup.procs");
  put_netplan();
  const std::string made = "/run/systemd/network/10-netplan-cx7.network";
  run_networkd(made,
               "[Match]\nName=enp1s0f0np0\n\n[Link]\nMTUBytes=1500\n\n[Network]\nDHCP=ipv4\n"
               "Address=203.0.113.7/24\n");
  EXPECT_EQ(what("mtu", kLink),
            fmt::format("{}:4, active on enp1s0f0np0 as {}, sets mtu 1500", kNetplan, made));
  EXPECT_THAT(what("address", address_),
              HasSubstr("sets 203.0.113.7/24 and takes others from DHCP"));
  const std::string own = "/etc/systemd/network/50-cx7.network";
  run_networkd(own, "[Link]\nMTUBytes=1500\n");
  EXPECT_THAT(what("mtu", kLink), StartsWith(own + ", active on"));
}

TEST_F(ConflictingConfigTest, NameNoProfileThatIsNobodysWish) {
  put_profile(kMade, fmt::format("uuid={}", kUuid),
              "[ethernet]\nmtu=1500\n[.nmmeta]\nexternal=true\n");
  activate(kUuid);
  EXPECT_EQ(what("mtu", kLink), "nobody") << "NetworkManager wrote down what it had found";
  put_profile(kMade, fmt::format("uuid={}", kUuid), "[ethernet]\nmtu=1500\n");
  EXPECT_NE(what("mtu", kLink), "nobody");
  host_.files().erase("/sys/fs/cgroup/system.slice/NetworkManager.service/cgroup.procs");
  EXPECT_EQ(what("mtu", kLink), "nobody") << "it does not run";
}

TEST_F(ConflictingConfigTest, SendToApplyWhereAManagerIsToBeKeptOff) {
  put_profile(kProfile, fmt::format("uuid={}", kUuid), "[ethernet]\nmtu=1500\n");
  activate(kUuid);
  const auto conflict = find("mtu", kLink, ", exclusive: true");
  ASSERT_TRUE(conflict);
  EXPECT_THAT(conflict->remedy, StartsWith("`spark-reconcile apply` keeps NetworkManager off"));
}

TEST_F(ConflictingConfigTest, KeepNoSecretOfAProfile) {
  put_profile(kProfile, fmt::format("uuid={}", kUuid),
              "[802-1x]\npassword=secret\n[wireguard-peer.c2VjcmV0]\npreshared-key=secret\n"
              "[ethernet]\nmtu=1500\n");
  activate(kUuid);
  auto ports = host_.host();
  host::View view(ports);
  const auto node = test::node_on(host_, test::pair_text());
  ASSERT_TRUE(
      find_conflict(view, node, {.kind = "mtu", .key = kLink, .on = {.link = kLink, .ip = {}}}));
  EXPECT_THAT(view.to_json(), testing::Not(HasSubstr("secret")));
  EXPECT_THAT(view.to_json(), testing::Not(HasSubstr("c2VjcmV0")));
}

TEST_F(ConflictingConfigTest, NameTheLineThatWinsAtBoot) {
  const std::string key = "net.core.rmem_max";
  host_.files().put("/etc/sysctl.d/10-early.conf", key + " = 1024\n");
  host_.files().put("/etc/sysctl.d/90-spark-reconcile.conf", key + " = 4096\n");
  EXPECT_EQ(what("sysctl", key), "nobody") << "ours is read later";
  host_.files().put("/etc/sysctl.d/99-late.conf", "# tuning\n" + key + " = 2048\n");
  EXPECT_EQ(what("sysctl", key), "/etc/sysctl.d/99-late.conf:2 sets 2048");
  host_.files().put("/etc/sysctl.d/99-late.conf", key + " = 4096\n");
  EXPECT_EQ(what("sysctl", key), "nobody");
}

TEST_F(ConflictingConfigTest, KnowNothingOfOtherKinds) {
  EXPECT_EQ(what("hosts", "/etc/hosts"), "nobody");
}

}  // namespace
}  // namespace spark::daemon
