#include "all_nodes/statement.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_host.hpp"
#include "protocol/paths.hpp"

namespace spark::all_nodes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

const std::string kSomeKey = std::string(43, 'A') + "=";

TEST(TrustedKeysFile, HasALineAKeyAndComments) {
  test::FakeHost host;
  EXPECT_THAT(read_trusted(host.files()).value(), IsEmpty());
  host.files().put(protocol::kTrustedFile,
                   "# by Ansible\n\nspark2  ed25519 " + kSomeKey + " # rack 4\n");
  EXPECT_THAT(read_trusted(host.files()).value(), ElementsAre(Pair("spark2", kSomeKey)));
}

TEST(TrustedKeysFile, IsRefusedWhereALineIsNoKey) {
  const auto line = "spark2 ed25519 " + kSomeKey + "\n";
  for (const auto& second : {std::string("spark3 rsa " + kSomeKey), std::string("spark3"), line}) {
    const auto keys = trusted_in(line + second);
    ASSERT_FALSE(keys) << second;
    EXPECT_THAT(keys.error().what, HasSubstr("line 2 of '/etc/spark-reconcile/trusted'"));
  }
}

TEST(TrustedKeysFile, IsRefusedWhereOthersThanRootCouldHaveWrittenIt) {
  test::FakeHost host;
  host.files().put(protocol::kTrustedFile, "spark2 ed25519 " + kSomeKey + "\n");
  host.files().open_to_others("/etc/spark-reconcile");
  EXPECT_FALSE(read_trusted(host.files()));
}

}  // namespace
}  // namespace spark::all_nodes
