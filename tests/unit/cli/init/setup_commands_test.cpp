#include "cli/init/setup_commands.hpp"

#include <gmock/gmock.h>

#include "fake/fake_host.hpp"

namespace spark::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<SetupCommand> commands_of_script(const std::string& text) {
  test::FakeHost machine;
  machine.files().put("/etc/rc.local", "#!/bin/sh\n" + text);
  auto host = machine.host();
  host::View view(host);
  return setup_commands(view).of_links;
}

SetupCommand only(const std::string& line) {
  const auto commands = commands_of_script(line + "\n");
  EXPECT_EQ(commands.size(), 1U) << line;
  return commands.empty() ? SetupCommand{} : commands.front();
}

TEST(SetupCommands, UnderstandsTheWaysToWriteIpLink) {
  for (const auto* line :
       {"ip link set dev enp1s0f0np0 mtu 9000 up", "ip link set enp1s0f0np0 up mtu 9000",
        "sudo /sbin/ip -4 l set mtu 9000 up dev enp1s0f0np0 2>/dev/null || true"}) {
    const auto command = only(line);
    EXPECT_EQ(command.link, "enp1s0f0np0") << line;
    EXPECT_EQ(command.mtu, 9000U) << line;
    EXPECT_EQ(command.up, true) << line;
    EXPECT_EQ(command.place(), "/etc/rc.local:2") << line;
  }
  EXPECT_EQ(only("ip link set enp1s0f0np0 down").up, false);
}

TEST(SetupCommands, UnderstandsAddresses) {
  const auto address = IpPrefix::parse("192.0.2.11/24");
  for (const auto* line :
       {"ip addr add 192.0.2.11/24 dev enp1s0f0np0", "ip a replace dev enp1s0f0np0 192.0.2.11/24",
        "ifconfig enp1s0f0np0 192.0.2.11/24 up",
        "ifconfig enp1s0f0np0 192.0.2.11 netmask 255.255.255.0"}) {
    EXPECT_EQ(only(line).address, address) << line;
    EXPECT_EQ(only(line).link, "enp1s0f0np0") << line;
  }
  EXPECT_EQ(only("ip addr del 192.0.2.11/24 dev enp1s0f0np0; ip link set enp1s0f0np0 up").address,
            std::nullopt)
      << "a removal is no origin";
}

TEST(SetupCommands, ReadsTheTablesOfCron) {
  test::FakeHost machine;
  machine.files().put("/etc/crontab",
                      "SHELL=/bin/sh\n@reboot root ip link set enp1s0f0np0 mtu 9000\n");
  machine.files().put("/etc/cron.d/fabric",
                      "*/5 * * * *\troot  /usr/local/sbin/rails.sh >/dev/null\n");
  machine.files().put("/usr/local/sbin/rails.sh", "#!/bin/sh\nip link set enp1s0f1np1 up\n");
  machine.files().put("/var/spool/cron/crontabs/root",
                      "# mine\n0 4 * * 1 /sbin/ip addr add 192.0.2.1/24 dev enP2p1s0f0np0\n");
  auto host = machine.host();
  host::View view(host);
  std::vector<std::string> found;
  for (const auto& command : setup_commands(view).of_links) {
    found.push_back(command.place() + " " + command.link);
  }
  EXPECT_THAT(found,
              ElementsAre("/etc/crontab:2 enp1s0f0np0", "/usr/local/sbin/rails.sh:2 enp1s0f1np1",
                          "/var/spool/cron/crontabs/root:2 enP2p1s0f0np0"));
}

TEST(SetupCommands, KnowsWhatConnectsATarget) {
  test::FakeHost machine;
  machine.files().put("/etc/systemd/system/models.service",
                      "[Service]\nExecStart=/usr/sbin/nvme connect -t tcp -a 203.0.113.9 -s 4420 "
                      "-n nqn.2014-08.org.example:models --dhchap-secret=swordfish\n"
                      "ExecStop=/usr/sbin/nvme disconnect -n nqn.2014-08.org.example:models\n");
  machine.files().put("/etc/rc.local",
                      "#!/bin/sh\nnvme connect-all --traddr=203.0.113.10 || true\n");
  auto host = machine.host();
  host::View view(host);
  std::vector<std::string> found;
  for (const auto& command : setup_commands(view).of_targets) {
    found.push_back(command.place() + " " + command.target);
  }
  EXPECT_THAT(found, ElementsAre("/etc/systemd/system/models.service:2 203.0.113.9",
                                 "/etc/rc.local:2 203.0.113.10"));
  EXPECT_THAT(view.to_json(), Not(HasSubstr("swordfish")));
}

