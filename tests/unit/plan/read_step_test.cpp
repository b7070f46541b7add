// What a journal says of a step, as earlier versions have written it: each kind reads it, finds in
// it what a rollback needs, and writes the same again.

#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "kinds/all.hpp"
#include "plan/make_step.hpp"
#include "plan/step.hpp"

namespace spark::plan {
namespace {

/// A name of the test, the record, and how the step reads.
struct Written {
  const char* name;
  const char* record;
  const char* before;
  const char* after;
};

class ReadStep : public testing::TestWithParam<Written> {};

TEST_P(ReadStep, ReadsWhatEarlierVersionsWroteAndWritesTheSame) {
  const auto record = nlohmann::json::parse(GetParam().record);
  const auto step = read_step(record);
  ASSERT_TRUE(step) << step.error().what;
  EXPECT_EQ(step->before.value_or("absent"), GetParam().before);
  EXPECT_EQ(step->after.value_or("absent"), GetParam().after);
  EXPECT_EQ(step->record(), record);
}

constexpr Written kWritten[] = {
    {"OtherManagers",
     R"({"kind": "other_managers", "key": {"file": "", "link": "eth1"},
         "before": {"networkmanager": false, "networkd": true, "file": 0,
                    "networkmanager_runs": true, "networkd_runs": false, "was_managed": true,
                    "text": "", "until_restart": null},
         "after": {"networkmanager": true, "networkd": true, "file": 0,
                   "networkmanager_runs": false, "networkd_runs": false, "was_managed": false,
                   "text": "", "until_restart": true}})",
     "open to NetworkManager", "left alone until NetworkManager starts again"},
    {"Module",
     R"({"kind": "module", "key": {"name": "nvme_tcp"},
         "before": {"live": true, "boot": true, "other_line": "/etc/modules:3"}, "after": null})",
     "loaded, now and at boot", "absent"},
    {"Mtu",
     R"({"kind": "mtu", "key": {"link": "eth1"},
         "before": {"bytes": 9000, "layer": 1, "lowered_with": [["vlan5", 9000]],
                    "ends_ipv6": true, "link_local_mode": 1, "ipv6_addresses": []},
         "after": {"bytes": 1000, "layer": 0, "lowered_with": [], "ends_ipv6": false,
                   "link_local_mode": null, "ipv6_addresses": []}})",
     "9000, 9000 of 'vlan5' on it", "1000"},
    {"Link",
     R"({"kind": "link", "key": {"link": "eth1"},
         "before": {"up": true, "link_local": 0, "kernel_made": [], "is_found": true,
                    "unused": true},
         "after": {"up": false, "link_local": 1, "kernel_made": [], "is_found": null,
                   "unused": true}})",
     "up, link-local eui64", "down, link-local none"},
    {"Address",
     R"({"kind": "address", "key": {"link": "eth1", "ip": "192.0.2.11"},
         "before": {"standing": [{"link_index": 2, "address": "192.0.2.11/24", "flags": 128,
                                  "scope": 0, "protocol": 83, "peer": null, "broadcast": null,
                                  "label": "eth1", "route_metric": 0, "valid_seconds": 4294967295,
                                  "preferred_seconds": 4294967295},
                                 {"link_index": 2, "address": "192.0.2.11/25", "flags": 129,
                                  "scope": 0, "protocol": 0, "peer": null, "broadcast": null,
                                  "label": "eth1", "route_metric": 0, "valid_seconds": 4294967295,
                                  "preferred_seconds": 4294967295}],
                    "duplicate": true, "takes_others_along": true, "secondaries": []},
         "after": null})",
     "/24, /25, duplicate: another host answers for it", "absent"},
    {"Sysctl",
     R"({"kind": "sysctl", "key": {"name": "net.core.rmem_max"},
         "before": {"live": "1", "boot": "", "our_line": null, "original": "3", "own": "0"},
         "after": {"live": "2", "boot": "2", "our_line": "2", "original": "", "own": null}})",
     "1 (not set at boot)", "2"},
    {"Memlock",
     R"({"kind": "memlock", "key": {"scope": "logins"},
         "before": {"soft": 1024, "hard": null, "file": "/etc/security/limits.d/x.conf",
                    "text": null},
         "after": {"soft": null, "hard": null, "file": "", "text": "* - memlock unlimited\n"}})",
     "1 KiB, hard limit nothing", "set by us"},
    {"Roce",
     R"({"kind": "roce", "key": {"link": "eth1", "ip": "192.0.2.11"},
         "before": {"version": "", "device": "rocep1s0f0", "port": 1, "stands": true},
         "after": {"version": "RoCE v2", "device": "", "port": 0, "stands": false}})",
     "none, though the address is there", "RoCE v2"},
    {"RdmaCm",
     R"({"kind": "rdma_cm", "key": {"link": "eth1"},
         "before": {"version": "RoCE v2", "device": "rocep1s0f0", "port": 1,
                    "original": "the kernel's own"},
         "after": null})",
     "RoCE v2", "absent"},
    {"HostIdentity",
     R"({"kind": "host_identity", "key": {}, "before": {"missing": "/etc/nvme/hostid"},
         "after": {"missing": ""}})",
     "/etc/nvme/hostid is absent", "/etc/nvme/hostnqn and /etc/nvme/hostid"},
    {"Nvme",
     R"({"kind": "nvme", "key": {"nqn": "nqn.a", "address": "192.0.2.9", "port": 4420},
         "before": {"via": "", "forever": true, "kept": true, "secret_file": "", "controller": "",
                    "address": "", "is_cut": true},
         "after": {"via": "eth1", "forever": false, "kept": false, "secret_file": "/etc/secret",
                   "controller": "nvme1", "address": "192.0.2.11", "is_cut": null}})",
     "not connected", "connected over eth1, gives up when the target is lost, by no unit of ours"},
    {"Mount",
     R"({"kind": "mount", "key": {"path": "/mnt/data"},
         "before": {"nqn": "", "space": "", "type": "", "options": [], "writes": false,
                    "kept": true, "is_mounted": false,
                    "connection": {"nqn": "", "address": "", "port": 4420}, "last": "210 70 3 ab",
                    "unit": "[Unit]\n"},
         "after": {"nqn": "nqn.a", "space": "1", "type": "ext4", "options": ["noatime"],
                   "writes": true, "kept": true, "is_mounted": true,
                   "connection": {"nqn": "nqn.a", "address": "192.0.2.9", "port": 4420},
                   "last": "", "unit": null}})",
     "not mounted", "nqn.a 1, ext4, read-write, noatime"},
    {"Hosts",
     R"({"kind": "hosts", "key": {"path": "/etc/hosts"},
         "before": {"lines": "192.0.2.12 spark2\n", "line": 4, "block": "# begin\n"},
         "after": {"lines": "192.0.2.13 spark3\n", "line": null, "block": null}})",
     "192.0.2.12 spark2", "192.0.2.13 spark3"},
    {"Environment",
     R"({"kind": "environment", "key": {"path": "/run/spark-reconcile/nccl.env"}, "before": null,
         "after": {"text": "A=1\n", "changes": "A=1"}})",
     "absent", "1 variable: A=1"},
};

