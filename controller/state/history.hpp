#pragma once
// The history of a node: which files were applied to it, by whom, and what became of that.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.hpp"
#include "host/files.hpp"

namespace spark {

/// One apply of a file, that changed something or was of another file than the one before.
struct Generation {
  enum class Outcome : std::uint8_t {
    kApplied,
    kPending,           ///< not confirmed yet
    kRolledBack,        ///< failed, and undone
    kIncomplete,        ///< failed, and not completely undone
    kUnconfirmed,       ///< taken back, since nobody confirmed it
    kRolledBackByHand,  ///< taken back by hand
    kReleased,          ///< no apply: all was given back
  };
  std::uint64_t number = 0;  ///< 1, 2, …
  std::string id;            ///< of the transaction
  std::string at;            ///< UTC, RFC 3339
  std::string by;            ///< user
  std::string file;          ///< the path that the user gave
  std::string digest;        ///< of the file
  std::size_t changes = 0;   ///< steps that were made
  Outcome outcome = Outcome::kApplied;
};

/// "applied", "pending", "rolled_back", "incomplete", "unconfirmed", "rolled_back_by_hand" or
/// "released".
std::string_view name_of(Generation::Outcome outcome);

/// As the history keeps it, and as `history --json` prints it.
nlohmann::json to_json(const Generation& generation);

std::string history_path(const std::string& node);

/// The oldest first, at most the last hundred. Errors: kInvalid when it is damaged.
Result<std::vector<Generation>> read_history(Files& files, const std::string& node);

/// Adds it with the next number, and keeps the text of its file. In the same write, where this one
/// stays, all that stayed of the file with the digest `takes_back` become ones that were taken
/// back.
Result<> add_to_history(Files& files, const std::string& node, Generation generation,
                        const std::string& text, const std::string& takes_back = {});

/// Likewise without one that is added: what the file asks for is there already.
Result<> note_rolled_back(Files& files, const std::string& node, const std::string& digest);

/// What became of the transaction `id`; false: it is not known.
Result<bool> note_outcome(Files& files, const std::string& node, const std::string& id,
                          Generation::Outcome outcome);

/// What became of the transaction `id`; empty: it is not known.
std::optional<Generation::Outcome> outcome_of(const std::vector<Generation>& history,
                                              const std::string& id);

/// The text of a file that was applied once; empty: it is no longer kept.
Result<std::optional<std::string>> read_generation(Files& files, const std::string& node,
                                                   const std::string& digest);

/// The newest that was applied and stayed; empty: there is none.
std::optional<Generation> in_force(const std::vector<Generation>& history);
/// The newest that was applied and stays, of a file that nobody took back since. One that waits for
/// its confirmation is none.
std::optional<Generation> last_settled(const std::vector<Generation>& history);
/// The newest of another file that was applied and stayed, before that one.
std::optional<Generation> last_good_before_now(const std::vector<Generation>& history);

/// The node was given back last, and no file applied since.
bool ends_with_release(const std::vector<Generation>& history);

/// Somebody, or nobody's word, took the file with that digest back: it is not tried again by
/// itself.
bool was_rejected(const std::vector<Generation>& history, const std::string& digest);

}  // namespace spark
