#include "host/modules.hpp"

#include <gtest/gtest.h>

namespace spark::host {
namespace {

constexpr const char* kModulesDep =
    "kernel/drivers/nvme/host/nvme-core.ko.xz: kernel/crypto/crc64.ko.xz\n"
    "kernel/drivers/nvme/host/nvme-tcp.ko.xz: kernel/drivers/nvme/host/nvme-fabrics.ko.xz\n"
    "updates/dkms/nvidia.ko:\n";

TEST(ListsModule, FindsAFileWhateverItsDashesAndItsCompression) {
  EXPECT_TRUE(lists_module(kModulesDep, "nvme_tcp"));
  EXPECT_TRUE(lists_module(kModulesDep, "nvidia"));
  EXPECT_TRUE(lists_module("kernel/lib/crc32.ko\n", "crc32"));
}

TEST(ListsModule, TakesNoModuleThatIsOnlyNeededByAnother) {
  EXPECT_FALSE(lists_module(kModulesDep, "nvme_fabrics"));
}

TEST(ListsModule, TakesNoNameThatOnlyBeginsOrEndsAlike) {
  EXPECT_FALSE(lists_module(kModulesDep, "nvme"));
  EXPECT_FALSE(lists_module(kModulesDep, "tcp"));
  EXPECT_FALSE(lists_module(kModulesDep, ""));
}

TEST(ListsModule, SurvivesWhatIsNoList) {
  EXPECT_FALSE(lists_module("", "nvme_tcp"));
  EXPECT_FALSE(lists_module(":::\n///\n.ko\n", "nvme_tcp"));
}

TEST(CanonicalModuleName, HasUnderscores) {
  EXPECT_EQ(canonical_module_name("nvme-tcp"), "nvme_tcp");
}

}  // namespace
}  // namespace spark::host
