#include "cli/doctor/mute_check.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "protocol/paths.hpp"
#include "unit/cli/doctor/asked.hpp"

namespace spark::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// What the daemon has written, with that list of mutes.
std::string status_with(const std::string& muted) {
  return R"({"verdict": "ready", "why": "", "generated_at": "T",
      "file": {"path": "f", "refused": null}, "paused": null, "drift": [], "muted": )" +
         muted + "}";
}

TEST(MuteCheck, SaysNothingWhereNothingIsMuted) {
  test::FakeHost machine;
  EXPECT_THAT(asked(check_muted, machine), IsEmpty()) << "no daemon has reported";
  machine.files().put(protocol::kStatusFile, status_with("[]"));
  EXPECT_THAT(asked(check_muted, machine), IsEmpty());
}

TEST(MuteCheck, NamesEachMuteInOneFinding) {
  test::FakeHost machine;
  machine.files().put(protocol::kStatusFile, status_with(R"([
    {"id": "SR-ALERT-003", "alert": "SparkDrift", "node": null, "since": "2026-01-31T09:00:00Z",
     "until": "2026-01-31T11:00:00Z", "reason": "new cable", "by": null, "subjects": 0, "raised": 1},
    {"id": "SR-ALERT-023", "alert": "SparkNodeSilent", "node": "spark2",
     "since": "2026-01-31T09:00:00Z", "until": "2026-01-31T12:00:00Z", "reason": "repair",
     "by": "alice", "subjects": 0, "raised": 0}])"));
  EXPECT_THAT(asked(check_muted, machine),
              ElementsAre(says("muted", Severity::kLook,
                               "nobody is told of SparkDrift (SR-ALERT-003) until "
                               "2026-01-31T11:00:00Z: new cable; SparkNodeSilent (SR-ALERT-023) of "
                               "spark2 until 2026-01-31T12:00:00Z: repair")));
}

}  // namespace
}  // namespace spark::cli
