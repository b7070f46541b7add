// A shared report holds nothing of whose machine it is, and still belongs together.

#include "cli/share/shared_report.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace spark::cli {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

json facts_of_a_machine() {
  return json::parse(R"json({
    "schema": "spark-reconcile/facts/v1", "version": "0.2.0", "node": "gx10-ab12", "exit_code": 0,
    "digest": "36bb589d07779084ae4c3f4bd12408be237e3a52be158e23905ac17d0ee11939",
    "generated_at": "2026-01-02T03:04:05Z",
    "identity": {"hostname": "gx10-ab12.lab.example.org", "kernel": "6.11.0-1016-nvidia",
                 "machine_id": "3d1219c7c4c5404aaa1f6d2a48adfda4"},
    "links": [
      {"index": 2, "name": "enp1s0f0np0", "altnames": ["enxa088c2010203"], "mac": "a0:88:c2:01:02:03",
       "phys_switch_id": "0302010003c288a0", "phys_port_name": "p0", "kind": "",
       "parent_bus": "pci", "parent_device": "0000:01:00.0"},
      {"index": 3, "name": "acme-vpn", "altnames": [], "mac": "02:00:5e:10:20:30", "kind": "wireguard"}],
    "addresses": [
      {"address": "198.51.100.7/24", "broadcast": "198.51.100.255", "label": "enp1s0f0np0",
       "link_index": 2, "peer": null},
      {"address": "fe80::a288:c2ff:fe01:203/64", "broadcast": null, "label": "", "link_index": 2}],
    "routes": [{"destination": "198.51.100.0/24", "gateway": null, "source": "198.51.100.7"}],
    "ssh_addresses": ["198.51.100.7"],
    "rdma_gids": {"rocep1s0f0/1": [
      {"index": 0, "ip": "fe80::a288:c2ff:fe01:203", "type": "RoCE v2", "link": "enp1s0f0np0"},
      {"index": 3, "ip": "198.51.100.7", "type": "RoCE v2", "link": "enp1s0f0np0"}]},
    "hardware": {"cable_hotplug": true, "links": [],
                 "command_line": "root=UUID=0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0 ro token=hunter2secret"},
    "nvme": {"program": "", "attempts": {}, "controllers": [
      {"name": "nvme1", "nqn": "nqn.2020-01.com.acmecorp:vault", "transport": "tcp", "state": "live",
       "address": "198.51.100.90", "port": "4420", "via": "acme-vpn", "source": "", "forever": true,
       "host_nqn": "nqn.2014-08.org.nvmexpress:uuid:11112222-3333-4444-5555-666677778888"}],
      "namespaces": []},
    "mounts": [{"path": "/home/alice/work", "source": "alicecloud:/x", "type": "fuse.sshfs",
                "device": "0:40", "options": ["rw", "user_id=1000", "password=opensesame"]}],
    "files": {"/etc/hosts": "127.0.0.1 localhost\n# Alice's printer\n198.51.100.44 tulip gx10-ab12 # mine\n",
              "/etc/netplan/60-acmecorp.yaml": null,
              "/etc/sysctl.d/9.conf": {"error": {"code": "permission", "what": "read '/home/alice'"}}},
    "sysctl": {"net.ipv4.conf.acme-vpn.arp_ignore": {"text": "1", "writable": true}},
    "process_groups": [{"path": "/user.slice/alice.scope", "memlock_soft": 18446744073709551615}],
    "volume_users": {"/mnt/vault": ["python3 of bob (pid 77)"]},
    "cluster_file": "cluster: acmecorp # ours\nnodes: { gx10-ab12: { number: 7 } }\n"
  })json");
}

/// All that tells whose machine it is.
const std::vector<std::string> kOriginals{
    "gx10-ab12",
    "gx10",
    "lab.example",
    "3d1219c7c4c5404aaa1f6d2a48adfda4",
    "36bb589d07779084ae4c3f4bd12408be237e3a52be158e23905ac17d0ee11939",
    "01:02:03",
    "a088c2010203",
    "10:20:30",
    "0302010003c288a0",
    "acme",
    "198.51.100",
    "fe01:203",
    "0f1e2d3c",
    "hunter2secret",
    "vault",
    "11112222",
    "666677778888",
    "alice",
    "Alice",
    "opensesame",
    "tulip",
    "printer",
    "mine",
    "ours",
    "bob",
    "python3"};

json parsed(const Result<SharedReport>& report) {
  return report ? json::parse(report->text) : json(report.error().what);
}

