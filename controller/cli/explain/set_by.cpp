#include "cli/explain/set_by.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/moment.hpp"
#include "base/text.hpp"
#include "cli/state_here/node_here.hpp"
#include "cli/text/daemon_text.hpp"
#include "node_state/problems.hpp"
#include "state/history.hpp"
#include "state/journal.hpp"

namespace spark::cli {
namespace {

/// The first record about that resource; null: none is.
template <class Records>
auto record_of(const Records& records, const std::string& kind, const std::string& key) {
  const auto found = std::ranges::find_if(
      records, [&](const auto& record) { return record.kind == kind && record.key == key; });
  return found == records.end() ? nullptr : &*found;
}

std::string_view in_words_of_cause(node_state::ChangeRecord::Cause cause) {
  using Cause = node_state::ChangeRecord::Cause;
  switch (cause) {
    case Cause::kFile:
      return "the file asks for another value than before";
    case Cause::kDrift:
      return "someone else had changed it";
    case Cause::kBoot:
      return "its first pass";
    case Cause::kLink:
      return "the device came back, or its carrier changed";
    case Cause::kResumed:
      return "it had been left alone until then";
  }
  return "";
}

/// "the daemon, 2026-…: 1500 → 9000; someone else had changed it".
std::string change_line_of(const node_state::ChangeRecord& change) {
  return fmt::format("the daemon, {}: {} → {}; {}{}", utc_text(change.at.wall),
                     or_absent(change.before), or_absent(change.after),
                     in_words_of_cause(change.cause),
                     change.failure.empty() ? "" : fmt::format("; it failed: {}", change.failure));
}

}  // namespace

void add_who_set_it(Explanation& explanation, const Command& command, PlanContext& context,
                    const std::string& kind, const std::string& key) {
  auto& files = command.host.files;
  const auto& node = context.selection.node.name;
  std::vector<std::string> unseen;
  bool is_known = false;

  const auto here = node_here(command.host);
  if (!here) unseen.push_back(here.error().what);
  if (here && *here && (*here)->state.node == node) {
    const auto& known = (*here)->state;
    const auto* const change = record_of(known.changes, kind, key);
    is_known = change != nullptr;
    if (is_known) add_part(explanation, "Set by", change_line_of(*change));
    if (const auto* const drift = record_of(known.drifts, kind, key); drift != nullptr) {
      const auto remedy =
          remedy_where(diagnosis_of(known, now()), node_state::is_of_resource(*drift));
      add_part(explanation, "Drift",
               fmt::format("{}\n    {}", drift_text(*drift), printable(written(remedy))));
    }
  }

  const auto history = state::read_history(files, node);
  if (!history) unseen.push_back(history.error().what);
  if (const auto last = history ? state::in_force(*history) : std::nullopt; last && !is_known) {
    add_part(
        explanation, "Set by",
        fmt::format("the last apply is generation {}, {}, by {}, with {}; the history does not "
                    "name the resources",
                    last->number, last->at, last->by, counted(last->changes, "change")));
    is_known = true;
  }

  const auto ledger = state::known_ledger(context.view, node);
  if (!ledger) unseen.push_back(ledger.error().what);
  if (ledger) {
    const auto& entries = kinds::entries_of(*ledger, kind);
    if (const auto entry = entries.find(key); entry != entries.end()) {
      const auto& original = entry->second.original;
      add_part(explanation, "Before",
               original.empty() ? "nothing that a release restores"
                                : fmt::format("{}, before the first apply", original));
    }
  }

  if (!is_known && unseen.empty()) {
    add_part(explanation, "Set by", "nothing recorded: no apply and no daemon changed it here");
  }
  std::string not_seen;
  for (const auto& what : unseen)
    not_seen += fmt::format("{}{}", not_seen.empty() ? "" : "; ", what);
  add_part(explanation, "Not seen", std::move(not_seen));
}

}  // namespace spark::cli
