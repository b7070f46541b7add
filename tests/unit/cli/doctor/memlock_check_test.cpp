#include "cli/doctor/checks.hpp"
#include "protocol/paths.hpp"
#include "unit/cli/doctor/asked.hpp"

namespace spark::cli {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kFree =
    "* soft memlock unlimited\n* hard memlock unlimited\n"
    "root soft memlock unlimited\nroot hard memlock unlimited\n";

TEST(MemlockCheck, NamesWhatMayLockLittle) {
  test::FakeHost machine;
  EXPECT_THAT(asked(check_memlock, machine), IsEmpty()) << "systemd does not run";
  test::add_spark(machine, test::dgx_rail_names());
  machine.files().put("/etc/security/limits.d/rdma.conf", kFree);
  machine.files().put("/etc/systemd/system.conf.d/10-rdma.conf",
                      "[Manager]\nDefaultLimitMEMLOCK=8M\n");
  EXPECT_THAT(asked(check_memlock, machine),
              ElementsAre(AllOf(says("memlock", Severity::kLook, "services 8 MiB"),
                                Field(&Finding::remedy, HasSubstr("memlock: unlimited")))));
  machine.files().put("/etc/systemd/system.conf.d/10-rdma.conf",
                      "[Manager]\nDefaultLimitMEMLOCK=infinity\n");
  machine.files().put("/etc/systemd/system.conf.d/99-last.conf",
                      "[Manager]\nDefaultLimitMEMLOCK=64K\n");
  EXPECT_THAT(
      asked(check_memlock, machine),
      ElementsAre(AllOf(says("memlock", Severity::kLook,
                             "services: /etc/systemd/system.conf.d/99-last.conf:2 says 64 KiB"),
                        Field(&Finding::remedy, HasSubstr("no key of the file changes")))));
  machine.files().erase("/etc/systemd/system.conf.d/99-last.conf");
  EXPECT_THAT(asked(check_memlock, machine),
              ElementsAre(says("memlock", Severity::kGood, "logins unlimited")));
}

TEST(MemlockCheck, WhatTheFileAsksForIsThePlans) {
  test::FakeHost machine;
  test::add_spark(machine, test::dgx_rail_names());
  machine.files().put(
      protocol::kDefaultFile,
      "version: 1\ncluster: lab\nnodes: { spark1: {} }\nhost: { memlock: unlimited }\n");
  EXPECT_THAT(asked(check_memlock, machine),
              ElementsAre(says("memlock", Severity::kGood, "services")));
}

}  // namespace
}  // namespace spark::cli