INSTANTIATE_TEST_SUITE_P(EachKind, ReadStep, testing::ValuesIn(kWritten),
                         [](const auto& written) { return std::string(written.param.name); });

TEST(ReadChange, TakesTheLengthsOfAnAddressFromItsList) {
  using kinds::Address;
  const kinds::Change<Address> written{
      {"eth1", *IpAddress::parse("192.0.2.11")},
      Address::stated({{.address = *IpPrefix::parse("192.0.2.11/24")},
                       {.address = *IpPrefix::parse("192.0.2.11/25")}}),
      std::nullopt};
  const auto record = make_step<Address>(written, {}).record();
  EXPECT_FALSE(record["before"].contains("lengths"));
  const auto read = read_change<Address>(record);
  ASSERT_TRUE(read) << read.error().what;
  EXPECT_EQ(in_order(read->before->lengths), (std::vector<std::uint8_t>{24, 25}));
  EXPECT_EQ(*read, written);
}

TEST(ReadChange, RefusesAMemberThatNoKindHas) {
  const auto read = read_change<kinds::Mtu>(nlohmann::json::parse(
      R"({"key": {"link": "eth1"}, "before": null,
          "after": {"bytes": 1, "layer": 0, "lowered_with": [], "ends_ipv6": false,
                    "details": {}, "link_local_mode": null, "ipv6_addresses": []}})"));
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().what, "mtu: at '/': expected no other keys");
}

}  // namespace
}  // namespace spark::plan
