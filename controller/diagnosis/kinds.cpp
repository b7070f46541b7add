#include "diagnosis/kinds.hpp"

#include <algorithm>
#include <array>

#include "gate/checks/checks.hpp"
#include "gate/common/facts.hpp"

namespace spark::diagnosis {
namespace {

struct RankRow {
  std::string_view id;  ///< empty: of any
  std::string_view name;
  Rank rank{};
};

constexpr std::array kSentences{kCopy,        kOtherHost, kPlug,      kSwitch,       kHearsNobody,
                                kVerdict,     kDiffers,   kSaid,      kUntold,       kSilent,
                                kNoRdma,      kNoWay,     kOtherFile, kOtherVersion, kUnfinished,
                                kRefusedFile, kRefusal,   kPass,      kRollout,      kMovedGid,
                                kReceiver,    kMixed};

/// All other facts of the gate are of the node.
constexpr std::array kRanks{
    RankRow{kUnfinishedId, kUnfinished, Rank::kHindered},
    RankRow{"", kPass, Rank::kHindered},
    RankRow{"", kRefusal, Rank::kHindered},
    RankRow{"", kRefusedFile, Rank::kHindered},
    RankRow{"", kFileThere, Rank::kHindered},
    RankRow{"", kPlan, Rank::kHindered},
    RankRow{"", kNoDaemon, Rank::kHindered},
    RankRow{"", kReleased, Rank::kHindered},
    RankRow{"", kLedger, Rank::kHindered},
    RankRow{gate::kOneHostFact.id, gate::kOneHostFact.name, Rank::kTwice},
    RankRow{"", kCopy, Rank::kTwice},
    RankRow{kHostNqnId, "", Rank::kTwice},
    RankRow{gate::kCablingFact.id, gate::kCablingFact.name, Rank::kCable},
    RankRow{"", kHearsNobody, Rank::kNode},
    RankRow{"", kVerdict, Rank::kNode},
    RankRow{"", kDiffers, Rank::kNode},
    RankRow{"", kSaid, Rank::kNode},
    RankRow{"", kUntold, Rank::kNode},
    RankRow{"", kNoRdma, Rank::kNode},
    RankRow{"", kSilent, Rank::kSilent},
    RankRow{gate::kPeersFact.id, gate::kPeersFact.name, Rank::kRelation},
    RankRow{gate::kPeerRdmaFact.id, gate::kPeerRdmaFact.name, Rank::kRelation},
    RankRow{gate::kPeerMtuFact.id, gate::kPeerMtuFact.name, Rank::kRelation},
    RankRow{"", kNoWay, Rank::kRelation},
    RankRow{gate::kSameFileFact.id, gate::kSameFileFact.name, Rank::kFile},
    RankRow{"", kOtherFile, Rank::kFile},
    RankRow{"", kOtherVersion, Rank::kVersion},
};

/// No fact of the gate, which has others than these in a newer version. Of an older node there is a
/// text, and nothing else.
bool is_beside_the_gate(const protocol::Problem& found) {
  return !found.name.empty() && !found.id.starts_with("SR-GATE-");
}

}  // namespace

bool is_sentence(const Problem& problem) {
  return std::ranges::find(kSentences, problem.found.name) != kSentences.end();
}

Sentence sentence_of(const Problem& problem) {
  return Sentence(is_sentence(problem) ? problem.found.measured : problem.found.text());
}

Rank rank_of(const Problem& problem) {
  const auto& found = problem.found;
  // The link has no carrier for it, and its peer is silent.
  const bool is_wrong_plug =
      found.id == gate::kLinkFact.id && found.detail == protocol::Detail::kOtherCage;
  if (is_wrong_plug) return Rank::kCable;
  const auto* const row = std::ranges::find_if(kRanks, [&found](const RankRow& other) {
    return other.id.empty() ? found.name == other.name : found.id == other.id;
  });
  if (row == kRanks.end()) return is_beside_the_gate(found) ? Rank::kAside : Rank::kNode;
  const bool is_unproven =
      row->rank == Rank::kCable && problem.verdict != protocol::Verdict::kNotReady;
  return is_unproven ? Rank::kRelation : row->rank;
}

bool is_of_this_node_alone(const Problem& problem) {
  const auto rank = rank_of(problem);
  return rank == Rank::kHindered || rank == Rank::kAside;
}

}  // namespace spark::diagnosis
