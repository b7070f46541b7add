#pragma once
// AllNodes: this node in an offer of one file for all nodes. It lets all_nodes::step happen with
// what people ask, peers say and clocks show, writes what becomes of it before anything follows,
// and puts this node's words on the board. FileStages carries out what it says about the file.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "all_nodes/machine.hpp"
#include "all_nodes/progress.hpp"
#include "all_nodes/statement.hpp"
#include "base/moment.hpp"
#include "daemon/reconcile/active_config.hpp"
#include "host/host.hpp"
#include "protocol/all_nodes.hpp"
#include "protocol/board.hpp"

namespace spark::daemon {

/// With less left than this no decision is made: it would not reach everybody before the first
/// timer ends, clocks that drift included.
constexpr std::chrono::seconds kDecisionMargin{20};
/// Of a whole `within` that is shorter than three times that (tests, and who is in a hurry).
constexpr std::chrono::milliseconds margin_of(std::chrono::milliseconds within) {
  return std::min<std::chrono::milliseconds>(kDecisionMargin, within / 3);
}
/// Before a node begins to apply, for the others to hear it too: what it changes may cut them off.
constexpr std::chrono::seconds kGoingRest{5};
/// After its timer has ended a node asks its neighbours once more, and waits so long for them.
constexpr std::chrono::seconds kAskRest{5};

/// What this node is, as the stages of a pass know it.
struct OwnNode {
  std::string node;
  const config::Cluster* cluster = nullptr;  ///< in force; null: nothing is
  /// Why no offer can be taken now: a source, an open journal, a pause, a release, a trial. Empty:
  /// nothing hinders.
  std::string hindered;
  /// Digest of its cluster.yaml where that is not the one in force, and so may be what is offered.
  std::string changed;
};

/// The offered file, as FileStages follows it in place of its own.
struct OfferedFile {
  std::string offer;
  std::string by;      ///< "alice on spark1"
  std::string digest;  ///< of `text`
  std::string text;
};

class AllNodes {
 public:
  /// `host` must outlive it.
  explicit AllNodes(host::Host& host) : host_(host) {}

  /// Takes in what is asked, said and due. Errors: those of the files port; what is asked of this
  /// node then waits for the next look.
  Result<> look(const OwnNode& own, const Moment& now);

  /// What has to be done about the file now. kApply is said only once the others are going too, or
  /// kGoingRest is over.
  [[nodiscard]] all_nodes::Work work(const Moment& now) const;
  /// From the plan on, until it has ended. Null: there is none.
  [[nodiscard]] const OfferedFile* offered() const;

  // --- how that ended; each is written before it returns. Errors: those of the files port.

  Result<> planned(const std::string& refused, all_nodes::PlanTold plan, const Moment& now);
  Result<> applied(const Moment& now);
  Result<> not_applied(const std::string& why, const Moment& now);
  Result<> judged(bool is_open, bool is_worse, const std::string& why, const Moment& now);
  Result<> kept(const Moment& now);
  Result<> went_back(const Moment& now);

  /// This node knows a key of each other node of that file, so a file that somebody changes here
  /// waits for `apply --all`, or for `apply`.
  [[nodiscard]] bool is_together(const config::Cluster& cluster) const;
  /// Empty: there was no offer yet.
  [[nodiscard]] std::optional<all_nodes::Progress> progress() const;
  /// The public halves of ssh host keys, by node, as others with a key said them.
  [[nodiscard]] std::map<std::string, std::vector<std::string>> host_keys() const;
  /// When something is due even if nobody says anything, by the boot clock.
  [[nodiscard]] std::optional<std::chrono::milliseconds> next_due() const;

 private:
  /// What is on disk beside all_nodes::State, so that timers go on.
  struct Kept {
    all_nodes::State state;
    std::string nonce;
    std::optional<all_nodes::Offer> offer;  ///< of the part, or the one that is led
    std::string boot_id;                    ///< in which the times below count
    std::chrono::milliseconds went_at{0};   ///< boot clock: the origin said go
    std::chrono::milliseconds began_at{0};  ///< boot clock: this node's timer began
  };

  host::Host& host_;
  Kept kept_;
};

}  // namespace spark::daemon
