#include "kinds/environment/job_versions.hpp"

#include <gtest/gtest.h>

namespace spark::kinds {
namespace {

TEST(LibraryVersion, IsReadAsContainersAndTagsWriteIt) {
  EXPECT_EQ(LibraryVersion::parse("2.28"), (LibraryVersion{2, 28, 0}));
  EXPECT_EQ(LibraryVersion::parse("2.28.9"), (LibraryVersion{2, 28, 9}));
  EXPECT_EQ(LibraryVersion::parse("v2.30.7-1"), (LibraryVersion{2, 30, 7}));
  EXPECT_EQ(LibraryVersion::parse("2.28.9+cuda13.0"), (LibraryVersion{2, 28, 9}));
  EXPECT_EQ(LibraryVersion::parse("1.18-1"), (LibraryVersion{1, 18, 0}));
}

TEST(LibraryVersion, OfAnythingElseIsNone) {
  for (const auto* word :
       {"", "2", "2.", "2.x", "v", "new", "2.28x", "-1.2", "12345.1", "2..3", " 2.28"}) {
    EXPECT_FALSE(LibraryVersion::parse(word)) << word;
  }
}

TEST(LibraryVersion, IsComparedByItsNumbers) {
  EXPECT_LT((LibraryVersion{2, 28, 9}), kNcclWithSubnets);
  EXPECT_LT((LibraryVersion{2, 9, 0}), (LibraryVersion{2, 10, 0}));
  EXPECT_EQ((LibraryVersion{2, 28, 9}.text()), "2.28.9");
}

}  // namespace
}  // namespace spark::kinds
