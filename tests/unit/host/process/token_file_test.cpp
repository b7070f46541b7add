#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fake/temporary_folder.hpp"
#include "host/process/key_file.hpp"

namespace spark::host {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr gid_t kReaders = 991;

/// key_file_test.cpp has what a secret's file must be like.
class TokenFileTest : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "a token belongs to root";
  }

  void put(const std::string& text, mode_t mode = 0640) const {
    std::ofstream(real_) << text;
    ASSERT_EQ(chown(real_.c_str(), 0, kReaders), 0);
    ASSERT_EQ(chmod(real_.c_str(), mode), 0);
  }
  [[nodiscard]] std::string wrong() const {
    const auto fault = token_file_fault(folder_.path(), "/page.token", reader_);
    return fault ? fault->what + " | " + fault->remedy : "";
  }
  [[nodiscard]] std::string read() const {
    std::string token;
    const auto fault =
        read_token_file(folder_.path(), "/page.token", reader_, [&](auto text) { token = text; });
    EXPECT_EQ(fault.has_value(), token.empty());
    return token;
  }

  test::TemporaryFolder folder_;
  std::string real_ = folder_.path() / "page.token";
  KeyReader reader_ = token_reader("/page.token", "spark-web:x:990:991::/:/bin/false\n");
};

TEST_F(TokenFileTest, GivesTheOneLine) {
  for (const std::string text : {"0123456789abcdef\n", "0123456789abcdef"}) {
    put(text);
    EXPECT_EQ(wrong(), "");
    EXPECT_EQ(read(), "0123456789abcdef");
  }
  put(std::string(256, 'x') + "\n");
  EXPECT_EQ(read().size(), 256U);
}

TEST_F(TokenFileTest, ThatHoldsNoneIsRefusedWithItsPlaceAndTheCommandThatMakesOne) {
  for (const auto& text : {std::string(), std::string("zzzz zzzzzzzzzzzz\n"), std::string(257, 'z'),
                           std::string(100'000, 'z'), std::string(16, 'z') + "\nzzzz\n"}) {
    put(text);
    EXPECT_EQ(read(), "");
    EXPECT_THAT(wrong(), AllOf(HasSubstr("'/page.token', line 1, column "),
                               HasSubstr("head -c 24 /dev/urandom | base64 | sudo install"),
                               HasSubstr("-m 640 /dev/stdin /page.token"), Not(HasSubstr("zz"))));
  }
}

TEST_F(TokenFileTest, IsReadByRootAndSparkWebAlone) {
  const auto command = HasSubstr("sudo chown root:spark-web /page.token && sudo chmod 0640");
  put("0123456789abcdef\n", 0644);
  EXPECT_THAT(wrong(), AllOf(HasSubstr("is open to everybody"), command));
  EXPECT_EQ(read(), "");
  put("0123456789abcdef\n", 0600);
  EXPECT_THAT(wrong(), AllOf(HasSubstr("cannot be read by spark-web"), command));
  std::filesystem::remove(real_);
  EXPECT_THAT(wrong(), AllOf(HasSubstr("there is no '/page.token' | make one: `head -c 24"),
                             Not(HasSubstr("copy"))));
  std::filesystem::create_symlink("elsewhere", real_);
  EXPECT_THAT(wrong(), HasSubstr("is a symbolic link"));
  std::filesystem::remove(real_);
  std::filesystem::create_directory(real_);
  EXPECT_THAT(wrong(), HasSubstr("put the token there in a regular file"));
  EXPECT_THAT(token_file_fault(folder_.path(), "/page.token/token", reader_)->what,
              HasSubstr("there is no"));
}

}  // namespace
}  // namespace spark::host
