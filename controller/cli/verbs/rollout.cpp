// The verb `rollout`, which the adapter of an engine has.

#include <array>

#include "cli/input/verb.hpp"

namespace spark::cli {
namespace {

constexpr auto kRolloutOptions = std::to_array<OptionRow>({
    {"--engine",
     &Value::kEngine,
     kNowhere,
     "which one: slurm; all that follows is its adapter's, as FILE and --wait",
     {},
     "",
     true},
});

constexpr auto kRolloutMeant = std::to_array<Meaning>({
    {"status,history",
     "`spark-reconcile status --engine slurm` shows what Slurm knows of the nodes, "
     "`spark-reconcile status` which file each has"},
});

/// The adapter of the engine runs in its place (engine_call).
ExitCode rollout(const Command& /*command*/) { return ExitCode::kUsage; }

}  // namespace

extern const VerbSpec kRolloutVerb{
    .name = "rollout",
    .group = VerbGroup::kService,
    .about = "roll a file out over all nodes between their jobs, by an engine: Slurm",
    .writes = true,
    .node = VerbSpec::OfNode::kNone,
    .options = {kRolloutOptions},
    .meant = kRolloutMeant,
    .run = rollout};

}  // namespace spark::cli
