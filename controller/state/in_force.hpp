#pragma once
// InForce: which cluster file counts on this machine. One value says what is in force, what is on
// trial, what waits for its confirmation and what is known to be bad; `step` alone changes it,
// without a clock, a file or a host. tests/in_force walks all that it can become.

#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/fields.hpp"

namespace spark::state {

/// Why a file that was rolled back is not taken again.
inline constexpr const char* kWhyRolledBack =
    "it was rolled back after it was applied last: change it, or apply it by hand "
    "(`spark-reconcile apply`)";

/// The same of a file that all nodes were offered, and none kept.
inline constexpr const char* kWhyAllWentBack =
    "all nodes went back from it: change it, or offer it again (`spark-reconcile apply --all`)";

/// A file that came to no good here: it is not taken again by itself, also where another commit
/// offers it.
struct BadFile {
  std::string digest;  ///< SHA-256
  std::string why;
  std::string at;  ///< UTC
  std::string
      by;  ///< whose apply was rolled back by hand, or not confirmed; empty: it failed by itself
  bool operator==(const BadFile&) const = default;
};

/// Which fact of the gate. Documents have it as "SR-GATE-002 enp1s0f0np0 192.0.2.11" and
/// "SR-GATE-013  /data".
struct FactKey {
  static constexpr std::string_view kForm = "the key of a fact";

  std::string id;       ///< SR-GATE-NNN
  std::string link;     ///< empty: it is a fact of the node
  std::string subject;  ///< of a rail its address; may be empty

  [[nodiscard]] std::string text() const;
  /// Empty: the text is.
  static std::optional<FactKey> parse(std::string_view text);
  auto operator<=>(const FactKey&) const = default;
};

/// The facts of a node in one look at the gate.
struct FactsSeen {
  std::vector<FactKey> held;
  std::vector<FactKey> failed;
  bool operator==(const FactsSeen&) const = default;
};

/// A file that is applied, and good only when the facts that held before have held for so long, or
/// when all nodes have it together.
struct Trial {
  std::string digest;
  std::chrono::milliseconds settle{0};
  /// Of all nodes, which end the trial; empty: the facts of this node do.
  std::string offer;
  bool operator==(const Trial&) const = default;
};

/// A file that is applied, and rolled back unless somebody confirms it.
struct Unconfirmed {
  std::string digest;
  std::string id;  ///< of its transaction
  bool operator==(const Unconfirmed&) const = default;
};

/// How the facts of a file on trial stand beside those that held before it.
enum class Trend : std::uint8_t {
  kOpen,   ///< not known: one of them is not seen, or waits for something else
  kSame,   ///< all of them hold
  kWorse,  ///< one of them fails, and this node alone can be why
};

struct InForce {
  /// A file that is good as a text.
  struct Offer {
    std::string digest;
    std::optional<std::chrono::milliseconds> settle;  ///< of its trial; empty: it needs none
    std::string offer;  ///< of all nodes, as of Trial; a person there asked for it
    bool operator==(const Offer&) const = default;
  };

  // On disk.
  std::string good;                        ///< digest of the last good file; empty: there is none
  std::optional<FactsSeen> seen;           ///< with it in force; empty: no look since it came
  std::optional<Trial> trial;              ///< in force in place of the good one
  std::optional<Unconfirmed> unconfirmed;  ///< applied, and neither in force nor gone
  std::string attempt;   ///< the candidate, of which a part may be applied; empty: none is
  bool returns = false;  ///< the file in force is to be applied: another one may still stand there
  std::vector<BadFile> bad;  ///< the oldest first

  // Of the process that asks.
  std::optional<Offer> candidate;  ///< not in force, and not known to be bad
  bool is_held = false;            ///< released, paused, or other nodes have to take it first
  Trend trend = Trend::kOpen;      ///< of the trial
  bool has_begun_here = false;     ///< the attempt: its rollback leaves what was there before it

