#pragma once
// Offer: a cluster file that all nodes have together or not at all, and what nodes say of it. Each
// node says one thing of an offer at a time; what it says next takes its place.

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"

namespace spark::all_nodes {

/// Grows when a node of before cannot take part in what a newer one offers.
inline constexpr std::uint32_t kVersion = 1;
/// Of the file, as of any cluster file that others offer.
inline constexpr std::size_t kMostOfferBytes = std::size_t{256} * 1024;

struct Offer {
  std::string id;  ///< 128 random bits as 32 hexadecimal digits: what counts, and never the digest
  std::string origin;     ///< node that makes it
  std::string by;         ///< user there
  std::string change_id;  ///< `--change-id`; empty: none was given
  std::string cluster;    ///< by the file that is in force at the origin
  std::string digest;     ///< SHA-256 of `text`
  std::string text;       ///< of cluster.yaml
  std::string rejects;    ///< digest of the file that a person rolls back with it; empty: none
  /// Who takes part, and what each said last that an offer must name: so none can be made before.
  std::map<std::string, std::string> nonces;
  /// A node goes back by itself so long after it began to apply, unless it hears of a decision.
  std::chrono::milliseconds within{0};
  bool operator==(const Offer&) const = default;
};

template <EitherConst<Offer> T, class Visit>
void each_field(T& offer, Visit visit) {
  visit("id", offer.id);
  visit("origin", offer.origin);
  visit("by", offer.by);
  visit("change_id", may_lack(offer.change_id));
  visit("cluster", offer.cluster);
  visit("digest", offer.digest);
  visit("text", offer.text);
  visit("rejects", may_lack(offer.rejects));
  visit("nonces", offer.nonces);
  visit("within_ms", offer.within);
}

/// What becomes of an offer at one node. The order counts: what is further replaces what is not.
enum class Stage : std::uint8_t {
  kHeard,    ///< it is planned
  kRefused,  ///< it takes no part; the reason says why
  kYes,      ///< it would apply it
  kGoing,    ///< it begins to
  kApplied,  ///< every step was made and read back, durably
  kOpen,     ///< the gate is as good as before, with it in force
  kFailed,   ///< it could not be applied, or the gate got worse; the reason says which
  kKept,     ///< the file is in force for good
  kBack,     ///< the file from before is in force, or nothing was changed
};

inline constexpr std::array<std::string_view, 9> kStages = {
    "heard", "refused", "yes", "going", "applied", "open", "failed", "kept", "back"};
constexpr const auto& names_of(Stage /*any*/) { return kStages; }
/// The node takes no part any more.
constexpr bool has_ended(Stage stage) {
  return stage == Stage::kRefused || stage == Stage::kKept || stage == Stage::kBack;
}

/// What `plan` says at a node, for the person who asks.
struct PlanTold {
  std::uint32_t changes = 0;
  std::uint32_t waiting = 0;  ///< resources that cannot be changed yet
  std::uint32_t unknown = 0;  ///< that could not be read, or are not enforced
  // Each list: at most kMostLinesTold.
  std::vector<std::string> disturbs;  ///< "interrupts rail 1 for a moment"
  std::vector<std::string> jobs;      ///< that it ends, without names: "a job uses rocep1s0f0"
  std::vector<std::string> steps;     ///< the lines of the plan
  bool operator==(const PlanTold&) const = default;
};

inline constexpr std::size_t kMostLinesTold = 64;
/// Of each text for people, in code points.
inline constexpr std::size_t kLongestText = 400;
inline constexpr std::size_t kMostHostKeys = 4;

template <EitherConst<PlanTold> T, class Visit>
void each_field(T& plan, Visit visit) {
  visit("changes", may_lack(plan.changes));
  visit("waiting", may_lack(plan.waiting));
  visit("unknown", may_lack(plan.unknown));
  visit("disturbs", unless_empty(plan.disturbs));
  visit("jobs", unless_empty(plan.jobs));
  visit("steps", unless_empty(plan.steps));
}

struct Status {
  std::uint64_t number = 0;  ///< of two that a node says of an offer the greater one counts
  std::string offer;         ///< its id
  std::string digest;        ///< of the text that this node has under that id
  std::string node;
  Stage stage = Stage::kHeard;
  std::string why;  ///< a clause: of a refusal or a failure, or what an applied file waits for
  PlanTold plan;
  bool operator==(const Status&) const = default;
};

template <EitherConst<Status> T, class Visit>
void each_field(T& status, Visit visit) {
  visit("number", may_lack(status.number));
  visit("offer", status.offer);
  visit("digest", status.digest);
  visit("node", status.node);
  visit("stage", status.stage);
  visit("why", may_lack(status.why));
  visit("plan", may_lack(status.plan));
}

/// What the origin says to all. The order counts, as of Stage; kKeep and kBack exclude each other.
enum class Order : std::uint8_t {
  kNone,  ///< nobody has decided
  kGo,    ///< apply it
  kKeep,  ///< the decision: it stays
  kBack,  ///< the decision: it does not
};

inline constexpr std::array<std::string_view, 4> kOrders = {"none", "go", "keep", "back"};
constexpr const auto& names_of(Order /*any*/) { return kOrders; }
constexpr bool is_decided(Order order) { return order == Order::kKeep || order == Order::kBack; }

struct Ordered {
  std::string offer;
  std::string digest;  ///< of the text that is meant
  Order order = Order::kNone;
  std::string why;  ///< a clause: of kBack
  bool operator==(const Ordered&) const = default;
};

template <EitherConst<Ordered> T, class Visit>
void each_field(T& ordered, Visit visit) {
  visit("offer", ordered.offer);
  visit("digest", ordered.digest);
  visit("order", ordered.order);
  visit("why", may_lack(ordered.why));
}

/// That this node is there, and takes an offer that names this nonce.
struct Presence {
  std::uint64_t number = 0;  ///< as of Status
  std::string node;
  std::string cluster;
  std::uint32_t version = kVersion;
  std::string nonce;  ///< another one after each offer that was answered with a yes
  /// Why it would refuse any offer: "a trial is under way". Empty: nothing is known that hinders.
  std::string hindered;
  /// The public halves of the machine's ssh host keys, as /etc/ssh has them: "ssh-ed25519 AAAA…".
  std::vector<std::string> host_keys;
  bool operator==(const Presence&) const = default;
};

template <EitherConst<Presence> T, class Visit>
void each_field(T& presence, Visit visit) {
  visit("number", presence.number);
  visit("node", presence.node);
  visit("cluster", presence.cluster);
  visit("version", presence.version);
  visit("nonce", presence.nonce);
  visit("hindered", may_lack(presence.hindered));
  visit("host_keys", unless_empty(presence.host_keys));
}

}  // namespace spark::all_nodes
