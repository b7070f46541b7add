#include "cli/text/plan_text.hpp"

#include <gtest/gtest.h>

#include "kinds/sysctl/sysctl.hpp"

namespace spark::cli {
namespace {

TEST(ChangeText, SaysWhatIsThereBeforeAndAfter) {
  EXPECT_EQ(change_text({.after = "/24"}), "/24 (new)");
  EXPECT_EQ(change_text({.before = "1500", .after = "9000"}), "1500 → 9000");
  EXPECT_EQ(change_text({.before = "/24"}), "/24 (removed)");
  EXPECT_EQ(change_text({.before = "600 (not set at boot)", .left = "7200"}),
            "600 (not set at boot) → 7200 (removed)");
}

TEST(SysctlLabel, HasAWordForAnEmptyValue) {
  EXPECT_EQ(kinds::SysctlSetting::label(kinds::SysctlSetting::Value{.live = "", .boot = "7"}),
            "none (7 at boot)");
  EXPECT_EQ(kinds::SysctlSetting::label(kinds::SysctlSetting::Value{}), "none");
}

}  // namespace
}  // namespace spark::cli
