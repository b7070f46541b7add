#include "host/linux/linux_files.hpp"

#include <array>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fake/temporary_folder.hpp"
#include "host/file_lock.hpp"

namespace spark::host {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class LinuxFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(root_ / "etc");
    if (const auto names = files().list("/"); !names) {
      GTEST_SKIP() << "openat2(2) does not work here: " << names.error().what;
    }
  }
  LinuxFiles& files() {
    if (!files_) {
      files_.emplace(root_);
    }
    return *files_;
  }
  void put(const std::string& path, const std::string& text) const {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  [[nodiscard]] std::string get(const std::string& path) const {
    std::ifstream file(root_ / path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] struct stat status(const std::string& path) const {
    struct stat result{};
    EXPECT_EQ(lstat((root_ / path).c_str(), &result), 0) << path;
    return result;
  }

  test::TemporaryFolder temporary_;
  fs::path root_ = temporary_.path();
  std::optional<LinuxFiles> files_;
};

TEST_F(LinuxFilesTest, ReadsAWholeFileBelowTheRoot) {
  put("etc/hosts", "127.0.0.1 localhost\n");
  EXPECT_EQ(*files().read("/etc/hosts"), "127.0.0.1 localhost\n");
}

TEST_F(LinuxFilesTest, AFileThatIsAbsentIsNoError) {
  EXPECT_EQ(*files().read("/etc/none"), std::nullopt);
  EXPECT_EQ(*files().read("/none/none"), std::nullopt);
}

TEST_F(LinuxFilesTest, ReadsUpToOneMebibyte) {
  put("etc/big", std::string(1024UL * 1024, 'x'));
  EXPECT_EQ((*files().read("/etc/big"))->size(), 1024UL * 1024);
  put("etc/big", std::string(1024UL * 1024 + 1, 'x'));
  EXPECT_EQ(files().read("/etc/big").error(),
            (Error{ErrorCode::kSystem, "read '/etc/big': longer than 1024 KiB"}));
}

/// A document of spark-web below the root, and what keeps it from being one.
class HelperFiles : public LinuxFilesTest {
 protected:
  static constexpr const char* kPath = "/run/web/web.json";
  static constexpr std::size_t kMost = 64;

  void SetUp() override {
    LinuxFilesTest::SetUp();
    if (IsSkipped()) return;
    put_user(geteuid());
    put("run/web/web.json", "{}");
    ASSERT_EQ(chmod((root_ / "run/web/web.json").c_str(), 0644), 0);  // whatever the umask
    put("etc/shadow", "root:s3cret");
    fs::permissions(root_ / "etc/shadow", fs::perms::owner_read);
  }
  Result<std::optional<std::string>> read() {
    return files().read_helpers(kPath, "spark-web", kMost);
  }
  /// spark-web has that number on this machine.
  void put_user(uid_t user) const {
    put("etc/passwd",
        fmt::format("root:x:0:0::/:/bin/sh\nspark-web:x:{0}:{0}::/:/bin/false\n", user));
  }
  void remove() const { fs::remove(root_ / "run/web/web.json"); }
};

TEST_F(HelperFiles, AreReadWhereRootOrTheirUserOwnsThem) {
  if (geteuid() != 0) GTEST_SKIP() << "files have one owner here";
  EXPECT_EQ(*read(), "{}");
  constexpr uid_t kUser = 64123;
  ASSERT_EQ(chown((root_ / "run/web/web.json").c_str(), kUser, kUser), 0);
  EXPECT_EQ(read().error(), (Error{ErrorCode::kInvalid,
                                   "read '/run/web/web.json': others than spark-web could have "
                                   "written it: remove it"}));
  put_user(kUser);
  EXPECT_EQ(*read(), "{}");
  for (const mode_t mode : {0664, 0646}) {
    ASSERT_EQ(chmod((root_ / "run/web/web.json").c_str(), mode), 0);
    EXPECT_FALSE(read());
  }
}

TEST_F(HelperFiles, ThatAreNotThereAreNoError) {
  remove();
  EXPECT_EQ(*read(), std::nullopt);
  fs::remove(root_ / "run/web");
  EXPECT_EQ(*read(), std::nullopt);
}

// D6: root read what a helper linked to.
TEST_F(HelperFiles, LeadToNoFileOfRootByALink) {
  remove();
  for (const auto* to : {"/etc/shadow", "../../etc/shadow", "/dev/null"}) {
    fs::create_symlink(to, root_ / "run/web/web.json");
    EXPECT_EQ(read().error(),
              (Error{ErrorCode::kInvalid,
                     "read '/run/web/web.json': a symbolic link is on the way, and none is "
                     "followed"}));
    remove();
  }
  fs::create_hard_link(root_ / "etc/shadow", root_ / "run/web/web.json");
  EXPECT_EQ(read().error(), (Error{ErrorCode::kInvalid,
                                   "read '/run/web/web.json': it is no regular file with one "
                                   "name: remove it"}));
}

TEST_F(HelperFiles, LeadToNoFileOfRootByAFolder) {
  fs::remove_all(root_ / "run/web");
  put("etc/web.json", "root:s3cret");
  fs::create_symlink("../etc", root_ / "run/web");
  EXPECT_EQ(read().error().code, ErrorCode::kInvalid);
}

TEST_F(HelperFiles, AreRegularAndBounded) {
  put("run/web/web.json", std::string(kMost, 'x'));
  EXPECT_EQ((*read())->size(), kMost);
  put("run/web/web.json", std::string(kMost + 1, 'x'));
  EXPECT_FALSE(read());
  remove();
  ASSERT_EQ(mkfifo((root_ / "run/web/web.json").c_str(), 0600), 0);
  EXPECT_EQ(read().error().code, ErrorCode::kInvalid);
}

TEST_F(LinuxFilesTest, DoesNotWaitForAWriterOfAFifo) {
  ASSERT_EQ(mkfifo((root_ / "etc/fifo").c_str(), 0600), 0);
  EXPECT_EQ(files().read("/etc/fifo").error(),
            (Error{ErrorCode::kInvalid, "read '/etc/fifo': not a regular file"}));
}

TEST_F(LinuxFilesTest, ReadsThroughALinkButNotOutOfTheRoot) {
  put("etc/sysctl.conf", "a = 1\n");
  fs::create_directory(root_ / "etc/sysctl.d");
  fs::create_symlink("../sysctl.conf", root_ / "etc/sysctl.d/99-sysctl.conf");
  fs::create_symlink("/etc/sysctl.conf", root_ / "etc/absolute");
  fs::create_symlink("../../../../../../../../../../proc/version", root_ / "etc/outside");
  EXPECT_EQ(*files().read("/etc/sysctl.d/99-sysctl.conf"), "a = 1\n");
  EXPECT_EQ(*files().read("/etc/absolute"), "a = 1\n");
  EXPECT_EQ(*files().read("/etc/outside"), std::nullopt);
}

TEST_F(LinuxFilesTest, AMaskedFileReadsAsEmpty) {
  EXPECT_EQ(*LinuxFiles("/").read("/dev/null"), "");
}

TEST_F(LinuxFilesTest, ListsNamesInOrder) {
  put("etc/sysctl.d/b.conf", "");
  put("etc/sysctl.d/a.conf", "");
  EXPECT_THAT(*files().list("/etc/sysctl.d"), ElementsAre("a.conf", "b.conf"));
  EXPECT_THAT(*files().list("/etc/none.d"), IsEmpty());
}

TEST_F(LinuxFilesTest, ANewFileGetsTheModeAskedFor) {
  const auto umask_before = umask(077);
  ASSERT_TRUE(files().write("/etc/new", "text", 0644));
  umask(umask_before);
  EXPECT_EQ(get("etc/new"), "text");
  EXPECT_EQ(status("etc/new").st_mode & 07777U, 0644U);
}

TEST_F(LinuxFilesTest, AnExistingFileKeepsItsModeAndOwner) {
  if (geteuid() != 0) {
    GTEST_SKIP() << "only root may give files away";
  }
  put("etc/hosts", "old");
  ASSERT_EQ(chown((root_ / "etc/hosts").c_str(), 12, 34), 0);
  ASSERT_EQ(chmod((root_ / "etc/hosts").c_str(), 0640), 0);
  ASSERT_TRUE(files().write("/etc/hosts", "new", 0644));
  EXPECT_EQ(get("etc/hosts"), "new");
  EXPECT_EQ(status("etc/hosts").st_uid, 12U);
  EXPECT_EQ(status("etc/hosts").st_gid, 34U);
  EXPECT_EQ(status("etc/hosts").st_mode & 07777U, 0640U);
}

TEST_F(LinuxFilesTest, AReaderSeesTheOldFileOrTheNewOne) {
  put("etc/hosts", "old");
  std::ifstream reader(root_ / "etc/hosts");
  ASSERT_TRUE(files().write("/etc/hosts", "new", 0644));
  std::string seen;
  reader >> seen;
  EXPECT_EQ(seen, "old");
}

TEST_F(LinuxFilesTest, LeavesNothingElseBehind) {
  ASSERT_TRUE(files().write_durably("/etc/new", "text", 0644));
  EXPECT_THAT(*files().list("/etc"), ElementsAre("new"));
}

TEST_F(LinuxFilesTest, ALeftOverTemporaryFileIsNoObstacle) {
  put("etc/.new.spark-reconcile-new", "half of it");
  ASSERT_TRUE(files().write("/etc/new", "text", 0644));
  EXPECT_THAT(*files().list("/etc"), ElementsAre("new"));
}

TEST_F(LinuxFilesTest, MakesMissingDirectories) {
  ASSERT_TRUE(files().write_durably("/var/lib/spark-reconcile/deep/log", "x", 0600));
  EXPECT_EQ(get("var/lib/spark-reconcile/deep/log"), "x");
  EXPECT_EQ(status("var/lib").st_mode & 07777U, 0755U);
  EXPECT_EQ(status("var/lib/spark-reconcile").st_mode & 07777U, 0700U);
  EXPECT_EQ(status("var/lib/spark-reconcile/deep").st_mode & 07777U, 0700U);
}

TEST_F(LinuxFilesTest, DirectoriesCanBeReadByAllWhateverTheUmask) {
  const auto former = umask(0077);
  EXPECT_TRUE(files().write("/run/spark-reconcile/status.json", "{}", 0644));
  umask(former);
  EXPECT_EQ(status("run/spark-reconcile").st_mode & 07777U, 0755U);
  EXPECT_EQ(status("run/spark-reconcile/status.json").st_mode & 07777U, 0644U);
}

TEST_F(LinuxFilesTest, DoesNotReplaceALink) {
  put("etc/real", "real");
  fs::create_symlink("real", root_ / "etc/link");
  EXPECT_EQ(files().write("/etc/link", "x", 0644).error(),
            (Error{ErrorCode::kInvalid,
                   "write '/etc/link': it is a symbolic link, which is not replaced"}));
  EXPECT_EQ(get("etc/real"), "real");
}

TEST_F(LinuxFilesTest, DoesNotWriteThroughALinkedDirectory) {
  fs::create_directory(root_ / "elsewhere");
  fs::create_symlink("/elsewhere", root_ / "etc/linked.d");
  for (const auto& result :
       {files().write("/etc/linked.d/x", "x", 0644), files().remove("/etc/linked.d/x")}) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, ErrorCode::kInvalid);
    EXPECT_THAT(result.error().what, HasSubstr("a symbolic link is on the way"));
  }
  EXPECT_THAT(*files().list("/elsewhere"), IsEmpty());
}

