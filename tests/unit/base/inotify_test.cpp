#include <cerrno>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/wait.hpp"

namespace spark {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Inotify, SaysWhichLimitToRaise) {
  EXPECT_THAT(fail_inotify(EMFILE).error().what,
              HasSubstr("sysctl -w fs.inotify.max_user_instances=1024"));
  EXPECT_THAT(fail_inotify(ENOMEM).error().what, Not(HasSubstr("max_user_instances")));
  EXPECT_TRUE(make_inotify());
}

}  // namespace
}  // namespace spark
