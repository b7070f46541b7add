#include "cli/input/verb_manual.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "cli/input/manuals.hpp"
#include "protocol/paths.hpp"

namespace spark::cli {
namespace {

struct ManualRow {
  Verb verb{};
  VerbManual (*manual)() = nullptr;
};

constexpr std::array kManuals{
    ManualRow{Verb::kInit, manual_of_init},         ManualRow{Verb::kValidate, manual_of_validate},
    ManualRow{Verb::kJoin, manual_of_join},         ManualRow{Verb::kPlan, manual_of_plan},
    ManualRow{Verb::kApply, manual_of_apply},       ManualRow{Verb::kConfirm, manual_of_confirm},
    ManualRow{Verb::kRollback, manual_of_rollback}, ManualRow{Verb::kHistory, manual_of_history},
    ManualRow{Verb::kRelease, manual_of_release},   ManualRow{Verb::kBench, manual_of_bench},
    ManualRow{Verb::kDoctor, manual_of_doctor},     ManualRow{Verb::kStatus, manual_of_status},
    ManualRow{Verb::kGate, manual_of_gate},         ManualRow{Verb::kExport, manual_of_export},
    ManualRow{Verb::kFacts, manual_of_facts},       ManualRow{Verb::kDaemon, manual_of_daemon},
    ManualRow{Verb::kWait, manual_of_wait},         ManualRow{Verb::kPause, manual_of_pause},
    ManualRow{Verb::kResume, manual_of_resume},     ManualRow{Verb::kEvents, manual_of_events},
    ManualRow{Verb::kFollow, manual_of_follow},     ManualRow{Verb::kSync, manual_of_sync},
    ManualRow{Verb::kExplain, manual_of_explain},   ManualRow{Verb::kTopology, manual_of_topology},
    ManualRow{Verb::kVersion, manual_of_version},   ManualRow{Verb::kMute, manual_of_mute},
    ManualRow{Verb::kRollout, manual_of_rollout},
};
static_assert(kManuals.size() == std::size_t{static_cast<std::uint8_t>(Verb::kVersion)} + 1,
              "each verb has a manual");

}  // namespace

VerbManual manual_of(Verb verb) {
  return std::ranges::find(kManuals, verb, &ManualRow::verb)->manual();
}

UsedFile cluster_file_used() { return {protocol::kDefaultFile, "the cluster file"}; }

}  // namespace spark::cli