class SharedReports : public testing::Test {
 protected:
  const json facts_ = facts_of_a_machine();
  const Result<SharedReport> report_ = make_shared_report(facts_, {"gx10-ab12"});
  const json shared_ = parsed(report_);
};

TEST_F(SharedReports, HoldNothingThatIdentifies) {
  ASSERT_TRUE(report_) << report_.error().what;
  for (const auto& original : kOriginals) {
    ASSERT_THAT(facts_.dump(), HasSubstr(original)) << "the test is of no use";
    EXPECT_THAT(report_->text, Not(HasSubstr(original)));
    EXPECT_THAT(report_->listing, Not(HasSubstr(original)));
  }
}

TEST_F(SharedReports, ReplaceTheSameByTheSame) {
  ASSERT_TRUE(report_) << report_.error().what;
  EXPECT_EQ(shared_["node"], "host1");
  EXPECT_THAT(shared_["identity"]["hostname"].get<std::string>(), testing::StartsWith("host1."));
  const auto address = shared_["routes"][0]["source"].get<std::string>();
  EXPECT_EQ(shared_["addresses"][0]["address"].get<std::string>(), address + "/24");
  EXPECT_EQ(shared_["ssh_addresses"][0], address);
  const std::string vpn = shared_["links"][1]["name"];
  EXPECT_EQ(vpn, "link1");
  EXPECT_EQ(shared_["nvme"]["controllers"][0]["via"], vpn);
  EXPECT_TRUE(shared_["sysctl"].contains("net.ipv4.conf." + vpn + ".arp_ignore"));
  EXPECT_THAT(shared_["files"]["/etc/hosts"].get<std::string>(), HasSubstr("host1"));
  EXPECT_THAT(shared_["cluster_file"].get<std::string>(), HasSubstr("host1: { number: 7 }"));
}

TEST_F(SharedReports, FindGidsByWhatTheyHold) {
  ASSERT_TRUE(report_) << report_.error().what;
  const auto& gids = shared_["rdma_gids"]["rocep1s0f0/1"];
  EXPECT_EQ(gids[1]["ip"].get<std::string>() + "/24",
            shared_["addresses"][0]["address"].get<std::string>());
  EXPECT_EQ(gids[0]["ip"].get<std::string>() + "/64",
            shared_["addresses"][1]["address"].get<std::string>());
}

TEST_F(SharedReports, KeepWhatIsNobodys) {
  ASSERT_TRUE(report_) << report_.error().what;
  EXPECT_EQ(shared_["links"][0]["name"], "enp1s0f0np0");
  EXPECT_EQ(shared_["links"][0]["parent_device"], "0000:01:00.0");
  EXPECT_EQ(shared_["identity"]["kernel"], "6.11.0-1016-nvidia");
  EXPECT_EQ(shared_["process_groups"][0]["memlock_soft"], 18446744073709551615U);
  EXPECT_EQ(shared_["files"]["/etc/sysctl.d/9.conf"]["error"]["code"], "permission");
  EXPECT_THAT(shared_["nvme"]["controllers"][0]["host_nqn"].get<std::string>(),
              testing::StartsWith("nqn.2014-08.org.nvmexpress:uuid:"));
  EXPECT_TRUE(shared_["links"][0]["mac"].get<std::string>().starts_with("a0:88:c2:"));
}

TEST_F(SharedReports, SayWhatWasReplaced) {
  ASSERT_TRUE(report_) << report_.error().what;
  EXPECT_THAT(report_->listing, HasSubstr("1 host names → host1"));
  EXPECT_THAT(report_->listing, HasSubstr("2 MAC addresses → "));
  EXPECT_THAT(report_->listing, HasSubstr("Read the report before you publish it."));
}

TEST_F(SharedReports, DifferInTheirSalt) {
  const auto other = make_shared_report(facts_, {"gx10-ab12"});
  ASSERT_TRUE(report_ && other);
  EXPECT_NE(report_->text, other->text);
  EXPECT_NE(parsed(other)["links"][0]["mac"], shared_["links"][0]["mac"]);
  EXPECT_NE(parsed(other)["identity"]["machine_id"], shared_["identity"]["machine_id"]);
}

TEST(SharedReport, IsRefusedWhereAFieldHasNoClass) {
  auto facts = facts_of_a_machine();
  facts["links"][0]["owner"] = "alice";
  const auto report = make_shared_report(facts, {});
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().what, HasSubstr("'links[].owner'"));
}

}  // namespace
}  // namespace spark::cli