TEST_F(LinuxFilesTest, DoesNotReplaceADirectory) {
  fs::create_directory(root_ / "etc/conf.d");
  EXPECT_EQ(files().write("/etc/conf.d", "x", 0644).error().what,
            "write '/etc/conf.d': it is not a regular file");
}

TEST_F(LinuxFilesTest, RemovesAFileAndIsContentWithNone) {
  put("etc/old", "x");
  EXPECT_TRUE(files().remove("/etc/old"));
  EXPECT_TRUE(files().remove("/etc/old"));
  EXPECT_TRUE(files().remove("/none/old"));
  EXPECT_THAT(*files().list("/etc"), IsEmpty());
}

TEST_F(LinuxFilesTest, AlsoRemovesWhatNoPowerCutMayBringBack) {
  put("etc/old", "x");
  put("etc/theirs", "x");
  fs::create_symlink("etc", root_ / "linked");
  EXPECT_TRUE(files().remove_durably("/etc/old"));
  EXPECT_TRUE(files().remove_durably("/etc/old"));
  EXPECT_TRUE(files().remove_durably("/none/old"));
  EXPECT_FALSE(files().remove_durably("/linked/theirs"));
  EXPECT_THAT(*files().list("/etc"), ElementsAre("theirs"));
}

TEST_F(LinuxFilesTest, ALockIsHeldUntilItGoes) {
  constexpr const char* kPath = "/run/spark-reconcile/apply/lock";
  {
    const auto lock = files().lock(kPath);
    ASSERT_TRUE(lock) << lock.error().what;
    const auto second = files().lock(kPath);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::kBusy);
    EXPECT_THAT(second.error().what,
                HasSubstr(fmt::format("lock '{}': held by process {} (", kPath, getpid())));
  }
  EXPECT_TRUE(files().lock(kPath));
}

