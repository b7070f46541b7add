#include <chrono>

#include <fmt/format.h>

#include "daemon/alerts/rules/rules.hpp"
#include "daemon/common/node_state_names.hpp"
#include "protocol/source_ids.hpp"

namespace spark::daemon {
namespace {

/// A server that restarts is no alert.
constexpr std::chrono::minutes kServerRests{10};

/// One that goes away by itself.
bool may_pass(const std::string& id) {
  return id == protocol::text_of(protocol::GitId::kUnreachable) ||
         id == protocol::text_of(protocol::GitId::kTooSlow) ||
         id == protocol::text_of(protocol::GitId::kFromTheFuture);
}

void find_fault(const std::optional<protocol::SourceFault>& fault, const Moment& since,
                const NodeState& state, FoundAlerts& found) {
  if (!fault) return;
  if (may_pass(fault->id) && state.pass_at.boot - since.boot < kServerRests) return;
  auto& alert = found.add({{"fault", fault->id}},
                          fmt::format("nothing newer is taken from git [{}]", fault->id), since);
  alert.description = fault->what;
  if (const auto* entry = protocol::git_id(fault->id)) alert.remedy = entry->fix;
}

}  // namespace

bool first_fetch_may_come(const NodeState& state) {
  if (!state.source || !state.source->commit.empty() || !state.source->error.empty()) return false;
  const auto& source = *state.source;
  const auto stays = [](const std::optional<protocol::SourceFault>& fault) {
    return fault && !may_pass(fault->id);
  };
  return !stays(source.refused) && !stays(source.waits) && !stays(source.fetch) &&
         state.pass_at.boot - state.file.refused_since.boot < kServerRests;
}

void find_source_refused(const NodeState& state, FoundAlerts& found) {
  if (!state.source) return;
  const auto& source = *state.source;
  find_fault(source.refused, source.fault_since, state, found);
  find_fault(source.waits, source.fault_since, state, found);
  if (!source.error.empty()) {
    find_fault(protocol::SourceFault{.id = protocol::text_of(protocol::GitId::kSettings),
                                     .what = source.error},
               state.pass_at, state, found);
  }
  // What was never fetched waits for the same reason.
  if (!source.waits) find_fault(source.fetch, source.fault_since, state, found);
}

std::string how_source_fault_ended(const Alert& /*alert*/, const NodeState& /*state*/) {
  return "the repository is followed again";
}

}  // namespace spark::daemon
