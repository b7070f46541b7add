#include "cli/input/verb.hpp"

#include <algorithm>
#include <array>

namespace spark::cli {
namespace {

constexpr std::array kVerbs{
    VerbRow{Verb::kValidate, "validate", "check the file alone; touches no machine"},
    VerbRow{Verb::kPlan, "plan", "show what apply would change, and why"},
    VerbRow{Verb::kApply, "apply", "change what differs, as one transaction"},
    VerbRow{Verb::kConfirm, "confirm", "keep what `apply --confirm` changed"},
    VerbRow{Verb::kRollback, "rollback",
            "roll back what is unconfirmed or interrupted; else return to the last good file "
            "of this node"},
    VerbRow{Verb::kHistory, "history", "show which files were applied here, and with what outcome"},
    VerbRow{Verb::kDoctor, "doctor",
            "check what prevents this node from being managed, and print the fix"},
    VerbRow{Verb::kRelease, "release",
            "hand the node back as it was before the first apply, until `apply` or `resume`"},
    VerbRow{Verb::kStatus, "status", "show this node: what the file asks for and what is there"},
    VerbRow{Verb::kGate, "gate",
            "test whether this node is ready: checks every rail and moves bytes over it"},
    VerbRow{Verb::kExport, "export",
            "print the environment for NCCL, Gloo, UCX and Open MPI on this node"},
    VerbRow{Verb::kFacts, "facts", "print all that is observed here, as JSON"},
    VerbRow{Verb::kDaemon, "daemon", "run as the daemon: keep this node as the file says"},
    VerbRow{Verb::kWait, "wait", "wait until the daemon reports this node ready"},
    VerbRow{Verb::kPause, "pause",
            "stop the daemon from correcting drift for a while; it keeps monitoring"},
    VerbRow{Verb::kResume, "resume",
            "let the daemon correct drift again: ends a pause, a release and every contest"},
    VerbRow{Verb::kEvents, "events", "show what the daemon changed last"},
    VerbRow{Verb::kVersion, "version", "print the version"},
};

static_assert(kVerbs.size() == std::size_t{static_cast<std::uint8_t>(Verb::kVersion)} + 1,
              "each verb has a row");

}  // namespace

std::span<const VerbRow> verbs() { return kVerbs; }

const VerbRow& row_of(Verb verb) { return *std::ranges::find(kVerbs, verb, &VerbRow::verb); }

}  // namespace spark::cli
