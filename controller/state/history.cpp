#include "state/history.hpp"

#include <algorithm>
#include <array>
#include <ranges>
#include <utility>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json_integer.hpp"
#include "state/ledger.hpp"

namespace spark::state {
namespace {

using nlohmann::json;
using Outcome = Generation::Outcome;

constexpr const char* kSchema = "spark-reconcile/history/v1";
constexpr unsigned kMode = 0600;
constexpr std::size_t kMost = 100;

/// In the order of Outcome.
constexpr std::array<std::string_view, 7> kOutcomes{
    "applied", "pending", "rolled_back", "incomplete", "unconfirmed", "rolled_back_by_hand",
    "released"};

std::string text_path(const std::string& node, const std::string& digest) {
  return fmt::format("{}/files/{}.yaml", state_directory(node), digest);
}

/// Throws json::exception.
Generation generation_from(const json& entry) {
  auto name = entry.at("outcome").get<std::string>();
  if (name == "taken_back") name = "rolled_back_by_hand";  // as builds before 0.2 wrote it
  const auto outcome = std::ranges::find(kOutcomes, name);
  return {.number = integer_of<std::uint64_t>(entry.at("number")),
          .id = entry.at("id").get<std::string>(),
          .at = entry.at("at").get<std::string>(),
          .by = entry.at("by").get<std::string>(),
          .file = entry.at("file").get<std::string>(),
          .digest = entry.at("digest").get<std::string>(),
          .changes = entry.at("changes").get<std::size_t>(),
          .outcome = outcome == kOutcomes.end()
                         ? Outcome::kIncomplete
                         : static_cast<Outcome>(outcome - kOutcomes.begin())};
}

Result<> write_history(host::Files& files, const std::string& node,
                       const std::vector<Generation>& history) {
  auto entries = json::array();
  for (const auto& generation : history) {
    entries.push_back(to_json(generation));
  }
  const json document{{"schema", kSchema}, {"generations", std::move(entries)}};
  return files.write_durably(history_path(node),
                             document.dump(1, ' ', false, json::error_handler_t::replace) + "\n",
                             kMode);
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
  return {{"number", generation.number},   {"id", generation.id},
          {"at", generation.at},           {"by", generation.by},
          {"file", generation.file},       {"digest", generation.digest},
          {"changes", generation.changes}, {"outcome", name_of(generation.outcome)}};
}

std::string_view name_of(Outcome outcome) {
  return kOutcomes.at(static_cast<std::size_t>(outcome));
}

Result<std::vector<Generation>> read_history(host::Files& files, const std::string& node) {
  const auto path = history_path(node);
  const auto text = files.read(path);
  if (!text) return std::unexpected(text.error());
  std::vector<Generation> history;
  bool known = true;
  if (!*text) {
    return history;
  }
  try {
    const auto document = json::parse(**text);
    known = document.at("schema") == kSchema;
    for (const auto& entry : document.at("generations")) {
      history.push_back(generation_from(entry));
    }
  } catch (const json::exception&) {
    known = false;
  }
  if (!known) {
    return fail(ErrorCode::kInvalid,
                fmt::format("'{}' is damaged or of a newer version: move it away to begin a new "
                            "history",
                            path));
  }
  return history;
}

Result<> add_to_history(host::Files& files, const std::string& node, Generation generation,
                        const std::string& text, const std::string& takes_back) {
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
  if (generation.outcome == Outcome::kApplied) {
    mark_rolled_back(history, takes_back);
  }
  generation.number = history.empty() ? 1 : history.back().number + 1;
  const auto path = text_path(node, generation.digest);
  if (auto written = files.write_durably(path, text, kMode); !written) return written;
  history.push_back(std::move(generation));
  while (history.size() > kMost) {
    const auto oldest = history.front().digest;
    history.erase(history.begin());
    if (std::ranges::find(history, oldest, &Generation::digest) == history.end()) {
      if (auto removed = files.remove(text_path(node, oldest)); !removed) return removed;
    }
  }
  return write_history(files, node, history);
}

Result<> note_rolled_back(host::Files& files, const std::string& node, const std::string& digest) {
  auto history = read_history(files, node);
  if (!history) return std::unexpected(history.error());
  mark_rolled_back(*history, digest);
  return write_history(files, node, *history);
}

Result<bool> note_outcome(host::Files& files, const std::string& node, const std::string& id,
                          Outcome outcome) {
  auto history = read_history(files, node);
  if (!history) return std::unexpected(history.error());
  const auto found = std::ranges::find(*history, id, &Generation::id);
  if (found == history->end()) {
    return false;
  }
  if (found->outcome == outcome) {
    return true;
  }
  found->outcome = outcome;
  if (auto written = write_history(files, node, *history); !written) {
    return std::unexpected(written.error());
  }
  return true;
}

std::optional<Outcome> outcome_of(const std::vector<Generation>& history, const std::string& id) {
  const auto found = std::ranges::find(history, id, &Generation::id);
  return found == history.end() ? std::nullopt : std::optional(found->outcome);
}

Result<std::optional<std::string>> read_generation(host::Files& files, const std::string& node,
                                                   const std::string& digest) {
  return files.read(text_path(node, digest));
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

std::optional<Generation> last_good_before_now(const std::vector<Generation>& history) {
  const auto now = in_force(history);
  const auto before =
      std::ranges::find_if(history | std::views::reverse, [&](const Generation& generation) {
        return stands(generation) && generation.digest != now->digest;
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
