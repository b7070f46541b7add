#include "host/process/key_file.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fake/temporary_folder.hpp"

namespace spark::host {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

constexpr gid_t kGroup = 991;
constexpr gid_t kOtherGroup = 992;

class KeyFileTest : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "a key belongs to root";
    fs::create_directory(folder_.path() / "etc");
    std::ofstream(real_) << "a key\n";
    set(0640, 0, kGroup);
  }

  void set(mode_t mode, uid_t owner, gid_t group) const {
    ASSERT_EQ(chown(real_.c_str(), owner, group), 0);
    ASSERT_EQ(chmod(real_.c_str(), mode), 0);
  }
  /// What is wrong with it; empty: nothing.
  [[nodiscard]] std::string wrong() const {
    const auto fault = key_file_fault(folder_.path(), "/etc/peers.key", reader_);
    return fault ? fault->what + " | " + fault->remedy : "";
  }
  [[nodiscard]] bool opens() const {
    return open_key_file(folder_.path(), "/etc/peers.key", reader_).has_value();
  }

  test::TemporaryFolder folder_;
  std::string real_ = folder_.path() / "etc/peers.key";
  KeyReader reader_{.name = "spark-peers", .ids = UserIds{.user = 990, .group = kGroup}};
};

TEST_F(KeyFileTest, OfRootAndTheGroupOfItsReaderIsRight) {
  for (const mode_t mode : {0640, 0440}) {
    set(mode, 0, kGroup);
    EXPECT_EQ(wrong(), "") << mode;
  }
  const auto file = open_key_file(folder_.path(), "/etc/peers.key", reader_);
  ASSERT_TRUE(file);
  std::array<char, 6> text{};
  ASSERT_EQ(read(file->get(), text.data(), text.size()), 6);
  EXPECT_EQ(std::string(text.data(), text.size()), "a key\n");
}

TEST_F(KeyFileTest, OfRootAloneOpensForRootAndIsNoUseToTheReader) {
  set(0600, 0, 0);
  EXPECT_TRUE(opens());
  EXPECT_EQ(wrong(),
            "'/etc/peers.key' cannot be read by spark-peers | `sudo chown root:spark-peers "
            "/etc/peers.key && sudo chmod 0640 /etc/peers.key`");
  set(0640, 0, 0);
  EXPECT_THAT(wrong(), HasSubstr("cannot be read by spark-peers"));
}

TEST_F(KeyFileTest, OfAnotherOwnerOrModeIsRefused) {
  const auto is_refused = [&](mode_t mode, uid_t owner, gid_t group, const std::string& why) {
    set(mode, owner, group);
    EXPECT_FALSE(opens()) << why;
    EXPECT_THAT(wrong(), HasSubstr("'/etc/peers.key' " + why));
    EXPECT_THAT(wrong(), HasSubstr("chmod 0640 /etc/peers.key"));
  };
  is_refused(0640, 1000, kGroup, "belongs to user 1000");
  is_refused(0640, 990, kGroup, "belongs to user 990");
  is_refused(0644, 0, kGroup, "is open to everybody, who may have read it");
  is_refused(0642, 0, kGroup, "is open to everybody, who may have read it");
  is_refused(0641, 0, kGroup, "is open to everybody, who may have read it");
  is_refused(0660, 0, kGroup, "can be written by group 991");
  is_refused(0640, 0, kOtherGroup, "can be read by group 992");
  is_refused(0740, 0, kGroup, "has mode 0740");
  is_refused(04640, 0, kGroup, "has mode 4640");
}

TEST_F(KeyFileTest, ThatIsNoPlainFileIsRefused) {
  fs::rename(real_, folder_.path() / "etc/elsewhere");
  fs::create_symlink("elsewhere", real_);
  EXPECT_FALSE(opens());
  EXPECT_THAT(wrong(), HasSubstr("is a symbolic link"));
  fs::remove(real_);
  EXPECT_THAT(wrong(), HasSubstr("there is no '/etc/peers.key'"));
  fs::create_hard_link(folder_.path() / "etc/elsewhere", real_);
  EXPECT_THAT(wrong(), HasSubstr("has another name too"));
  fs::remove(real_);
  fs::create_directory(real_);
  EXPECT_THAT(wrong(), HasSubstr("is no regular file"));
  fs::remove(real_);
  ASSERT_EQ(mkfifo(real_.c_str(), 0640), 0);
  EXPECT_THAT(wrong(), HasSubstr("is no regular file")) << "and it does not wait for a writer";
}

TEST_F(KeyFileTest, BehindALinkedDirectoryIsRefused) {
  fs::rename(folder_.path() / "etc", folder_.path() / "real");
  fs::create_directory_symlink("real", folder_.path() / "etc");
  EXPECT_FALSE(opens());
  EXPECT_THAT(wrong(), HasSubstr("something on the way to '/etc/peers.key' is a link"));
}

TEST_F(KeyFileTest, AReaderThatIsNotThereIsSaid) {
  reader_.ids.reset();
  set(0600, 0, 0);
  EXPECT_TRUE(opens());
  EXPECT_THAT(wrong(), HasSubstr("there is no user spark-peers"));
}

}  // namespace
}  // namespace spark::host
