#pragma once
// What the verbs with --all ask of this node's daemon. How it goes is in NodeState::all_nodes.

#include <array>
#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/fields.hpp"

namespace spark::protocol {

/// For root alone, since it holds a cluster file. The daemon removes it once the offer has ended.
inline constexpr const char* kAllNodesAskFile = "/run/spark-reconcile/all-nodes-ask.json";
inline constexpr const char* kAllNodesAskSchema = "spark-reconcile/all-nodes-ask/v1";

enum class AllNodesWish : std::uint8_t {
  kOffer,    ///< offer it, and wait for the answers
  kApprove,  ///< they are good: apply it
  kCancel,   ///< go back, unless it is decided
};

inline constexpr std::array<std::string_view, 3> kAllNodesWishes = {"offer", "approve", "cancel"};
constexpr const auto& names_of(AllNodesWish /*any*/) { return kAllNodesWishes; }

/// Until when somebody has to approve, from the ask on; then it is cancelled.
inline constexpr std::chrono::minutes kApproveWithin{5};
/// For so long a node may take to answer.
inline constexpr std::chrono::seconds kAnswerWithin{30};
/// Of `--within`.
inline constexpr std::chrono::seconds kLeastWithin{20};
inline constexpr std::chrono::minutes kUsualWithin{2};
inline constexpr std::chrono::minutes kMostWithin{30};

struct AllNodesAsk {
  std::string id;  ///< of the offer, made by who asks: 32 hexadecimal digits
  AllNodesWish wish = AllNodesWish::kOffer;
  std::string by;                ///< user
  std::string text;              ///< the cluster file that all are to have
  std::set<std::string> except;  ///< nodes that take no part
  std::chrono::milliseconds within{kUsualWithin};
  std::string change_id;  ///< `--change-id`; empty: none was given
  std::string rejects;    ///< digest of the file that is rolled back with it; empty: none
  bool operator==(const AllNodesAsk&) const = default;
};

template <EitherConst<AllNodesAsk> T, class Visit>
void each_field(T& ask, Visit visit) {
  visit("id", ask.id);
  visit("wish", ask.wish);
  visit("by", ask.by);
  visit("text", ask.text);
  visit("except", ask.except);
  visit("within_ms", ask.within);
  visit("change_id", may_lack(ask.change_id));
  visit("rejects", may_lack(ask.rejects));
}

}  // namespace spark::protocol
