#include <fmt/format.h>

#include "apply/recovery.hpp"
#include "cli/doctor/checks.hpp"
#include "host/view.hpp"
#include "protocol/paths.hpp"
#include "state/history.hpp"
#include "state/journal.hpp"
#include "state/own_directories.hpp"

namespace spark::cli {
namespace {

/// The ledger is not known for a journal that check_journal names.
bool is_of_the_journal(host::Host& host, const Error& error) {
  const auto open = apply::find_open_journal(host.files);
  return !open && open.error().what == error.what;
}

Finding observe_ledger(host::Host& host) {
  if (auto safe = state::check_own_directories(host.files); !safe) {
    return {"ledger", Severity::kPrevents, safe.error().what,
            "look at `history` and at the files there first"};
  }
  const auto nodes = host.files.list(protocol::kStateDirectory);
  if (!nodes) {
    return {"ledger", Severity::kPrevents, nodes.error().what,
            "make that a directory of root's, mode 0700"};
  }
  for (const auto& node : *nodes) {
    host::View view(host);
    // With a journal it is that one's, which is looked at by itself.
    const auto ledger = state::known_ledger(view, node);
    const auto history = state::read_history(host.files, node);
    if (!ledger || !history) {
      const auto& error = ledger ? history.error() : ledger.error();
      return {"ledger", Severity::kPrevents, error.what,
              "move the file away, then `spark-reconcile apply`",
              is_of_the_journal(host, error) ? "journal" : ""};
    }
  }
  return {"ledger", Severity::kGood, "it and the history can be read", ""};
}

}  // namespace

Findings check_ledger(const Command& command) { return {observe_ledger(command.host)}; }

}  // namespace spark::cli
