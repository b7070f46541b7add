// The table of the verbs, in the order in which the help shows them.

#include <array>

#include "cli/input/verb.hpp"

namespace spark::cli {

extern const VerbSpec kInitVerb, kJoinVerb, kValidateVerb, kPlanVerb, kApplyVerb, kConfirmVerb,
    kStatusVerb, kGateVerb, kBenchVerb, kDoctorVerb, kExplainVerb, kTopologyVerb, kHistoryVerb,
    kEventsVerb, kRollbackVerb, kReleaseVerb, kDaemonVerb, kWaitVerb, kPauseVerb, kResumeVerb,
    kMuteVerb, kFollowVerb, kSyncVerb, kRolloutVerb, kJobsVerb, kExportVerb, kFactsVerb,
    kVersionVerb;

std::span<const VerbSpec* const> verbs() {
  static constexpr std::array kVerbs{
      &kInitVerb,    &kJoinVerb,   &kValidateVerb, &kPlanVerb,    &kApplyVerb,   &kConfirmVerb,
      &kStatusVerb,  &kGateVerb,   &kBenchVerb,    &kDoctorVerb,  &kExplainVerb, &kTopologyVerb,
      &kHistoryVerb, &kEventsVerb, &kRollbackVerb, &kReleaseVerb, &kDaemonVerb,  &kWaitVerb,
      &kPauseVerb,   &kResumeVerb, &kMuteVerb,     &kFollowVerb,  &kSyncVerb,    &kRolloutVerb,
      &kJobsVerb,    &kExportVerb, &kFactsVerb,    &kVersionVerb};
  return kVerbs;
}

}  // namespace spark::cli
