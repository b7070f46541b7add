#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "helpers/git/signers.hpp"

namespace spark::helpers {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA alice's laptop";

std::string with(const std::string& before) { return fault_of_line(before + kKey); }

TEST(SignersLine, CountsInEachWayThatSshKeygenTakes) {
  for (const std::string before :
       {"alice@lab ", "alice@lab,bob@lab ", "*@lab ", "\"alice and bob\" ",
        "alice@lab namespaces=\"git\" ", "alice@lab\tnamespaces=\"file,git\" ",
        "alice@lab namespaces=\"*\" ", "alice@lab NAMESPACES=\"git\",Valid-Before=\"20300101\" ",
        "ssh-admin@lab ", "sk-lab ", " # alice ", "alice@lab namespaces=\"g*,!file\" ",
        "alice@lab valid-after=\"20260101\",valid-before=\"20300101\" ", "# alice "}) {
    EXPECT_THAT(with(before), IsEmpty()) << before;
  }
  EXPECT_THAT(fault_of_line(" \t"), IsEmpty());
}

TEST(SignersLine, SaysWhyItCountsForNoCommit) {
  EXPECT_THAT(with(""), HasSubstr("no name")) << "as a forge shows it";
  EXPECT_THAT(with("alice@lab namespaces=git "), HasSubstr("namespaces needs quotes"));
  EXPECT_THAT(with("alice@lab namespaces=\"git "), HasSubstr("namespaces needs quotes"));
  EXPECT_THAT(with("alice@lab valid-before=20300101 "), HasSubstr("valid-before needs quotes"));
  EXPECT_THAT(with("alice@lab namespaces=\"file\" "), HasSubstr("without git"));
  for (const std::string patterns : {"gitlab", "!git", "*,!git"}) {
    EXPECT_THAT(with("alice@lab namespaces=\"" + patterns + "\" "), HasSubstr("without git"));
  }
  EXPECT_THAT(with("alice@lab cert-authority "), HasSubstr("certificate authority"));
  EXPECT_THAT(with("alice lab "), HasSubstr("'lab' is no option"));
  EXPECT_THAT(with("alice@lab no-touch,namespaces=\"git\" "), HasSubstr("'no-touch' is no option"));
  EXPECT_THAT(fault_of_line("alice@lab"), HasSubstr("no key"));
}

}  // namespace
}  // namespace spark::helpers
