#include "kinds/module/module.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_pass.hpp"
#include "kinds/module/module_config.hpp"

namespace spark::kinds {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A Spark, and a file that wants modules and nothing else.
class ModuleTest : public test::PassTest {
 protected:
  ModuleTest() {
    host_.files().put("/etc/os-release", "ID=ubuntu\n");
    want_nothing();
  }

  void want(const std::string& modules) {
    want_nothing();
    text_ += "host: { modules: [" + modules + "] }\n";
  }
  void want_nothing() { text_ = "version: 1\ncluster: one\nnodes: { spark1: {} }\n"; }

  std::string boot_file() { return host_.files().read(kModulesFile)->value_or(""); }
};

TEST_F(ModuleTest, LoadsAModuleNowAndAtBoot) {
  want("nvme-tcp");
  EXPECT_EQ(apply().exit_code(), ExitCode::kDone);
  EXPECT_TRUE(host_.modules().look("nvme_tcp")->loaded);
  EXPECT_THAT(boot_file(), testing::EndsWith("\nnvme_tcp\n"));
}

TEST_F(ModuleTest, AsksForNothingWhereItIsBuiltIn) {
  host_.modules().build_in("nvme_tcp");
  want("nvme-tcp");
  EXPECT_THAT(plan().steps, IsEmpty());
  EXPECT_EQ(plan().status(), ExitCode::kDone);
}

TEST_F(ModuleTest, WritesNoLineWhereAnotherFileLoadsItAtBoot) {
  host_.files().put("/etc/modules-load.d/nvme-tcp.conf", "nvme-tcp\n");
  host_.modules().load("nvme_tcp");
  want("nvme-tcp");
  EXPECT_THAT(plan().steps, IsEmpty());
}

TEST_F(ModuleTest, LoadsAgainAModuleThatWasUnloadedWhileItsUnitStayedActive) {
  want("nvme-tcp");
  ASSERT_EQ(apply().exit_code(), ExitCode::kDone);
  host_.modules().unload("nvme_tcp");
  EXPECT_EQ(apply().exit_code(), ExitCode::kDone);
  EXPECT_TRUE(host_.modules().look("nvme_tcp")->loaded);
}

TEST_F(ModuleTest, LooksAfterwardsAndFailsWhereTheModuleDidNotStart) {
  host_.modules().break_module("nvme_tcp");
  want("nvme-tcp");
  const auto report = apply();
  EXPECT_EQ(report.exit_code(), ExitCode::kRolledBack);
  EXPECT_THAT(report.failure->what, HasSubstr("modprobe@nvme_tcp.service ran, and the module is"));
  EXPECT_EQ(boot_file(), "");
}

TEST_F(ModuleTest, StaysLoadedWhenTheApplyIsRolledBackAndSaysSo) {
  host_.refuse_if("/etc/modules-load.d");
  want("nvme-tcp");
  const auto report = apply();
  EXPECT_EQ(report.exit_code(), ExitCode::kRolledBack);
  EXPECT_THAT(report.differs, IsEmpty());
  EXPECT_THAT(report.stays, ElementsAre("module nvme_tcp: loaded, not at boot"));
  EXPECT_TRUE(host_.modules().look("nvme_tcp")->loaded);
}

TEST_F(ModuleTest, NamesThePackageOfAModuleThatTheKernelLacks) {
  want("siw, rdma_ucm");
  const auto planned = plan();
  ASSERT_EQ(planned.skipped.size(), 1U);
  EXPECT_EQ(planned.skipped[0].skipped.id, "SR-MODULE-001");
  EXPECT_EQ(planned.skipped[0].skipped.why, Skipped::Why::kNotEnforced);
  EXPECT_THAT(planned.skipped[0].skipped.reason,
              HasSubstr("linux-modules-extra-6.17.0-1014-nvidia"));
  EXPECT_EQ(planned.steps.size(), 1U) << "the other one goes on";
}

TEST_F(ModuleTest, NamesTheLineThatKeepsItOut) {
  host_.files().put("/etc/modprobe.d/hardening.conf", "install nvme_tcp /bin/false\n");
  want("nvme-tcp");
  const auto planned = plan();
  EXPECT_THAT(planned.steps, IsEmpty());
  ASSERT_EQ(planned.skipped.size(), 1U);
  EXPECT_EQ(planned.skipped[0].skipped.id, "SR-MODULE-002");
  EXPECT_THAT(planned.skipped[0].skipped.reason, HasSubstr("/etc/modprobe.d/hardening.conf:1"));
}

TEST_F(ModuleTest, SaysThatTheNextBootWillNotLoadWhatIsLoadedNow) {
  host_.modules().load("nvme_tcp");
  host_.files().put("/etc/modprobe.d/a.conf", "blacklist nvme_tcp\n");
  want("nvme-tcp");
  const auto planned = plan();
  EXPECT_THAT(planned.steps, IsEmpty());
  ASSERT_EQ(planned.skipped.size(), 1U);
  EXPECT_THAT(planned.skipped[0].skipped.reason, HasSubstr("the next boot will not load it"));
}

TEST_F(ModuleTest, IsUnknownInAContainer) {
  host_.files().put("/run/systemd/container", "systemd-nspawn");
  want("nvme-tcp");
  const auto planned = plan();
  ASSERT_EQ(planned.skipped.size(), 1U);
  EXPECT_EQ(planned.skipped[0].skipped.id, "SR-MODULE-003");
  EXPECT_EQ(planned.skipped[0].skipped.why, Skipped::Why::kUnknown);
}

TEST_F(ModuleTest, LosesOurLineAndStaysLoadedWhenItsOwnIsGone) {
  want("nvme-tcp, rdma_ucm");
  ASSERT_EQ(apply().exit_code(), ExitCode::kDone);
  want("rdma_ucm");
  const auto planned = plan();
  ASSERT_EQ(planned.steps.size(), 1U);
  EXPECT_EQ(planned.steps[0].left, "loaded until the next boot");
  EXPECT_EQ(apply().exit_code(), ExitCode::kDone);
  EXPECT_TRUE(host_.modules().look("nvme_tcp")->loaded);
  EXPECT_THAT(boot_file(), testing::EndsWith("overwritten.\nrdma_ucm\n"));
  want_nothing();
  EXPECT_EQ(apply().exit_code(), ExitCode::kDone);
  EXPECT_FALSE(*host_.files().read(kModulesFile)) << "a file without lines goes";
}

TEST_F(ModuleTest, SaysWhoGoesOnLoadingAModuleThatTheFileNoLongerNames) {
  host_.modules().load("nvme_tcp");
  host_.files().put(kModulesFile, "nvme_tcp\n");
  host_.files().put("/etc/modules-load.d/z.conf", "nvme_tcp\n");
  const auto planned = plan();
  ASSERT_EQ(planned.steps.size(), 1U);
  EXPECT_EQ(planned.steps[0].left, "loaded at boot by /etc/modules-load.d/z.conf:1");
}

}  // namespace
}  // namespace spark::kinds
