#include "state/own_directories.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake/fake_host.hpp"
#include "protocol/paths.hpp"

namespace spark::state {
namespace {

TEST(OwnDirectories, AreSafeWhereNobodyElseCanWrite) {
  test::FakeHost host;
  EXPECT_TRUE(check_own_directories(host.files()));
}

TEST(OwnDirectories, AreNotWhereOthersCanWriteIntoOneOfThem) {
  for (const auto* directory :
       {protocol::kStateDirectory, protocol::kRunDirectory, protocol::kApplyDirectory}) {
    test::FakeHost host;
    host.files().open_to_others(directory);
    const auto safe = check_own_directories(host.files());
    ASSERT_FALSE(safe) << directory;
    EXPECT_THAT(safe.error().what, testing::HasSubstr(directory));
  }
}

}  // namespace
}  // namespace spark::state
