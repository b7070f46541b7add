#include "cli/input/engine.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spark::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// The command line of the adapter; none: this program answers itself.
std::vector<std::string> adapted(std::vector<const char*> words) {
  words.insert(words.begin(), "spark-reconcile");
  const auto call = engine_call(words);
  return call ? call->words : std::vector<std::string>{};
}

TEST(EngineCall, IsTheAdaptersOwnCommandLine) {
  EXPECT_THAT(
      adapted({"rollout", "--engine", "slurm", "a; b.yaml", "--canary", "$(reboot)", "--", "-f"}),
      ElementsAre("spark-reconcile-slurm", "rollout", "a; b.yaml", "--canary", "$(reboot)", "--",
                  "-f"));
  EXPECT_THAT(adapted({"status", "--engine=slurm"}),
              ElementsAre("spark-reconcile-slurm", "status"));
}

TEST(EngineCall, RunsAProgramAtAFixedPlace) {
  const std::vector<const char*> words{"spark-reconcile", "status", "--engine", "slurm"};
  EXPECT_EQ(engine_call(words)->program, "/usr/bin/spark-reconcile-slurm");
}

TEST(EngineCall, IsNoneOfAnotherVerbOrEngine) {
  EXPECT_THAT(adapted({"apply", "--engine", "slurm"}), IsEmpty());
  EXPECT_THAT(adapted({"rollout", "--engine", "../../tmp/x"}), IsEmpty());
  EXPECT_THAT(adapted({"rollout", "--engine="}), IsEmpty());
  EXPECT_THAT(adapted({"rollout", "--engine"}), IsEmpty());
  EXPECT_THAT(adapted({"status", "--brief", "--engine", "slurm"}), IsEmpty());
  EXPECT_THAT(adapted({"rollout"}), IsEmpty());
  EXPECT_THAT(adapted({}), IsEmpty());
}

}  // namespace
}  // namespace spark::cli
