#include "cli/doctor/checks.hpp"
#include "protocol/paths.hpp"
#include "unit/cli/doctor/asked.hpp"

namespace spark::cli {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class SetupCheck : public ::testing::Test {
 protected:
  SetupCheck() { test::add_spark(machine_, test::dgx_rail_names()); }

  void put(const std::string& path, const std::string& text) { machine_.files().put(path, text); }

  Findings found() { return asked(check_setup, machine_); }

  test::FakeHost machine_;
};

TEST_F(SetupCheck, SaysThatNobodyElseSetsARailUp) {
  put("/etc/rc.local", "#!/bin/sh\nip link set enP7s7 mtu 9000\n");
  EXPECT_THAT(found(), ElementsAre(says("managers", Severity::kGood, "no unit, script or file")));
}

TEST_F(SetupCheck, NamesAUnitOfAGuideThatIsEnabled) {
  put("/etc/systemd/system/rails.service", "[Service]\nExecStart=/usr/local/bin/rails.sh\n");
  put("/usr/local/bin/rails.sh", "#!/bin/sh\nip link set enp1s0f0np0 mtu 9000\n");
  EXPECT_THAT(found(), Not(Contains(Field(&Finding::name, "guide")))) << "it is not enabled";
  put("/etc/systemd/system/multi-user.target.wants/rails.service", "");
  EXPECT_THAT(found(), ElementsAre(AllOf(
                           says("guide", Severity::kLook,
                                "'/usr/local/bin/rails.sh', run by rails.service, sets up "
                                "enp1s0f0np0 too"),
                           Field(&Finding::remedy, "`sudo systemctl disable rails.service`"))));
}

TEST_F(SetupCheck, NamesATimerThatStartsTheUnit) {
  put("/etc/systemd/system/rails.service",
      "[Service]\nExecStart=/sbin/ip link set enp1s0f0np0 mtu 9000\n");
  put("/etc/systemd/system/timers.target.wants/rails.timer", "");
  EXPECT_THAT(found(),
              ElementsAre(AllOf(says("guide", Severity::kLook, "rails.service' sets up"),
                                Field(&Finding::remedy, "`sudo systemctl disable rails.timer`"))));
}

TEST_F(SetupCheck, DoesNotSayToDisableTheUnitThatSetsTheWayInUp) {
  put("/etc/systemd/system/lan.service",
      "[Service]\nExecStart=/sbin/ip addr add 203.0.113.9/24 dev enp1s0f1np1\n");
  put("/etc/systemd/system/multi-user.target.wants/lan.service", "");
  machine_.netlink().add_foreign("enp1s0f1np1", {.address = *IpPrefix::parse("203.0.113.9/24")});
  machine_.system().add_ssh_session(*IpAddress::parse("203.0.113.9"));
  EXPECT_THAT(found(),
              ElementsAre(AllOf(
                  says("guide", Severity::kLook, "sets up enp1s0f1np1 too"),
                  Field(&Finding::remedy, AllOf(HasSubstr("an ssh session is connected through it"),
                                                Not(HasSubstr("systemctl")))))));
  put(protocol::kDefaultFile,
      "version: 1\ncluster: lab\nnodes:\n  spark1:\n    links: { enp1s0f1np1: { owner: host, "
      "addresses: [203.0.113.9/24] } }\n");
  EXPECT_THAT(found(), Not(Contains(Field(&Finding::name, "guide"))));
}

TEST_F(SetupCheck, DoesNotSayToDisableAUnitThatDoesMoreThanToSetARailUp) {
  put("/etc/systemd/system/multi-user.target.wants/net-up.service", "");
  for (const std::string more :
       {"ip addr add 203.0.113.9/24 dev enP7s7", "ip route add default via 203.0.113.1",
        "nmcli connection up lan", "/usr/local/bin/lan", "ip link set $LAN up",
        "nvme connect -t tcp -a 203.0.113.50 -n nqn.2014-08.org.example:models"}) {
    put("/etc/systemd/system/net-up.service", "[Service]\nExecStart=/usr/local/bin/net-up.sh\n");
    put("/usr/local/bin/net-up.sh", "#!/bin/sh\nip link set enp1s0f0np0 mtu 9000\n" + more + "\n");
    const auto says_lines = AllOf(
        HasSubstr("take the commands of enp1s0f0np0 out of line 2 of '/usr/local/bin/net-up.sh'"),
        HasSubstr("do not disable net-up.service"), Not(HasSubstr("systemctl")));
    EXPECT_THAT(found(), ElementsAre(Field(&Finding::remedy, says_lines))) << more;
    put("/usr/local/bin/net-up.sh", "#!/bin/sh\nip link set enp1s0f0np0 mtu 9000\n");
    put("/etc/systemd/system/net-up.service",
        "[Service]\nExecStart=/usr/local/bin/net-up.sh\nExecStartPost=/bin/sh -c '" + more + "'\n");
    EXPECT_THAT(found(), ElementsAre(Field(&Finding::remedy, says_lines))) << more;
  }
}

TEST_F(SetupCheck, ReadsWhatGoesOnInTheNextLine) {
  put("/etc/systemd/system/multi-user.target.wants/net-up.service", "");
  put("/etc/systemd/system/net-up.service",
      "[Service]\nExecStart=/bin/sh -c 'ip link set enp1s0f0np0 mtu 9000; \\\n  ip route add "
      "default via 203.0.113.1'\n");
  EXPECT_THAT(found(), ElementsAre(Field(&Finding::remedy,
                                         HasSubstr("do not disable net-up.service, which does more "
                                                   "(/etc/systemd/system/net-up.service:3)"))));
}

TEST_F(SetupCheck, SaysWhoseAFileIsOfALinkThatIsLeftToTheHost) {
  put("/etc/netplan/50-cloud-init.yaml",
      "network: { ethernets: { enp1s0f1np1: { dhcp4: true } } }\n");
  put(protocol::kDefaultFile,
      "version: 1\ncluster: lab\nnodes: { spark1: { links: { enp1s0f1np1: { owner: host } } } }\n");
  EXPECT_THAT(found(), ElementsAre(says("managers", Severity::kGood,
                                        "enp1s0f1np1, which the file leaves to the host")));
}

TEST_F(SetupCheck, NamesTheLinesOfAScriptThatNoServiceRuns) {
  put("/etc/rc.local", "#!/bin/sh\nip addr add 192.0.2.11/24 dev enp1s0f0np0\n");
  EXPECT_THAT(found(), ElementsAre(AllOf(says("guide", Severity::kLook, "'/etc/rc.local' sets up"),
                                         Field(&Finding::remedy, HasSubstr("'/etc/rc.local'")))));
}

TEST_F(SetupCheck, NamesTheClusterAssistantsFileWhereThereIsNoClusterFile) {
  put("/etc/netplan/40-cx7.yaml",
      "network:\n  version: 2\n  ethernets:\n    enp1s0f0np0:\n      addresses: "
      "[192.0.2.11/24]\n");
  EXPECT_THAT(found(),
              ElementsAre(AllOf(says("managers", Severity::kLook,
                                     "netplan (the name of NVIDIA's playbook) sets up enp1s0f0np0: "
                                     "'/etc/netplan/40-cx7.yaml:4'"),
                                Field(&Finding::remedy, HasSubstr("init --from-host")))));
  put(protocol::kDefaultFile,
      "version: 1\ncluster: lab\nnodes:\n  spark1:\n    links: { enp1s0f1np1: { mtu: 9000 } }\n");
  EXPECT_THAT(found(), ElementsAre(says("managers", Severity::kGood,
                                        "enp1s0f0np0, which the file does not name")));
}

TEST(FstabCheck, NamesALineForWhichABootWaits) {
  test::FakeHost machine;
  EXPECT_THAT(asked(check_fstab, machine), IsEmpty());
  machine.files().put("/etc/fstab",
                      "# /dev/nvme9n1 /x ext4 _netdev 0 0\n"
                      "/dev/nvme0n1p2 / ext4 defaults 0 1\n"
                      "/dev/nvme1n1 /data ext4 _netdev,nofail 0 0\n"
                      "/dev/nvme2n1 /models xfs defaults,_netdev 0 0\n");
  EXPECT_THAT(asked(check_fstab, machine),
              ElementsAre(says("fstab", Severity::kLook, "line 4 of '/etc/fstab'")));
}

}  // namespace
}  // namespace spark::cli
