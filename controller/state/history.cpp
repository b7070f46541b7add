#include "state/history.hpp"

#include <algorithm>
#include <array>
#include <ranges>
#include <utility>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json_document.hpp"
#include "state/ledger.hpp"

namespace spark::state {

constexpr std::array<std::string_view, 7> kOutcomes{
    "applied", "pending", "rolled_back", "incomplete", "unconfirmed", "rolled_back_by_hand",
    "released"};
constexpr const auto& names_of(Generation::Outcome /*any*/) { return kOutcomes; }

template <EitherConst<Generation> T, class Visit>
void each_field(T& generation, Visit visit) {
  visit("number", generation.number);
  visit("id", generation.id);
  visit("at", generation.at);
  visit("by", generation.by);
  visit("file", generation.file);
  visit("digest", generation.digest);
  visit("changes", generation.changes);
  visit("outcome", generation.outcome);
  visit("commit", unless_empty(generation.commit));
  visit("change_id", unless_empty(generation.change_id));
}

namespace {

using nlohmann::json;
using Outcome = Generation::Outcome;

constexpr const char* kHistorySchema = "spark-reconcile/history/v1";
constexpr unsigned kHistoryMode = 0600;
constexpr std::size_t kMostApplies = 100;

std::string text_path(const std::string& node, const std::string& digest) {
  return fmt::format("{}/files/{}.yaml", state_directory(node), digest);
}

struct History {
  std::vector<Generation> generations;
};

template <EitherConst<History> T, class Visit>
void each_field(T& history, Visit visit) {
  visit("generations", history.generations);
}

/// Gives outcomes the names of today. One that only a later version knows counts as incomplete.
void rename_outcomes(json& document) {
  if (!document.is_object() || !document["generations"].is_array()) {
    return;  // which the reader refuses with its place
  }
  for (auto& entry : document["generations"]) {
    if (!entry.is_object() || !entry["outcome"].is_string()) continue;
    auto& name = entry["outcome"].get_ref<std::string&>();
    if (name == "taken_back") {
      name = name_of(Outcome::kRolledBackByHand);  // as builds before 0.2 wrote it
    } else if (std::ranges::find(kOutcomes, name) == kOutcomes.end()) {
      name = name_of(Outcome::kIncomplete);
    }
  }
}

Result<History> parse_history(const std::string& text) {
  auto document = parse_json(text);
  if (!document) return std::unexpected(document.error());
  if (auto known = check_schema(*document, kHistorySchema); !known)
    return std::unexpected(known.error());
  rename_outcomes(*document);
  return value_from<History>(*document);
}

Result<> write_history(host::Files& files, const std::string& node,
                       const std::vector<Generation>& history) {
  return files.write_durably(history_path(node),
                             json_text(document_of(kHistorySchema, History{history}), 1) + "\n",
                             kHistoryMode);
}

/// It is what the node has, or may come to have.
bool stands(const Generation& generation) {
  return generation.outcome == Outcome::kApplied || generation.outcome == Outcome::kPending;
}

/// All that stayed of the file.
void mark_rolled_back(std::vector<Generation>& history, const std::string& digest) {
  for (auto& generation : history) {
    if (stands(generation) && generation.digest == digest) {
      generation.outcome = Outcome::kRolledBackByHand;
    }
  }
}

}  // namespace

std::string history_path(const std::string& node) {
  return state_directory(node) + "/history.json";
}

json to_json(const Generation& generation) {
  auto document = TextJsonWriter::write(generation);
  if (const auto& commit = generation.commit) {
    auto& shown = document["commit"];
    shown.erase("time");
    shown["committed_at"] = utc_text(std::chrono::sys_seconds(std::chrono::seconds(commit->time)));
    for (const auto* key : {"principal", "tag"}) {
      if (!shown.contains(key)) shown[key] = nullptr;
    }
  }
  return document;
}

std::string_view name_of(Outcome outcome) {
  return kOutcomes.at(static_cast<std::size_t>(outcome));
}

Result<std::vector<Generation>> read_history(host::Files& files, const std::string& node) {
  const auto path = history_path(node);
  const auto text = files.read(path);
  if (!text) return std::unexpected(text.error());
  if (!*text) return std::vector<Generation>{};
  auto history = parse_history(**text);
  if (!history) {
    return fail(
        ErrorCode::kInvalid,
        fmt::format("'{}' is damaged or of a newer version ({}): install that version again, "
                    "or move it away to begin a new history",
                    path, history.error().what));
  }
  return std::move(history->generations);
}

Result<> add_to_history(host::Files& files, const std::string& node, Generation generation,
                        const std::string& text, const std::string& rolls_back) {
  // A damaged history is no reason to end an apply; a new one begins beside what cannot be read.
  auto known = read_history(files, node);
  if (!known && known.error().code != ErrorCode::kInvalid) return std::unexpected(known.error());
  if (!known) {
    const auto path = history_path(node);
    if (auto kept = files.rename(path, path + ".damaged"); !kept) return kept;
  }
  auto history = std::move(known).value_or(std::vector<Generation>{});
  if (!history.empty() && history.back().id == generation.id) {
    history.pop_back();  // the process that wrote it was interrupted
  }
  if (generation.outcome == Outcome::kApplied) mark_rolled_back(history, rolls_back);
  generation.number = history.empty() ? 1 : history.back().number + 1;
  const auto path = text_path(node, generation.digest);
  if (auto written = files.write_durably(path, text, kHistoryMode); !written) return written;
  history.push_back(std::move(generation));
  while (history.size() > kMostApplies) {
    const auto oldest = history.front().digest;
    history.erase(history.begin());
    if (std::ranges::find(history, oldest, &Generation::digest) == history.end()) {
      if (auto removed = files.remove(text_path(node, oldest)); !removed) return removed;
    }
  }
  return write_history(files, node, history);
}

Result<bool> note_outcome(host::Files& files, const std::string& node, const std::string& id,
                          Outcome outcome, const std::string& change_id) {
  auto history = read_history(files, node);
  if (!history) return std::unexpected(history.error());
  const auto found = std::ranges::find(*history, id, &Generation::id);
  if (found == history->end()) return false;
  const auto id_now = change_id.empty() ? found->change_id : change_id;
  if (found->outcome == outcome && found->change_id == id_now) return true;
  found->outcome = outcome;
  found->change_id = id_now;
  if (auto written = write_history(files, node, *history); !written) {
    return std::unexpected(written.error());
  }
  return true;
}

Result<> note_change_id(host::Files& files, const std::string& node, const std::string& digest,
                        const std::string& change_id, const Moment& now) {
  auto history = read_history(files, node);
  if (!history) return std::unexpected(history.error());
  if (history->empty()) return {};
  auto& last = history->back();
  const bool is_of_this_change = stands(last) && last.digest == digest && last.by == kByDaemon &&
                                 last.at >= utc_text(now.wall - kLongestLag);
  if (!is_of_this_change || !last.change_id.empty()) return {};
  last.change_id = change_id;
  return write_history(files, node, *history);
}

std::optional<Outcome> outcome_of(const std::vector<Generation>& history, const std::string& id) {
  const auto found = std::ranges::find(history, id, &Generation::id);
  return found == history.end() ? std::nullopt : std::optional(found->outcome);
}

Result<std::optional<std::string>> read_generation(host::Files& files, const std::string& node,
                                                   const std::string& digest) {
  return files.read(text_path(node, digest));
}

Result<Generation> generation_with(const std::vector<Generation>& history, std::uint64_t number) {
  const auto found = std::ranges::find(history, number, &Generation::number);
  if (found != history.end()) return *found;
  const auto which = history.empty() ? "no file was applied here yet"
                                     : fmt::format("it has {} to {}", history.front().number,
                                                   history.back().number);
  return fail(ErrorCode::kNotFound,
              fmt::format("the history of this node has no generation {}: {}", number, which));
}

Result<std::string> text_of(host::Files& files, const std::string& node,
                            const Generation& generation) {
  if (generation.outcome == Outcome::kReleased) {
    return fail(ErrorCode::kNotFound,
                fmt::format("generation {} is a release, which has no file", generation.number));
  }
  auto text = read_generation(files, node, generation.digest);
  if (!text) return std::unexpected(text.error());
  if (!*text) {
    return fail(ErrorCode::kNotFound,
                fmt::format("the file of generation {} ({}) is no longer kept: take it from git",
                            generation.number, generation.digest));
  }
  return **std::move(text);
}

std::optional<FileCommit> commit_of(const std::vector<Generation>& history,
                                    const std::string& digest) {
  const auto newest =
      std::ranges::find_if(history | std::views::reverse, [&](const Generation& generation) {
        return generation.digest == digest && generation.commit;
      });
  return newest == history.rend() ? std::nullopt : newest->commit;
}

std::optional<Generation> in_force(const std::vector<Generation>& history) {
  const auto newest = std::ranges::find_if(history | std::views::reverse, stands);
  return newest == history.rend() ? std::nullopt : std::optional(*newest);
}

std::optional<Generation> last_settled(const std::vector<Generation>& history) {
  const auto newest =
      std::ranges::find_if(history | std::views::reverse, [&](const Generation& generation) {
        return generation.outcome == Outcome::kApplied && !was_rejected(history, generation.digest);
      });
  return newest == history.rend() ? std::nullopt : std::optional(*newest);
}

std::optional<Generation> last_good_before_now(const std::vector<Generation>& history,
                                               const InForce& record) {
  const auto now = in_force(history);
  const auto before =
      std::ranges::find_if(history | std::views::reverse, [&](const Generation& generation) {
        return stands(generation) && generation.digest != now->digest &&
               record.find_bad(generation.digest) == nullptr;
      });
  return before == history.rend() ? std::nullopt : std::optional(*before);
}

bool ends_with_release(const std::vector<Generation>& history) {
  const auto newest =
      std::ranges::find_if(history | std::views::reverse, [](const Generation& generation) {
        return stands(generation) || generation.outcome == Outcome::kReleased;
      });
  return newest != history.rend() && newest->outcome == Outcome::kReleased;
}

bool was_rejected(const std::vector<Generation>& history, const std::string& digest) {
  const auto newest = std::ranges::find(history | std::views::reverse, digest, &Generation::digest);
  return newest != history.rend() && (newest->outcome == Outcome::kUnconfirmed ||
                                      newest->outcome == Outcome::kRolledBackByHand);
}

}  // namespace spark::state
