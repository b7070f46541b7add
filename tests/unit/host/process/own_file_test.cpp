#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "fake/temporary_folder.hpp"
#include "host/process/trusted_file.hpp"

namespace spark::host {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

class OwnFileTest : public testing::Test {
 protected:
  [[nodiscard]] std::string text() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  [[nodiscard]] std::ptrdiff_t names() const {
    return std::distance(fs::directory_iterator(folder_.path()), {});
  }

  TemporaryFolder folder_;
  const std::string path_ = folder_.path() / "peers.json";
};

TEST_F(OwnFileTest, IsReplaced) {
  ASSERT_TRUE(replace_file(path_, "one"));
  ASSERT_TRUE(replace_file(path_, "two"));
  EXPECT_EQ(text(), "two");
  EXPECT_EQ(names(), 1);
}

// Who had taken over spark-peers left a folder, and the report of the real one was never written.
TEST_F(OwnFileTest, AFolderInItsPlaceIsMovedAside) {
  fs::create_directories(path_ + "/a/b");
  ASSERT_TRUE(replace_file(path_, "one"));
  EXPECT_EQ(text(), "one");
  EXPECT_EQ(names(), 2);
}

TEST_F(OwnFileTest, AFolderInThePlaceOfTheNewOneIsMovedAside) {
  fs::create_directories(path_ + ".new/a");
  ASSERT_TRUE(replace_file(path_, "one"));
  EXPECT_EQ(text(), "one");
  EXPECT_EQ(names(), 2);
}

TEST_F(OwnFileTest, IsWrittenInPlace) {
  FileInPlace file(path_);
  EXPECT_FALSE(file.is_written());
  ASSERT_TRUE(file.write("one"));
  EXPECT_TRUE(file.is_written());
  const auto inode = [&] {
    struct stat status{};
    EXPECT_EQ(stat(path_.c_str(), &status), 0);
    return status.st_ino;
  };
  const auto first = inode();
  ASSERT_TRUE(file.write("two"));
  EXPECT_EQ(text(), "two");
  EXPECT_EQ(inode(), first);
  EXPECT_EQ(names(), 1);
}

TEST_F(OwnFileTest, OneInPlaceThatSomebodyRemovedIsThereAgain) {
  FileInPlace file(path_);
  ASSERT_TRUE(file.write("one"));
  fs::remove(path_);
  ASSERT_TRUE(file.write("two"));
  EXPECT_EQ(text(), "two");
  fs::remove_all(folder_.path());
  EXPECT_FALSE(file.write("six"));
  fs::create_directory(folder_.path());
  ASSERT_TRUE(file.write("ten"));
  EXPECT_EQ(text(), "ten");
}

TEST_F(OwnFileTest, OneInPlaceOfAProcessBeforeIsReplacedOrRemoved) {
  ASSERT_TRUE(replace_file(path_, "longer than that"));
  FileInPlace(path_).remove();
  EXPECT_EQ(names(), 0);
  FileInPlace(path_).remove();
  ASSERT_TRUE(replace_file(path_, "longer than that"));
  FileInPlace file(path_);
  ASSERT_TRUE(file.write("one"));
  EXPECT_EQ(text(), "one");
}

}  // namespace
}  // namespace spark::host
