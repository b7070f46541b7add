#include "cli/explain/set_by.hpp"

#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/daemon_status.hpp"
#include "state/history.hpp"
#include "state/journal.hpp"

namespace spark::cli {
namespace {

using nlohmann::json;

/// A member of status.json, which daemons of other versions wrote; empty: it is null or no text.
std::string status_text(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// The first entry of a list of status.json about that resource; null: none is.
json entry_about(const json& status, const char* list, const std::string& kind,
                 const std::string& key) {
  const auto found = status.find(list);
  if (found == status.end() || !found->is_array()) return nullptr;
  for (const auto& entry : *found) {
    if (entry.is_object() && status_text(entry, "kind") == kind &&
        status_text(entry, "key") == key) {
      return entry;
    }
  }
  return nullptr;
}

std::string_view in_words_of_cause(std::string_view cause) {
  if (cause == "file") return "the file asks for another value than before";
  if (cause == "drift") return "someone else had changed it";
  if (cause == "boot") return "its first pass";
  if (cause == "resume") return "it had been left alone until then";
  return cause == "link" ? "the device came back, or its carrier changed" : "";
}

std::string value_or_absent(const std::string& text) { return text.empty() ? "absent" : text; }

/// "the daemon, 2026-…: 1500 → 9000; someone else had changed it".
std::string change_line_of(const json& change) {
  const auto failure = status_text(change, "failure");
  return fmt::format("the daemon, {}: {} → {}; {}{}", status_text(change, "at"),
                     value_or_absent(status_text(change, "before")),
                     value_or_absent(status_text(change, "after")),
                     in_words_of_cause(status_text(change, "cause")),
                     failure.empty() ? "" : fmt::format("; it failed: {}", failure));
}

}  // namespace

void add_who_set_it(Explanation& explanation, const Command& command, PlanContext& context,
                    const std::string& kind, const std::string& key) {
  auto& files = command.host.files;
  const auto& node = context.selection.node.name;
  std::vector<std::string> unseen;
  bool is_known = false;

  const auto status = read_daemon_status(files);
  const bool is_ours = status && status->is_object() && status_text(*status, "node") == node;
  if (!status) unseen.push_back(status.error().what);
  if (is_ours) {
    const auto change = entry_about(*status, "changes", kind, key);
    is_known = change.is_object();
    if (is_known) add_part(explanation, "Set by", change_line_of(change));
    if (const auto drift = entry_about(*status, "drift", kind, key); drift.is_object()) {
      add_part(explanation, "Drift", drift_text(drift));
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
