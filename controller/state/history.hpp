#pragma once
// The history of a node: which files were applied to it, by whom, and what became of that.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/moment.hpp"
#include "base/result.hpp"
#include "host/files.hpp"
#include "state/file_commit.hpp"
#include "state/in_force.hpp"

namespace spark::state {

/// Who applied what the daemon applied: `Generation::by`.
inline constexpr const char* kByDaemon = "the daemon";
/// Of a `--change-id`, in characters.
inline constexpr std::size_t kLongestChangeId = 64;
/// How long after the daemon applied a file an apply of it by hand still belongs to that change.
inline constexpr std::chrono::minutes kLongestLag{10};

/// One apply of a file that changed something, or whose file differs from the previous one.
struct Generation {
  enum class Outcome : std::uint8_t {
    kApplied,
    kPending,           ///< not confirmed yet
    kRolledBack,        ///< failed, and rolled back
    kIncomplete,        ///< failed, and not completely rolled back
    kUnconfirmed,       ///< rolled back, since nobody confirmed it
    kRolledBackByHand,  ///< rolled back by hand
    kReleased,          ///< no apply: the node was released
  };
  std::uint64_t number = 0;  ///< 1, 2, …
  std::string id;            ///< of the transaction
  std::string at;            ///< UTC, RFC 3339
  std::string by;            ///< user
  std::string file;          ///< the path that the user gave
  std::string digest;        ///< of the file
  std::size_t changes = 0;   ///< steps that were made
  Outcome outcome = Outcome::kApplied;
  std::optional<FileCommit> commit;  ///< empty: the file came from no followed repository
  /// `--change-id` of the apply, or of the confirm or rollback that ended it; empty: none was
  /// given.
  std::string change_id;
};

/// "applied", "pending", "rolled_back", "incomplete", "unconfirmed", "rolled_back_by_hand" or
/// "released".
std::string_view name_of(Generation::Outcome outcome);

/// As `history --json` prints it.
nlohmann::json to_json(const Generation& generation);

std::string history_path(const std::string& node);

/// At most the last hundred generations, the oldest first. Errors: kInvalid when the history is
/// damaged.
Result<std::vector<Generation>> read_history(host::Files& files, const std::string& node);

/// Adds `generation` with the next number, and keeps the text of its file. If `generation` is
/// kApplied, the same write marks each applied or pending generation of the file with the digest
/// `rolls_back` as kRolledBackByHand.
Result<> add_to_history(host::Files& files, const std::string& node, Generation generation,
                        const std::string& text, const std::string& rolls_back = {});

/// Records what became of the transaction `id`, and the `change_id` where it is not empty. False:
/// the history does not have it.
Result<bool> note_outcome(host::Files& files, const std::string& node, const std::string& id,
                          Generation::Outcome outcome, const std::string& change_id = {});

/// The daemon applied that file before an apply by hand came, which had nothing left to change: the
/// daemon's generation gets the id. Does nothing where the history does not end with that
/// generation, or where it has an id, was rolled back, or is older than kLongestLag: then it
/// belongs to another change.
Result<> note_change_id(host::Files& files, const std::string& node, const std::string& digest,
                        const std::string& change_id, const Moment& now);

/// What became of the transaction `id`; empty: `history` does not have it.
std::optional<Generation::Outcome> outcome_of(const std::vector<Generation>& history,
                                              const std::string& id);

/// The text of a file that was applied once; empty: it is no longer kept.
Result<std::optional<std::string>> read_generation(host::Files& files, const std::string& node,
                                                   const std::string& digest);

/// The generation with that number. Errors: kNotFound, with those that there are.
Result<Generation> generation_with(const std::vector<Generation>& history, std::uint64_t number);
/// The text of its file. Errors: kNotFound where it is no longer kept, or where it is a release.
Result<std::string> text_of(host::Files& files, const std::string& node,
                            const Generation& generation);

/// The commit of the newest generation of that file that has one; empty: none has.
std::optional<FileCommit> commit_of(const std::vector<Generation>& history,
                                    const std::string& digest);

/// The newest applied or pending generation; empty: there is none.
std::optional<Generation> in_force(const std::vector<Generation>& history);
/// The newest applied generation of a file that was not rejected since (`was_rejected`). A pending
/// one does not count.
std::optional<Generation> last_settled(const std::vector<Generation>& history);
/// The newest applied or pending generation of a file other than that of `in_force`, and none that
/// `record` knows to be bad.
std::optional<Generation> last_good_before_now(const std::vector<Generation>& history,
                                               const InForce& record = {});

/// The node was released, and no file was applied since.
bool ends_with_release(const std::vector<Generation>& history);

/// The last apply of the file with that digest was rolled back by hand, or because nobody confirmed
/// it. Such a file is not tried again by itself.
bool was_rejected(const std::vector<Generation>& history, const std::string& digest);

}  // namespace spark::state
