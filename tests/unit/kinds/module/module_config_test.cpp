#include "kinds/module/module_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_host.hpp"

namespace spark::kinds {
namespace {

using testing::HasSubstr;

class ModuleConfigTest : public testing::Test {
 protected:
  ModuleConfig read() {
    auto ports = host_.host();
    host::View view(ports);
    return ModuleConfig::read(view).value();
  }

  test::FakeHost host_;
};

TEST_F(ModuleConfigTest, FindsWhatOtherFilesLoadAtBoot) {
  host_.files().put("/etc/modules-load.d/modules.conf", "# /etc/modules\n\n; more\nnvme-tcp\n");
  const auto config = read();
  ASSERT_NE(config.loaded_by_another("nvme_tcp"), nullptr);
  EXPECT_EQ(config.loaded_by_another("nvme_tcp")->place(), "/etc/modules-load.d/modules.conf:4");
  EXPECT_FALSE(config.is_ours("nvme_tcp"));
}

TEST_F(ModuleConfigTest, LetsEtcHideAFileOfTheSameName) {
  host_.files().put("/usr/lib/modules-load.d/a.conf", "nvme-tcp\n");
  host_.files().put("/etc/modules-load.d/a.conf", "");
  EXPECT_EQ(read().loaded_by_another("nvme_tcp"), nullptr);
}

TEST_F(ModuleConfigTest, TellsOurLineFromOthers) {
  host_.files().put(kModulesFile, "nvme_tcp\n");
  const auto config = read();
  EXPECT_TRUE(config.is_ours("nvme_tcp"));
  EXPECT_EQ(config.loaded_by_another("nvme_tcp"), nullptr);
}

TEST_F(ModuleConfigTest, NamesTheLineThatKeepsAModuleOut) {
  host_.files().put("/etc/modprobe.d/a.conf",
                    "options nvme_tcp so_priority=1\nblacklist nvme-tcp\n");
  host_.files().put("/usr/lib/modprobe.d/b.conf", "install rdma_ucm  /bin/false\n");
  const auto config = read();
  ASSERT_NE(config.kept_out("nvme_tcp"), nullptr);
  EXPECT_EQ(config.kept_out("nvme_tcp")->place(), "/etc/modprobe.d/a.conf:2");
  ASSERT_NE(config.kept_out("rdma_ucm"), nullptr);
}

TEST_F(ModuleConfigTest, TakesAnInstallLineThatLoadsTheModuleForNoObstacle) {
  host_.files().put("/etc/modprobe.d/a.conf",
                    "install nvme_tcp modprobe --ignore-install nvme_tcp\ninstall\nblacklist\n");
  EXPECT_EQ(read().kept_out("nvme_tcp"), nullptr);
}

TEST(WithModuleLine, AddsAndRemovesOneLine) {
  const auto one = with_module_line("", "nvme_tcp", true);
  EXPECT_THAT(one, testing::EndsWith("overwritten.\nnvme_tcp\n"));
  const auto two = with_module_line(one, "ib_uverbs", true);
  EXPECT_THAT(two, testing::EndsWith("overwritten.\nib_uverbs\nnvme_tcp\n"));
  EXPECT_EQ(with_module_line(two, "ib_uverbs", false), one);
  EXPECT_EQ(with_module_line(one, "nvme_tcp", false), "");
}

TEST(PackageOfModule, IsExtraOnUbuntu) {
  EXPECT_THAT(package_of_module("NAME=\"Ubuntu\"\nID=ubuntu\n", "6.8.0-31-generic", "nvme_tcp"),
              HasSubstr("linux-modules-extra-6.8.0-31-generic"));
}

TEST(PackageOfModule, IsTheWholeKernelWhereDebiansCloudKernelRuns) {
  EXPECT_THAT(package_of_module("ID=debian\n", "6.1.0-40-cloud-amd64", "rdma_rxe"),
              HasSubstr("`apt install linux-image-amd64`"));
}

TEST(PackageOfModule, IsNoneWhereDebianBuildsItNot) {
  EXPECT_THAT(package_of_module("ID=debian\n", "6.1.0-40-amd64", "siw"),
              HasSubstr("linux-image-6.1.0-40-amd64 has all modules that Debian builds"));
}

TEST(PackageOfModule, IsTheDriversForNvidia) {
  EXPECT_THAT(package_of_module("ID=ubuntu\n", "6.17.0-1014-nvidia", "nvidia_fs"),
              HasSubstr("linux-modules-nvidia-VERSION-6.17.0-1014-nvidia"));
}

TEST(PackageOfModule, IsNotGuessedElsewhere) {
  EXPECT_THAT(package_of_module("", "6.12.0", "nvme_tcp"), HasSubstr("nvme_tcp.ko"));
}

}  // namespace
}  // namespace spark::kinds
