#include "cli/input/verb.hpp"

#include <algorithm>
#include <array>

namespace spark::cli {
namespace {

using enum VerbGroup;

constexpr std::array kVerbs{
    VerbRow{Verb::kInit, kStart, "init",
            "write a first cluster file: of cables as they are plugged, or of this machine as it "
            "runs"},
    VerbRow{Verb::kJoin, kStart, "join",
            "take the cluster file of another node over the cable, once four words are compared"},
    VerbRow{Verb::kValidate, kStart, "validate", "check the file alone; touches no machine"},
    VerbRow{Verb::kPlan, kStart, "plan", "show what apply would change, and why", "diff"},
    VerbRow{Verb::kApply, kStart, "apply", "change what differs, as one transaction"},
    VerbRow{Verb::kConfirm, kStart, "confirm", "keep what `apply --confirm` changed"},
    VerbRow{Verb::kStatus, kLook, "status",
            "show the cluster: which nodes are ready, what is wrong, and what to do next"},
    VerbRow{Verb::kGate, kLook, "gate",
            "test whether this node is ready: checks every rail and moves bytes over it"},
    VerbRow{Verb::kBench, kLook, "bench",
            "measure RDMA to a peer over each rail in Gb/s, and say what that means"},
    VerbRow{Verb::kDoctor, kLook, "doctor",
            "check what prevents this node from being managed, and print the fix"},
    VerbRow{Verb::kExplain, kLook, "explain",
            "say what an id, alert, key, metric, word or resource is, and what to do"},
    VerbRow{Verb::kTopology, kLook, "topology",
            "draw the cluster by the file: nodes, cages, cables, switches, addresses"},
    VerbRow{Verb::kHistory, kLook, "history",
            "show which files were applied here, and with what outcome"},
    VerbRow{Verb::kEvents, kLook, "events", "show what happened last on this node"},
    VerbRow{Verb::kRollback, kBack, "rollback",
            "roll back what is unconfirmed or interrupted; else return to the last good file "
            "of this node"},
    VerbRow{Verb::kRelease, kBack, "release",
            "hand the node back as it was before the first apply, until `apply` or `resume`"},
    VerbRow{Verb::kDaemon, kService, "daemon",
            "run as the daemon: keep this node as the file says"},
    VerbRow{Verb::kWait, kService, "wait", "wait until the daemon reports this node ready"},
    VerbRow{Verb::kPause, kService, "pause",
            "stop the daemon from correcting drift for a while; it keeps monitoring"},
    VerbRow{Verb::kResume, kService, "resume",
            "let the daemon correct drift again: ends a pause, a release and every contest"},
    VerbRow{Verb::kMute, kService, "mute",
            "tell nobody of an alert for a while; without words: what is muted, until when, why"},
    VerbRow{Verb::kFollow, kService, "follow",
            "have this machine follow a git repository: the file, and whom it trusts"},
    VerbRow{Verb::kSync, kService, "sync",
            "fetch the followed repository now, and say what is taken"},
    VerbRow{Verb::kRollout, kService, "rollout",
            "roll a file out over all nodes between their jobs, by an engine: Slurm"},
    VerbRow{Verb::kExport, kJobs, "export",
            "print the environment for NCCL, Gloo, UCX and Open MPI on this node"},
    VerbRow{Verb::kFacts, kJobs, "facts", "print all that is observed here, as JSON"},
    VerbRow{Verb::kVersion, kProgram, "version", "print the version"},
};

static_assert(kVerbs.size() == std::size_t{static_cast<std::uint8_t>(Verb::kVersion)} + 1,
              "each verb has a row");

}  // namespace

std::string_view title_of(VerbGroup group) {
  constexpr std::array<std::string_view, 6> kTitles{
      "Start", "Look", "Go back", "Service", "Jobs and machines", "This program"};
  return kTitles.at(static_cast<std::size_t>(group));
}

std::span<const VerbRow> verbs() { return kVerbs; }

std::optional<Verb> verb_named(std::string_view name) {
  const auto found = std::ranges::find_if(kVerbs, [&](const VerbRow& row) {
    return row.name == name || (!row.alias.empty() && row.alias == name);
  });
  return found == kVerbs.end() ? std::nullopt : std::optional(found->verb);
}

bool needs_root(Verb verb) {
  using enum Verb;
  static constexpr std::array kOfRoot{kApply, kConfirm, kRollback, kRelease, kPause,  kResume,
                                      kMute,  kFollow,  kSync,     kJoin,    kDaemon, kHistory};
  return std::ranges::find(kOfRoot, verb) != kOfRoot.end();
}

const VerbRow& row_of(Verb verb) { return *std::ranges::find(kVerbs, verb, &VerbRow::verb); }

}  // namespace spark::cli
