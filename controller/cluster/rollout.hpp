#pragma once
// A changed file that rolls through a cluster: what one node knows of it, and how it looks.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"

namespace spark::cluster {

/// A node that another one waits for.
struct RolloutWait {
  std::string node;
  std::string why;  ///< as a clause: "tries it", "is silent"; empty: not known here
  bool operator==(const RolloutWait&) const = default;
};

template <EitherConst<RolloutWait> T, class Visit>
void each_field(T& wait, Visit visit) {
  visit("node", wait.node);
  visit("why", wait.why);
}

/// A good file that waits on this node.
struct RolloutHold {
  std::string digest;
  std::optional<std::chrono::milliseconds> since;  ///< so long
  std::vector<RolloutWait> waits;
  std::vector<std::string> skipped;  ///< by `sync --skip`: "spark3: in repair"
};

/// What this node knows of a roll-out but for what the nodes say of themselves.
struct KnownRollout {
  bool is_asked = false;                         ///< the file has `rollout:`
  std::vector<std::vector<std::string>> groups;  ///< in their order
  std::optional<RolloutHold> held;
  // Most leave it out. NOLINTNEXTLINE(readability-redundant-member-init)
  std::vector<std::string> bad = {};  ///< digests of files that failed on this node
};

enum class RolloutStep : std::uint8_t {
  kHas,      ///< the new file is in force there
  kTries,    ///< the same, and nobody knows yet whether it is good there
  kWaits,    ///< it knows the new file, and has another one
  kNotYet,   ///< it says nothing of the new file
  kUnknown,  ///< it is not heard
  /// It tried the new file, which failed there, and has the one of before again. Only of this node:
  /// others say so of the node that they wait for.
  kWentBack,
};

inline constexpr std::array<std::string_view, 6> kRolloutSteps{"has",     "tries",   "waits",
                                                               "not_yet", "unknown", "went_back"};
constexpr const auto& names_of(RolloutStep /*any*/) { return kRolloutSteps; }

struct RolloutNode {
  std::string node;
  RolloutStep step = RolloutStep::kUnknown;
  std::string file;                ///< the beginning of the digest of its file; empty: not known
  bool is_away = false;            ///< nobody waits for it
  bool is_silent = false;          ///< of kUnknown: it was heard before
  std::vector<RolloutWait> waits;  ///< of kWaits; empty: for no node that is known here
  std::optional<std::chrono::milliseconds> since;  ///< so long it waits; of this node alone
};

template <EitherConst<RolloutNode> T, class Visit>
void each_field(T& node, Visit visit) {
  visit("node", node.node);
  visit("step", node.step);
  visit("file", node.file);
  visit("away", node.is_away);
  visit("silent", node.is_silent);
  visit("waits", node.waits);
  visit("since_ms", node.since);
}

struct RolloutView {
  std::string from;  ///< the beginning of the digest that most of the others have; empty: not known
  std::string to;    ///< the same of the new file
  int has = 0;       ///< so many nodes have it, tried or not
  std::vector<RolloutNode> nodes;    ///< in the order of the file, then by name
  std::vector<std::string> skipped;  ///< this node does not wait for: "spark3: in repair"
};

/// Some node tries the new file or waits with it. Else nothing but the order of the file says that
/// the others will take it.
inline bool is_under_way(const RolloutView& rollout) {
  return std::ranges::any_of(rollout.nodes, [](const RolloutNode& node) {
    return node.step == RolloutStep::kTries || node.step == RolloutStep::kWaits;
  });
}

template <EitherConst<RolloutView> T, class Visit>
void each_field(T& rollout, Visit visit) {
  visit("from", rollout.from);
  visit("to", rollout.to);
  visit("has", rollout.has);
  visit("nodes", rollout.nodes);
  visit("skipped", rollout.skipped);
}

}  // namespace spark::cluster
