#include "kinds/storage/storage_units.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spark::kinds {
namespace {

using testing::HasSubstr;
using testing::Not;

const ConnectionKey kKey{"nqn.2014-08.org.example:data", "192.0.2.1", 4420};

TEST(EscapePath, DoesAsSystemdEscapeDoes) {
  EXPECT_EQ(escape_path("/mnt/data"), "mnt-data");
  EXPECT_EQ(escape_path("/mnt/a-b"), "mnt-a\\x2db");
  EXPECT_EQ(escape_path("/mnt/a.b_c:d"), "mnt-a.b_c:d");
  EXPECT_EQ(escape_path("/.hidden/x"), "\\x2ehidden-x");
  EXPECT_EQ(escape_path("/mnt/50%"), "mnt-50\\x25");
  EXPECT_EQ(escape_path("/"), "-");
}

TEST(MountUnit, IsNamedAfterItsPath) { EXPECT_EQ(mount_unit("/mnt/a-b"), "mnt-a\\x2db.mount"); }

TEST(FsckUnit, IsNamedAfterItsDevice) {
  EXPECT_EQ(fsck_unit(device_of("uuid.00000000-0000-4000-8000-00000000000a")),
            "systemd-fsck@dev-disk-by\\x2did-nvme\\x2duuid.00000000\\x2d0000\\x2d4000\\x2d8000"
            "\\x2d00000000000a.service");
}

TEST(ConnectionId, TellsConnectionsApartThatDifferAnywhere) {
  auto other = kKey;
  other.port = 4421;
  EXPECT_NE(connection_id(kKey), connection_id(other));
  other = kKey;
  other.address = "192.0.2.2";
  EXPECT_NE(connection_id(kKey), connection_id(other));
}

TEST(ConnectionId, IsSafeInAFileNameWhateverTheNqn) {
  const auto id = connection_id({std::string(223, '/') + "..", "2001:db8::1", 4420});
  EXPECT_EQ(id.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-"),
            std::string::npos);
  EXPECT_LE(id.size(), 64U);
  EXPECT_FALSE(id.starts_with('-'));
}

TEST(ConnectionId, StaysReadable) {
  EXPECT_THAT(connection_id(kKey), testing::StartsWith("data-"));
}

TEST(ConnectionText, NamesTheFileOfASecretAndNeverASecret) {
  EXPECT_THAT(connection_text(kKey, "eth0", "/etc/spark-reconcile/dhchap"),
              HasSubstr("\"secret_file\": \"/etc/spark-reconcile/dhchap\""));
}

TEST(ConnectionTemplate, TriesForeverAndIsStoppedBeforeTheNetwork) {
  const auto text = connection_template("/usr/libexec/spark-reconcile/spark-storage");
  EXPECT_THAT(text,
              HasSubstr("\nExecStart=/usr/libexec/spark-reconcile/spark-storage connect %i\n"));
  EXPECT_THAT(text, HasSubstr("\nRestart=on-failure\n"));
  EXPECT_THAT(text, HasSubstr("\nStartLimitIntervalSec=0\n"));
  EXPECT_THAT(text, HasSubstr("network.target\n"));
}

TEST(MountText, IsStoppedBeforeItsConnectionAndCheckedBeforeItIsMounted) {
  const auto text = mount_text({.path = "/mnt/50%",
                                .device = "/dev/disk/by-id/nvme-uuid.a",
                                .type = "ext4",
                                .options = "rw,_netdev",
                                .connection = kKey,
                                .checked = true});
  EXPECT_THAT(text, HasSubstr("\nRequires=" + connection_unit(kKey) +
                              " systemd-fsck@dev-disk-by\\x2did-nvme\\x2duuid.a.service\n"));
  EXPECT_THAT(text, HasSubstr("\nAfter=" + connection_unit(kKey)));
  EXPECT_THAT(text, HasSubstr("\nWhere=/mnt/50%%\n"));
  EXPECT_THAT(text, Not(HasSubstr("network-online")));
}

TEST(MountText, HasNoCheckWhereNothingIsWritten) {
  EXPECT_THAT(mount_text({.path = "/mnt/a", .device = "/dev/x", .connection = kKey}),
              Not(HasSubstr("fsck")));
}

}  // namespace
}  // namespace spark::kinds
