#include "cli/text/rollout_text.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "config/parse/parse.hpp"
#include "fake/fake_host.hpp"
#include "protocol/paths.hpp"
#include "unit/plan/ring_file.hpp"

namespace spark::cli {
namespace {

/// A ring of three that rolls out by spark3, spark2, spark1. `mtu`: of the cable of spark1 and
/// spark2; `all`: of all cables.
std::string ring_text(int mtu = 9000, int all = 9000, const std::string& of_spark3 = "") {
  return test::ring_file({.rollout = "rollout: { order: [[spark3], [spark2], [spark1]] }\n",
                          .mtu = mtu,
                          .all = all,
                          .of_spark3 = of_spark3});
}

/// What `plan` says of that file where the other one is the last good one; empty: there is none.
std::string said(const std::string& text, const std::string& last_good) {
  test::FakeHost machine;
  if (!last_good.empty()) machine.files().put(protocol::kLastGoodFile, last_good);
  auto host = machine.host();
  const auto parsed = config::parse(text);
  EXPECT_FALSE(config::has_errors(parsed.diagnostics));
  return rollout_text(rollout_of(parsed.cluster, host.files));
}

TEST(RolloutText, SaysTheOrder) {
  EXPECT_EQ(said(ring_text(), ""), "Roll-out: spark3, then spark2, then spark1.\n");
}

TEST(RolloutText, SaysNothingOfTheFileInForceOrWithoutAnOrder) {
  EXPECT_EQ(said(ring_text(), ring_text()), "");
  EXPECT_EQ(rollout_text({}), "");
  EXPECT_TRUE(to_json(plan::RolloutOrder{}).is_null());
}

TEST(RolloutText, SaysWhichNodesTakeTheFileTogether) {
  EXPECT_EQ(said(ring_text(4000), ring_text()),
            "Roll-out: spark3, then spark1 and spark2. A cable changes between spark1 and spark2, "
            "which take the file together.\n");
}

TEST(RolloutText, SaysThatAChangeCannotBeStaged) {
  EXPECT_EQ(said(ring_text(4000, 4000), ring_text()),
            "Roll-out: cannot be staged: all nodes take the file at once, since cables between "
            "them change.\n");
}

TEST(RolloutText, SaysWhoIsAway) {
  EXPECT_EQ(said(ring_text(9000, 9000, ", away: true"), ring_text()),
            "Roll-out: spark3, then spark2, then spark1. Away: spark3.\n");
}

}  // namespace
}  // namespace spark::cli
