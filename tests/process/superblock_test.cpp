// spark-storage as it looks at a volume: a file in place of a device.

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "host/process/child.hpp"

namespace spark::test {
namespace {

namespace fs = std::filesystem;

class SuperblockOf : public testing::Test {
 protected:
  SuperblockOf() {
    // Beside the program: a file system with O_DIRECT.
    const fs::path program = std::getenv("SPARK_RECONCILE");
    program_ = program.parent_path() / "spark-storage";
    volume_ = program.parent_path() /
              ("volume-" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) + "-" +
               std::to_string(getpid()));
    std::ofstream(volume_, std::ios::binary);
    fs::resize_file(volume_, std::uintmax_t{256} * 1024);
  }
  ~SuperblockOf() override { fs::remove(volume_); }

  void put(std::size_t at, std::initializer_list<std::uint8_t> bytes) const {
    std::fstream file(volume_, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<std::streamoff>(at));
    for (const auto byte : bytes) {
      file.put(static_cast<char>(byte));
    }
  }

  /// linux/fs/ext4/ext4.h: magic, state and features, and when and how often it was mounted.
  void put_ext4(std::uint8_t state, std::initializer_list<std::uint8_t> incompat) const {
    put(1024 + 0x2C, {0x78, 0x56, 0x34, 0x12});
    put(1024 + 0x34, {7, 0});
    put(1024 + 0x38, {0x53, 0xEF});
    put(1024 + 0x3A, {state, 0});
    put(1024 + 0x60, incompat);
  }

  nlohmann::json read() const {
    const auto ran = host::run_child({program_.string(), "superblock", volume_.string()},
                                     std::chrono::seconds(10));
    return ran ? nlohmann::json::parse(ran->out, nullptr, false) : nlohmann::json();
  }

  fs::path program_;
  fs::path volume_;
};

TEST_F(SuperblockOf, AnEmptyVolumeIsEmpty) { EXPECT_EQ(read().at("type"), "empty"); }

TEST_F(SuperblockOf, ACleanExt4IsClean) {
  put_ext4(1, {0x42, 0, 0, 0});
  const auto found = read();
  EXPECT_EQ(found.at("type"), "ext4");
  EXPECT_EQ(found.at("clean"), true);
  EXPECT_EQ(found.at("mmp"), false);
  EXPECT_EQ(found.at("mounts"), 7);
  EXPECT_EQ(found.at("mounted_at"), 0x12345678);
}

TEST_F(SuperblockOf, AJournalToReplayIsNotClean) {
  put_ext4(1, {0x46, 0, 0, 0});
  EXPECT_EQ(read().at("clean"), false);
}

TEST_F(SuperblockOf, WithoutAJournalTheStateTells) {
  put_ext4(0, {0x42, 0, 0, 0});
  EXPECT_EQ(read().at("clean"), false);
}

TEST_F(SuperblockOf, TheKernelsOwnGuardIsSeen) {
  put_ext4(1, {0x46, 1, 0, 0});
  EXPECT_EQ(read().at("mmp"), true);
}

TEST_F(SuperblockOf, AnotherFileSystemIsNamed) {
  put(0, {'X', 'F', 'S', 'B'});
  EXPECT_EQ(read().at("type"), "xfs");
}

TEST_F(SuperblockOf, AnAbsentVolumeIsAnError) {
  fs::remove(volume_);
  EXPECT_EQ(read().at("errno"), ENOENT);
}

}  // namespace
}  // namespace spark::test
