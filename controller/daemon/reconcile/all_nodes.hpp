#pragma once
// AllNodes: this node in an offer of one file for all nodes. It lets all_nodes::step happen with
// what people ask, peers say and clocks show, writes what becomes of it before anything follows,
// and puts this node's words on the board. FileStages carries out what it says about the file.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "all_nodes/machine.hpp"
#include "all_nodes/progress.hpp"
#include "base/moment.hpp"
#include "config/cluster.hpp"
#include "daemon/reconcile/all_nodes_board.hpp"
#include "daemon/reconcile/all_nodes_record.hpp"
#include "host/host.hpp"
#include "protocol/all_nodes.hpp"

namespace spark::daemon {

/// After its timer has ended a node asks its neighbours once more, and waits so long for them.
constexpr std::chrono::seconds kAskRest{5};
/// For so long its ask stays after an offer has ended, for who asked to learn of the end.
constexpr std::chrono::seconds kToldFor{10};

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
  std::string by;  ///< "alice on spark1"
  std::string change_id;
  std::string digest;  ///< of `text`
  std::string text;
  std::string rejects;
};

class AllNodes {
 public:
  /// `host` must outlive it.
  explicit AllNodes(host::Host& host) : host_(host), board_(host.files) {}

  /// Takes in what is asked, said and due. Errors: those of the files port; what is asked of this
  /// node then waits for the next look.
  Result<> look(const OwnNode& own, const Moment& now);

  /// What has to be done about the file now. kApply is said only once the others are going too, and
  /// at an origin kGoBack once they have gone back, or kHeardRest is over.
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
  /// What somebody at this node asks, while the nodes that it is for are asked for their words.
  struct Pending {
    std::string id;
    std::chrono::milliseconds since{0};  ///< boot clock
  };
  struct Timer {
    std::chrono::milliseconds at{0};  ///< boot clock
    all_nodes::Event event;
  };

  Result<> begin(const Moment& now);

  // Each lets happen in `record` what is due, and writes nothing of it.

  void hear(AllNodesRecord& record, const Moment& now) const;
  Result<> take_ask(AllNodesRecord& record, const config::Cluster* cluster, const Moment& now);
  /// Of the offer that is led here.
  void follow_ask(AllNodesRecord& record, const protocol::AllNodesAsk& ask,
                  const Moment& now) const;
  void offer(AllNodesRecord& record, const protocol::AllNodesAsk& ask,
             const config::Cluster* cluster, const Moment& now);
  void ring_timers(AllNodesRecord& record, const Moment& now);
  Result<> take_nonce(AllNodesRecord& record);
  void happen(AllNodesRecord& record, const all_nodes::Event& event, const Moment& now) const;

  /// It happens, and is on disk and on the board.
  Result<> tell(const all_nodes::Event& event, const Moment& now);
  /// `record` counts once it is on disk, and then only is it said.
  Result<> keep(AllNodesRecord record);
  Result<> put_board();

  [[nodiscard]] bool may_take(const AllNodesRecord& record, const all_nodes::Offer& offer) const;
  [[nodiscard]] std::set<std::string> participants(const protocol::AllNodesAsk& ask,
                                                   const config::Cluster& cluster) const;
  /// The nodes that it is for are being asked for their words.
  bool is_waiting(const std::string& ask, const std::set<std::string>& nodes, const Moment& now);
  /// Why no offer can be made of the ask, whatever the nodes say. Empty: it can.
  [[nodiscard]] std::string refusal_of(const all_nodes::State& state,
                                       const protocol::AllNodesAsk& ask) const;
  /// Why this node cannot take part in an offer of that file. Empty: it can.
  [[nodiscard]] std::string own_lack(const std::string& digest) const;
  /// Why that node cannot. Empty: it can.
  [[nodiscard]] std::string lack_of(const std::string& node, const std::string& digest) const;
  /// The same of all that it is for, whose nonces `offer` gets.
  std::string lacks_of(const std::set<std::string>& nodes, all_nodes::Offer& offer) const;
  [[nodiscard]] bool is_ask_over() const;
  [[nodiscard]] std::vector<Timer> timers(const AllNodesRecord& record) const;
  [[nodiscard]] std::optional<std::chrono::milliseconds> rest_ends(all_nodes::Work work) const;
  [[nodiscard]] AllNodesBoard::Statements own_words(const AllNodesRecord& record) const;
  [[nodiscard]] all_nodes::NodeProgress node_progress(const std::string& node,
                                                      const std::string& offer) const;

  host::Host& host_;
  AllNodesRecord kept_;
  bool has_begun_ = false;

  // Of the last look.
  OwnNode own_;  ///< without its cluster
  std::string cluster_;
  std::chrono::milliseconds looked_at_{0};  ///< boot clock
  std::optional<Moment> until_;             ///< this node goes back then

  AllNodesBoard board_;
  std::vector<std::string> host_keys_;

  std::optional<OfferedFile> offered_;
  std::string ask_id_;  ///< of the file that is there; empty: none is
  std::optional<Pending> pending_;
  std::optional<all_nodes::Progress> refused_;           ///< an ask of which no offer was made
  std::optional<std::chrono::milliseconds> told_until_;  ///< the ask is over, and is removed then
  /// Before this node goes back: peers were asked about that offer, at that time of the boot clock.
  std::pair<std::string, std::chrono::milliseconds> last_ask_;
};

}  // namespace spark::daemon
