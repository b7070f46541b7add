#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gate/checks/checks.hpp"
#include "unit/gate/gate_world.hpp"

namespace spark::gate {
namespace {

using testing::ElementsAre;

constexpr const char* kRequiresStorage = "ready: { storage: require }\n";

TEST_F(GateTest, ShowsStorageThatItDoesNotRequire) {
  host_.storage().set_state("nqn.2014-08.org.example:data", "connecting");
  const auto report = look();
  EXPECT_THAT(closed_by(report), ElementsAre("SR-GATE-010", "SR-GATE-013"));
  EXPECT_EQ(report.exit_code(), ExitCode::kDone);
}

TEST_F(GateTest, WaitsForATargetThatItRequires) {
  text_ += kRequiresStorage;
  host_.storage().set_state("nqn.2014-08.org.example:data", "connecting");
  EXPECT_EQ(look().verdict(), Verdict::kWaiting);
}

TEST_F(GateTest, IsClosedByAVolumeThatCannotBeWrittenThoughItsMountLooksRight) {
  text_ += kRequiresStorage;
  EXPECT_EQ(look().verdict(), Verdict::kReady);
  host_.storage().break_volume("/mnt/data",
                               {ErrorCode::kPermission, "write: Read-only file system"});
  const auto report = look();
  EXPECT_THAT(closed_by(report), ElementsAre("SR-GATE-014"));
  EXPECT_EQ(report.verdict(), Verdict::kNotReady);
}

TEST_F(GateTest, IsClosedByAMissingMount) {
  text_ += kRequiresStorage;
  host_.storage().disconnect("nqn.2014-08.org.example:data");
  EXPECT_THAT(closed_by(look()), ElementsAre("SR-GATE-010", "SR-GATE-013"));
}

}  // namespace
}  // namespace spark::gate
