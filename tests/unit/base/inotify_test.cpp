#include "base/inotify.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>

namespace spark {
namespace {

using ::testing::HasSubstr;

TEST(Inotify, SaysWhichLimitToRaise) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const UniqueFd lowest(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const rlimit none{.rlim_cur = static_cast<rlim_t>(lowest.get()), .rlim_max = before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto refused = make_inotify();
  setrlimit(RLIMIT_NOFILE, &before);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("sysctl -w fs.inotify.max_user_instances=1024"));
  EXPECT_TRUE(make_inotify());
}

}  // namespace
}  // namespace spark
