#include "host/sysctl.hpp"

#include <gtest/gtest.h>

#include "host/linux/linux_system.hpp"

namespace spark::host {
namespace {

TEST(SysctlFile, DotsSeparate) { EXPECT_EQ(sysctl_file("net.core.rmem_max"), "net/core/rmem_max"); }

TEST(SysctlFile, SlashesSeparateWhenTheyComeFirst) {
  EXPECT_EQ(sysctl_file("net/ipv4/conf/eth0.100/arp_ignore"), "net/ipv4/conf/eth0.100/arp_ignore");
}

TEST(SysctlFile, ASlashAmongDotsIsADot) {
  EXPECT_EQ(sysctl_file("net.ipv4.conf.eth0/100.arp_ignore"), "net/ipv4/conf/eth0.100/arp_ignore");
}

TEST(SysctlFile, NothingLeadsOutOfProcSys) {
  for (const auto* key : {"", "/", "a//b", "a/../../etc/passwd", "../x", ".", "net..core"}) {
    const auto file = sysctl_file(key);
    EXPECT_FALSE(file) << key;
  }
  EXPECT_EQ(sysctl_file("net..core").error(),
            (Error{ErrorCode::kInvalid, "'net..core' is no sysctl key"}));
}

TEST(LinuxSysctl, ReadsAValueWithFoldedBlanks) {
  const auto value = LinuxSysctl().read("net.ipv4.ip_local_port_range");
  ASSERT_TRUE(value) << value.error().what;
  EXPECT_NE(value->text.find(' '), std::string::npos);
  EXPECT_EQ(value->text.find_first_of("\t\n"), std::string::npos);
}

TEST(LinuxSysctl, AnUnknownKeyIsNotFound) {
  EXPECT_EQ(LinuxSysctl().read("net.ipv4.no_such_key").error(),
            (Error{ErrorCode::kNotFound,
                   "read sysctl 'net.ipv4.no_such_key': No such file or directory"}));
}

TEST(LinuxSysctl, ADirectoryIsNoKey) {
  EXPECT_EQ(LinuxSysctl().read("net.ipv4").error().code, ErrorCode::kInvalid);
}

TEST(LinuxSysctl, TellsWhatNobodyMayWrite) {
  EXPECT_FALSE(LinuxSysctl().read("kernel.osrelease")->writable);
}

}  // namespace
}  // namespace spark::host
