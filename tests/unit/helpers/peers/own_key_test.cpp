#include "helpers/peers/own_key.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "fake/temporary_folder.hpp"
#include "unit/helpers/peers/a_key.hpp"

namespace spark::helpers {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

/// tests/unit/host/process/key_file_test.cpp has what the file must be like.
class OwnKeyTest : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "a key belongs to root";
  }

  /// Replaces the file, as a person should.
  void put(const std::string& text) const {
    const auto next = folder_.path() / "next";
    std::ofstream(next) << text;
    fs::permissions(next, fs::perms{0600});
    fs::rename(next, file());
  }

  [[nodiscard]] fs::path file() const { return folder_.path() / "peers.key"; }

  test::TemporaryFolder folder_;
  KeyFile file_{"/peers.key", folder_.path()};
};

TEST_F(OwnKeyTest, IsReadFromItsFile) {
  put(std::string(test::kKeyText) + "\n");
  const auto key = file_.look();
  EXPECT_EQ(key.failed, "");
  ASSERT_NE(key.secret, nullptr);
  EXPECT_TRUE(*key.secret == test::a_key());
}

TEST_F(OwnKeyTest, NoneIsWantedWhereTheFileNamesNone) {
  KeyFile none;
  EXPECT_FALSE(none.look().is_wanted());
}

TEST_F(OwnKeyTest, IsReadAgainWhereTheFileWasReplaced) {
  put(test::kKeyText);
  const auto first = file_.look().secret;
  EXPECT_EQ(file_.look().secret, first);
  put(std::string(test::kKeyDigits) + "\n");
  EXPECT_EQ(file_.look().secret, first) << "the same key in other words";
  put(std::string(64, 'e'));
  const auto second = file_.look().secret;
  ASSERT_NE(second, nullptr);
  EXPECT_TRUE(*second == test::another_key());
}

TEST_F(OwnKeyTest, OneThatCannotBeUsedIsWantedAllTheSame) {
  const auto& missing = file_.look();
  EXPECT_TRUE(missing.is_wanted());
  EXPECT_EQ(missing.secret, nullptr);
  EXPECT_THAT(missing.failed,
              AllOf(HasSubstr("there is no '/peers.key'"), HasSubstr("chown root:spark-peers"),
                    HasSubstr("[SR-PEERS-001]")));
  put(test::kKeyText);
  EXPECT_NE(file_.look().secret, nullptr);
  for (const auto& text : {std::string(), std::string(test::kKeyText) + "AAEC",
                           std::string(test::kKeyText) + std::string(1000, ' ')}) {
    put(text);
    const auto& broken = file_.look();
    EXPECT_EQ(broken.secret, nullptr) << text;
    EXPECT_THAT(broken.failed, AllOf(HasSubstr("/peers.key"), HasSubstr("[SR-PEERS-001]"),
                                     Not(HasSubstr("AAEC"))));
  }
  put(test::kKeyText);
  fs::permissions(file(), fs::perms{0644});
  EXPECT_EQ(file_.look().secret, nullptr) << "the file is the same, and its mode is not";
  EXPECT_THAT(file_.look().failed, HasSubstr("is open to everybody"));
}

}  // namespace
}  // namespace spark::helpers