TEST_F(LinuxFilesTest, WhoHoldsALockIsSeenWithoutTakingIt) {
  constexpr const char* kPath = "/run/spark-reconcile/apply/lock";
  const auto holder = [&] { return lock_holder(root_, kPath).value(); };
  EXPECT_FALSE(holder()) << "there is no such file";
  EXPECT_FALSE(fs::exists(root_ / "run"));
  {
    const auto lock = files().lock(kPath);
    ASSERT_TRUE(lock) << lock.error().what;
    EXPECT_THAT(holder().value_or(""), HasSubstr(fmt::format("held by process {} (", getpid())));
    EXPECT_TRUE(is_held(root_.string() + kPath).value());
  }
  put("run/spark-reconcile/apply/lock", "1\n");
  EXPECT_FALSE(holder());
  EXPECT_FALSE(is_held(root_.string() + kPath).value());
  EXPECT_EQ(get("run/spark-reconcile/apply/lock"), "1\n") << "who takes it writes into it";
  fs::remove(root_ / "run/spark-reconcile/apply/lock");
  fs::create_symlink("/etc/passwd", root_ / "run/spark-reconcile/apply/lock");
  EXPECT_EQ(lock_holder(root_, kPath).error().code, ErrorCode::kInvalid);
  EXPECT_EQ(is_held(root_.string() + kPath).error().code, ErrorCode::kInvalid);
  EXPECT_FALSE(is_held(root_.string() + "/run/none").value());
}