TEST(SetupCommands, FollowsAUnitToItsScript) {
  test::FakeHost machine;
  machine.files().put("/etc/systemd/system/rails.service",
                      "[Unit]\nDescription=x\n[Service]\n"
                      "ExecStartPre=-/usr/sbin/ip link set enp1s0f1np1 mtu 9000\n"
                      "ExecStart=/bin/bash -c '/usr/local/bin/rails.sh --all'\n");
  machine.files().put("/usr/local/bin/rails.sh", "#!/bin/bash\n\nip link set enp1s0f0np0 down\n");
  auto host = machine.host();
  host::View view(host);
  const auto found = setup_commands(view).of_links;
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].place(), "/etc/systemd/system/rails.service:4");
  EXPECT_EQ(found[0].mtu, 9000U);
  EXPECT_EQ(found[1].place(), "/usr/local/bin/rails.sh:3");
  EXPECT_EQ(found[1].unit, "rails.service");
  EXPECT_EQ(found[1].up, false);
}

TEST(SetupCommands, EndsWhereScriptsStartEachOther) {
  test::FakeHost machine;
  machine.files().put("/etc/systemd/system/a.service",
                      "[Service]\nExecStart=/etc/systemd/system/a.service\n");
  auto host = machine.host();
  host::View view(host);
  EXPECT_THAT(setup_commands(view).of_links, IsEmpty());
}

TEST(SetupCommands, IgnoresCommentsVariablesAndProgramsOfThatName) {
  EXPECT_THAT(commands_of_script("# ip link set enp1s0f0np0 mtu 9000\n"
                                 "ip link set $LINK mtu 9000\n"
                                 "ip link set ${LINK} mtu 9000\n"
                                 "ip link show enp1s0f0np0\n"
                                 "zip link set enp1s0f0np0 mtu 9000\n"),
              IsEmpty());
}

TEST(SetupCommands, SaysWhereItDoesNotKnowWhatACommandDoes) {
  const auto lines_of_others = [](const std::string& text) {
    test::FakeHost machine;
    machine.files().put("/etc/rc.local", "#!/bin/sh\n" + text);
    auto host = machine.host();
    host::View view(host);
    std::vector<std::string> places;
    for (const auto& command : setup_commands(view).others) places.push_back(command.place());
    return places;
  };
  for (const auto* line :
       {"ip route add default via 192.0.2.1", "nmcli connection up lan", "iptables -A INPUT",
        "ip link set $LINK up", "MTU=9000", "ip link set enp1s0f0np0 up; reboot", "for x in a; do",
        "echo 1 > /proc/sys/net/ipv4/ip_forward", "echo x >>/etc/resolv.conf"}) {
    EXPECT_THAT(lines_of_others(std::string(line) + "\n"), ElementsAre("/etc/rc.local:2")) << line;
  }
  EXPECT_THAT(lines_of_others("set -e\n\n# ip route\nsleep 5; ip link set enp1s0f0np0 up || true\n"
                              "echo done | logger\necho x >/dev/null 2>&1\nexit 0\n"),
              IsEmpty());
}

TEST(SetupCommands, KeepsNothingElseOfAFile) {
  const auto kept = excerpt_of_setup(
      "#!/bin/sh\nPASSWORD=secret\nip link set enp1s0f0np0 mtu 9000 # secret\ncurl -u a:secret\n");
  ASSERT_TRUE(kept);
  EXPECT_THAT(*kept, HasSubstr("3 mtu 9000"));
  EXPECT_THAT(*kept, Not(HasSubstr("secret")));
}

TEST(SetupCommands, ReadsNoProgram) {
  EXPECT_EQ(excerpt_of_setup("\x7F"
                             "ELF\n[Service]\nip link set enp1s0f0np0 mtu 9000\n"),
            "1 other -\n");
  EXPECT_EQ(excerpt_of_setup("ip link set enp1s0f0np0 mtu 9000\n"), "1 other -\n")
      << "data of some sort";
}

}  // namespace
}  // namespace spark::cli