  [[nodiscard]] const std::string& digest() const { return trial ? trial->digest : good; }
  /// Null: the file is not known to be bad.
  [[nodiscard]] const BadFile* find_bad(const std::string& digest) const;
  bool operator==(const InForce&) const = default;
};

template <EitherConst<BadFile> T, class Visit>
void each_field(T& bad, Visit visit) {
  visit("digest", bad.digest);
  visit("why", bad.why);
  visit("at", bad.at);
  visit("by", unless_empty(bad.by));
}

template <EitherConst<FactsSeen> T, class Visit>
void each_field(T& seen, Visit visit) {
  visit("held", seen.held);
  visit("failed", seen.failed);
}

template <EitherConst<Trial> T, class Visit>
void each_field(T& trial, Visit visit) {
  visit("digest", trial.digest);
  visit("settle_ms", trial.settle);
  visit("offer", unless_empty(trial.offer));
}

template <EitherConst<Unconfirmed> T, class Visit>
void each_field(T& unconfirmed, Visit visit) {
  visit("digest", unconfirmed.digest);
  visit("id", unconfirmed.id);
}

/// What is on disk.
template <EitherConst<InForce> T, class Visit>
void each_field(T& in_force, Visit visit) {
  visit("good", unless_empty(in_force.good));
  visit("seen", unless_empty(in_force.seen));
  visit("trial", unless_empty(in_force.trial));
  visit("unconfirmed", unless_empty(in_force.unconfirmed));
  visit("attempt", unless_empty(in_force.attempt));
  visit("returns", in_force.returns);
  visit("bad", in_force.bad);
}

/// What happens to the file of a machine.
namespace events {

/// The place that is followed has a text without errors.
struct Offered {
  InForce::Offer offer;
};
/// It has none: not there, not readable, with errors, or nobody says any more where it is.
struct Withdrawn {};
/// No new file may be taken now.
struct Held {};
struct Freed {};
/// The candidate is about to be applied.
struct Trying {};
/// A file was applied, and all of it read back.
struct Applied {
  std::string digest;
  std::optional<std::chrono::milliseconds> settle;  ///< empty: it needs no trial
  std::optional<BadFile> rejects;  ///< the file that it was applied in place of, by hand
  std::string offer;               ///< as of Trial
};
/// The candidate could not be applied, and what was changed is rolled back.
struct NotApplied {
  std::optional<BadFile> bad;  ///< empty: it is tried again
};
/// A file was applied, and waits for its confirmation.
struct Unconfirmed {
  state::Unconfirmed file;
};
/// The file that waited was confirmed; also where nobody could note that it waited.
struct Confirmed {
  state::Unconfirmed file;
};
/// A file was rolled back: it waited for its confirmation, or somebody wants it no more.
struct Rejected {
  BadFile bad;
};
/// A look at the gate.
struct Looked {
  FactsSeen seen;
  Trend trend = Trend::kOpen;
};
/// The trend of the file on trial has lasted for as long as the trial asks.
struct Settled {
  std::string why;  ///< it is bad, where it is
  std::string at;   ///< UTC
  FactsSeen seen;   ///< in the last look
};
/// All nodes keep what they were offered together, or none does.
struct Decided {
  std::string offer;
  std::optional<BadFile> bad;     ///< empty: they keep it
  std::optional<FactsSeen> seen;  ///< in the last look with it
};
/// Nobody follows a repository any more.
struct SourceStopped {};
/// Files that failed may be tried again.
struct Retried {};
struct Restarted {};

}  // namespace events

using InForceEvent =
    std::variant<events::Offered, events::Withdrawn, events::Held, events::Freed, events::Trying,
                 events::Applied, events::NotApplied, events::Unconfirmed, events::Confirmed,
                 events::Rejected, events::Looked, events::Settled, events::Decided,
                 events::SourceStopped, events::Retried, events::Restarted>;

/// What is to be done next.
enum class Effect : std::uint8_t {
  kNone,
  kLook,  ///< at the gate: how the facts are with the file in force, before the candidate is tried
  kTry,   ///< apply the candidate
  kGoBack,  ///< apply the good file, which is in force again; that waits for no job
};

/// So many later ones make the oldest one a file like any other.
inline constexpr std::size_t kMostBadFiles = 100;

/// What becomes of `state` by `event`, and what is to be done once that is on disk.
std::pair<InForce, Effect> step(InForce state, const InForceEvent& event,
                                std::size_t most_bad = kMostBadFiles);

/// Both say the same on disk.
bool is_same_record(const InForce& one, const InForce& other);

}  // namespace spark::state