TEST_F(LinuxFilesTest, ADirectoryThatOthersCanWriteIntoIsTold) {
  constexpr const char* kPath = "/etc/own";
  EXPECT_TRUE(files().check_writers(kPath)) << "there is none";
  fs::create_directory(root_ / "etc/own");
  const auto says = [&] {
    const auto safe = files().check_writers(kPath);
    return safe ? std::string() : safe.error().what;
  };
  fs::permissions(root_ / "etc/own", fs::perms(0755));
  EXPECT_EQ(says(), "");
  fs::permissions(root_ / "etc/own", fs::perms(0770));
  EXPECT_THAT(says(), HasSubstr("its mode is 0770"));
  EXPECT_THAT(says(), HasSubstr("`chmod go-w /etc/own`"));
  fs::permissions(root_ / "etc/own", fs::perms(0702));
  EXPECT_THAT(says(), HasSubstr("its mode is 0702"));
  fs::permissions(root_ / "etc/own", fs::perms(0700));
  if (chown((root_ / "etc/own").c_str(), 65534, static_cast<gid_t>(-1)) == 0) {  // as root
    EXPECT_THAT(says(), HasSubstr("it belongs to user 65534"));
  }
}

TEST_F(LinuxFilesTest, RemovesTheEmptyDirectoriesThatItMadeWithTheirFile) {
  ASSERT_TRUE(files().write("/etc/a/b/one.conf", "1\n", 0644));
  ASSERT_TRUE(files().write("/etc/a/two.conf", "2\n", 0644));
  ASSERT_TRUE(files().remove("/etc/a/b/one.conf"));
  EXPECT_FALSE(fs::exists(root_ / "etc/a/b"));
  ASSERT_TRUE(files().remove("/etc/a/two.conf"));
  EXPECT_FALSE(fs::exists(root_ / "etc/a"));
  EXPECT_TRUE(fs::exists(root_ / "etc")) << "it was there before";

  fs::create_directory(root_ / "etc/theirs");
  ASSERT_TRUE(files().write("/etc/theirs/three.conf", "3\n", 0644));
  ASSERT_TRUE(files().remove("/etc/theirs/three.conf"));
  EXPECT_TRUE(fs::exists(root_ / "etc/theirs"));
}

