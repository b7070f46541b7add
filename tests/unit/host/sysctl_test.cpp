#include "host/sysctl.hpp"

#include <gtest/gtest.h>

#include "host/linux/linux_sysctl.hpp"

namespace spark {
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

TEST(KernelSysctl, ReadsAValueWithFoldedBlanks) {
  const auto value = KernelSysctl().read("net.ipv4.ip_local_port_range");
  ASSERT_TRUE(value) << value.error().what;
  EXPECT_NE(value->text.find(' '), std::string::npos);
  EXPECT_EQ(value->text.find_first_of("\t\n"), std::string::npos);
}

TEST(KernelSysctl, AnUnknownKeyIsNotFound) {
  EXPECT_EQ(KernelSysctl().read("net.ipv4.no_such_key").error(),
            (Error{ErrorCode::kNotFound,
                   "read sysctl 'net.ipv4.no_such_key': No such file or directory"}));
}

TEST(KernelSysctl, ADirectoryIsNoKey) {
  EXPECT_EQ(KernelSysctl().read("net.ipv4").error().code, ErrorCode::kInvalid);
}

TEST(KernelSysctl, TellsWhatNobodyMayWrite) {
  EXPECT_FALSE(KernelSysctl().read("kernel.osrelease")->writable);
}

}  // namespace
}  // namespace spark
