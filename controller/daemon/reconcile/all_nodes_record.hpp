#pragma once
// AllNodesRecord: what this node keeps of an offer of one file for all nodes, so that its promises
// and timers outlive the daemon and the machine.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "all_nodes/machine.hpp"
#include "base/moment.hpp"
#include "base/result.hpp"
#include "host/files.hpp"
#include "protocol/board.hpp"

namespace spark::daemon {

/// With less left than this no decision is made: it would not reach everybody before the first
/// timer ends, clocks that drift included.
constexpr std::chrono::seconds kDecisionMargin{20};
/// Of a whole `within` that is shorter than three times that (tests, and who is in a hurry).
constexpr std::chrono::milliseconds margin_of(std::chrono::milliseconds within) {
  return std::min<std::chrono::milliseconds>(kDecisionMargin, within / 3);
}
/// Before a node begins to apply, and before an origin goes back, for the others to hear it too:
/// what it changes may cut them off.
constexpr std::chrono::seconds kHeardRest{5};
/// What is on disk, so that timers go on.
struct AllNodesRecord {
  all_nodes::State state;
  std::uint64_t number = 0;  ///< of what was said last
  std::string nonce;
  std::string former_nonce;        ///< who offers may not have heard of the other one yet
  std::vector<std::string> taken;  ///< offers that this node took part in last: never once more
  std::optional<all_nodes::Offer> offer;  ///< of the part
  /// That it is kept, as its origin said: who went without it hears it from this node too.
  std::optional<protocol::Signed> decision;
  std::string boot_id;                    ///< in which the times below count, by the boot clock
  std::chrono::milliseconds taken_at{0};  ///< the part
  std::chrono::milliseconds went_at{0};   ///< the origin said go
  /// Until when an origin tells that it kept its file: no node that stayed on waits any more.
  std::chrono::milliseconds tells_until{0};
  std::chrono::milliseconds began_at{0};   ///< this node's timer began
  std::chrono::milliseconds turned_at{0};  ///< it heard, or decided, that all go back
  bool operator==(const AllNodesRecord&) const = default;
};

/// Empty: none is there. Errors: kInvalid: it is damaged, and kept aside; those of the files port.
Result<std::optional<AllNodesRecord>> read_all_nodes(host::Files& files);
/// Durably. Errors: those of the files port.
Result<> write_all_nodes(host::Files& files, const AllNodesRecord& record);

/// Empty: there is none.
const std::string& id_of(const auto& part_or_led) {
  static const std::string kNone;
  return part_or_led ? part_or_led->terms.id : kNone;
}
/// The offer that is led here and not decided; null: none is.
const all_nodes::Led* undecided(const all_nodes::State& state);
/// This node's timer runs: it has begun, and nobody has decided.
bool is_timed(const all_nodes::State& state);
std::chrono::milliseconds within_of(const AllNodesRecord& record);
/// When that timer ends, by the boot clock.
std::chrono::milliseconds timer_ends(const AllNodesRecord& record);
/// Until when the origin may decide to keep it.
std::chrono::milliseconds decision_ends(const AllNodesRecord& record);

}  // namespace spark::daemon
