#pragma once
// The protocol by which all nodes have a file or none has it: two-phase commit, where each
// participant goes back by itself unless it hears of the decision in time. One value for each node;
// `step` alone changes it, without a clock, a file or a network. The daemon calls it, and
// tests/all_nodes walks all that several of them can become.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "all_nodes/offer.hpp"
#include "base/fields.hpp"

namespace spark::all_nodes {

/// Of an offer, without its text.
struct Terms {
  std::string id;
  std::string origin;
  std::string by;
  std::string digest;
  std::set<std::string> nodes;  ///< who take part, the origin among them
  bool operator==(const Terms&) const = default;
};

Terms terms_of(const Offer& offer);
/// Why another offer is refused: "the file of alice on spark1 is under way".
std::string under_way_text(const Terms& terms);

template <EitherConst<Terms> T, class Visit>
void each_field(T& terms, Visit visit) {
  visit("id", terms.id);
  visit("origin", terms.origin);
  visit("by", terms.by);
  visit("digest", terms.digest);
  visit("nodes", terms.nodes);
}

/// What this node does in an offer, also in its own.
struct Part {
  Terms terms;
  Stage stage = Stage::kHeard;
  std::string why;
  PlanTold plan;
  Order order = Order::kNone;     ///< what the origin said last, as far as it was heard
  std::set<std::string> applied;  ///< nodes that are known to have applied it; the gate is judged
                                  ///< once these are all
  bool operator==(const Part&) const = default;
};

template <EitherConst<Part> T, class Visit>
void each_field(T& part, Visit visit) {
  visit("terms", part.terms);
  visit("stage", part.stage);
  visit("why", may_lack(part.why));
  visit("plan", may_lack(part.plan));
  visit("order", part.order);
  visit("applied", part.applied);
}

/// The offer that was made here last.
struct Led {
  Terms terms;
  std::map<std::string, Stage> stages;  ///< by node, as heard last
  Order order = Order::kNone;
  std::string why;         ///< of kBack
  bool is_silent = false;  ///< decided before a reboot: it is told to nobody any more
  bool operator==(const Led&) const = default;
};

template <EitherConst<Led> T, class Visit>
void each_field(T& led, Visit visit) {
  visit("terms", led.terms);
  visit("stages", led.stages);
  visit("order", led.order);
  visit("why", may_lack(led.why));
  visit("silent", may_lack(led.is_silent));
}

/// On disk before anything of it is said or follows from it.
struct State {
  std::string node;
  std::optional<Part> part;     ///< stays until another offer takes its place
  std::optional<Led> led;       ///< the same
  std::optional<Terms> waits;   ///< an offer that is answered once `part` has ended
  std::vector<Status> refused;  ///< the last few offers of others that were refused beside `part`
  bool operator==(const State&) const = default;
};

template <EitherConst<State> T, class Visit>
void each_field(T& state, Visit visit) {
  visit("node", state.node);
  visit("part", unless_empty(state.part));
  visit("led", unless_empty(state.led));
  visit("waits", unless_empty(state.waits));
  visit("refused", state.refused);
}

/// What happens at this node, in the offer with that id where one is named; an event of another
/// offer than the node takes part in changes nothing, but HeardOffer.
namespace events {

/// A person here asks.
struct Asked {
  Terms terms;
};
/// Of another node, with the right signature, cluster and nonce.
struct HeardOffer {
  Terms terms;
};
/// This node has planned it.
struct Planned {
  std::string offer;
  std::string refused;  ///< why it may not be applied; empty: it may
  PlanTold plan;
};
/// Of any node, this one too, with the right signature.
struct HeardStatus {
  Status status;
};
/// Of the origin, with its signature, from any node that passed it on.
struct HeardOrder {
  std::string origin;
  Ordered ordered;
};
/// The person who asked says yes.
struct Approved {
  std::string offer;
};
/// They do not, or have interrupted it; or a node did not answer in time; or less time is left than
/// a decision needs to reach everybody.
struct Cancelled {
  std::string offer;
  std::string why;
};
/// Every step was made, and read back.
struct Applied {
  std::string offer;
};
struct NotApplied {
  std::string offer;
  std::string why;
};
/// The gate, all others having applied it too.
struct Judged {
  std::string offer;
  bool is_open = false;  ///< as good as before
  std::string why;       ///< what fails, or is not known yet
  bool is_worse = false;
};
/// The time of this node is over, and its neighbours were asked once more. At an origin that kept
/// it: twice that time is over since it said go, so no other node that stayed on still waits.
struct Expired {
  std::string offer;
};
/// The file is in force for good.
struct Kept {
  std::string offer;
};
/// The file from before is in force again, or nothing was changed.
struct WentBack {
  std::string offer;
};
struct Restarted {
  bool is_reboot = false;  ///< of the machine; else of the daemon alone
};

}  // namespace events

using Event = std::variant<events::Asked, events::HeardOffer, events::Planned, events::HeardStatus,
                           events::HeardOrder, events::Approved, events::Cancelled, events::Applied,
                           events::NotApplied, events::Judged, events::Expired, events::Kept,
                           events::WentBack, events::Restarted>;

/// `may_decide`: at the origin, so much time is left that a decision reaches everybody before the
/// first timer ends. Where it is false nothing is decided but kBack.
State step(State state, const Event& event, bool may_decide);

/// What this node has to do about `part` now.
enum class Work : std::uint8_t {
  kNone,
  kPlan,    ///< then Planned
  kApply,   ///< then Applied or NotApplied
  kJudge,   ///< then Judged, as often as the gate is looked at
  kKeep,    ///< then Kept
  kGoBack,  ///< then WentBack
};

Work work_of(const State& state);

/// What this node says to all others: its own words alone.
struct Words {
  std::vector<Status> statuses;
  std::vector<Ordered> orders;
  bool operator==(const Words&) const = default;
};

Words words_of(const State& state);

/// An offer is under way here: others wait, and a second one of this node is refused. An origin
/// that kept it has to tell the others until all have ended, or Expired.
bool is_under_way(const State& state);

}  // namespace spark::all_nodes