TEST_F(LinuxFilesTest, KnowsWhatItWouldNotReplace) {
  put("etc/file", "x");
  fs::create_symlink("file", root_ / "etc/link");
  fs::create_directory(root_ / "etc/directory");
  fs::create_directory_symlink("directory", root_ / "etc/linked");
  EXPECT_EQ(files().is_replaceable("/etc/file"), true);
  EXPECT_EQ(files().is_replaceable("/etc/absent"), true);
  EXPECT_EQ(files().is_replaceable("/absent/absent"), true);
  for (const auto* path : {"/etc/link", "/etc/directory", "/etc/linked/file", "/etc/file/file"}) {
    EXPECT_EQ(files().is_replaceable(path), false) << path;
    EXPECT_FALSE(files().write(path, "y", 0644)) << path;
  }
}

TEST_F(LinuxFilesTest, HoldsRoomThatNobodySees) {
  put("etc/file", "x");
  for (const auto* path : {"/etc/file", "/etc/new", "/etc/absent/below/file"}) {
    const auto room = files().hold_room(path, 4096);
    ASSERT_TRUE(room) << room.error().what;
    EXPECT_THAT(*files().list("/etc"), ElementsAre("file"));
  }
  fs::create_symlink("etc", root_ / "linked");
  EXPECT_FALSE(files().hold_room("/linked/file", 4096));
}

TEST_F(LinuxFilesTest, ALockIsForItsOwnerAloneAlsoWhenItWasNot) {
  ASSERT_TRUE(files().lock("/run/new"));
  EXPECT_EQ(status("run/new").st_mode & 0777U, 0600U);
  put("run/old", "");
  ASSERT_EQ(chmod((root_ / "run/old").c_str(), 0644), 0);
  ASSERT_TRUE(files().lock("/run/old"));
  EXPECT_EQ(status("run/old").st_mode & 0777U, 0600U);
}

TEST_F(LinuxFilesTest, ALockThatIsALinkIsRefused) {
  put("run/precious", "x");
  fs::create_symlink("precious", root_ / "run/lock");
  EXPECT_FALSE(files().lock("/run/lock"));
  EXPECT_EQ(get("run/precious"), "x");
}

}  // namespace
}  // namespace spark::host
