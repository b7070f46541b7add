#include <string>
#include <utility>

#include "apply/recovery.hpp"
#include "cli/doctor/checks.hpp"
#include "diagnosis/kinds.hpp"
#include "host/view.hpp"
#include "protocol/paths.hpp"
#include "state/history.hpp"
#include "state/journal.hpp"
#include "state/own_directories.hpp"

namespace spark::cli {
namespace {

/// What cannot be read. No plan can be made then. `detail`: kUnread: it is the journal's fault.
Finding unread_ledger(const Error& error, std::string remedy, gate::Detail detail) {
  return {"ledger",
          Severity::kPrevents,
          error.what,
          std::move(remedy),
          {problem_named(diagnosis::kLedger, detail)}};
}

Finding observe_ledger(host::Host& host) {
  if (auto safe = state::check_own_directories(host.files); !safe) {
    return unread_ledger(safe.error(), "look at `history` and at the files there first",
                         gate::Detail::kTryFailed);
  }
  const auto nodes = host.files.list(protocol::kStateDirectory);
  if (!nodes) {
    return unread_ledger(nodes.error(), "make that a directory of root's, mode 0700",
                         gate::Detail::kTryFailed);
  }
  for (const auto& node : *nodes) {
    host::View view(host);
    constexpr const char* kMoveIt = "move the file away, then `spark-reconcile apply`";
    // With a journal it is that one's, which is looked at by itself.
    const auto ledger = state::known_ledger(view, node);
    if (!ledger) {
      return unread_ledger(
          ledger.error(), kMoveIt,
          apply::find_open_journal(host.files) ? gate::Detail::kTryFailed : gate::Detail::kUnread);
    }
    const auto history = state::read_history(host.files, node);
    if (!history) return {"ledger", Severity::kPrevents, history.error().what, kMoveIt};
  }
  return {"ledger", Severity::kGood, "it and the history can be read", ""};
}

}  // namespace

Findings check_ledger(const Command& command) { return {observe_ledger(command.host)}; }

}  // namespace spark::cli
