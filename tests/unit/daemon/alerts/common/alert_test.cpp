#include "daemon/alerts/common/alert.hpp"

#include <gtest/gtest.h>

namespace spark::daemon {
namespace {

TEST(Fingerprint, LeavesOutTheNodeAndKeepsValuesApart) {
  Alert a{.name = "x", .labels = {{"key", "1 link=1:2"}, {"node", "n"}}};
  Alert b{.name = "x", .labels = {{"key", "1"}, {"link", "2"}}};
  EXPECT_NE(fingerprint(a), fingerprint(b));
  b = a;
  b.labels["node"] = "m";
  EXPECT_EQ(fingerprint(a), fingerprint(b));
}

TEST(Concerns, KnowsASinkByTheLabel) {
  const Alert alert{.name = "x", .labels = {{"sink", "journal"}}};
  EXPECT_TRUE(concerns(alert, "journal"));
  EXPECT_FALSE(concerns(alert, "hooks"));
  EXPECT_FALSE(concerns(Alert{.name = "x"}, ""));
}

}  // namespace
}  // namespace spark::daemon
