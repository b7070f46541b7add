#pragma once
// What a problem can be beside a fact of the gate, and the rank of each.

#include <string_view>

#include "base/sentence.hpp"
#include "diagnosis/problem.hpp"

namespace spark::diagnosis {

/// Of the NVMe host identity on a disk that was copied.
inline constexpr std::string_view kHostNqnId = "SR-NVME-016";

// Names of problems that have no id, or share one. What was measured is a sentence of its own.
inline constexpr std::string_view kCopy = "copy";          ///< a disk that another node has too
inline constexpr std::string_view kOtherHost = "has";      ///< an address of another node
inline constexpr std::string_view kPlug = "plug";          ///< in the wrong cage, as others find
inline constexpr std::string_view kSwitch = "switch";      ///< where the file has cables
inline constexpr std::string_view kHearsNobody = "hears";  ///< who is silent is not known then
inline constexpr std::string_view kVerdict = "is";         ///< why it is so, as its daemon says
inline constexpr std::string_view kDiffers = "differs";    ///< from the file
inline constexpr std::string_view kSaid = "says";          ///< a node of an older version
inline constexpr std::string_view kUntold = "untold";      ///< not ready, and nobody knows why
inline constexpr std::string_view kSilent = "silent";
inline constexpr std::string_view kNoRdma = "no rdma";  ///< at an end that told of no problem of it
inline constexpr std::string_view kNoWay = "way";  ///< neither echo nor RDMA, and nobody says why
inline constexpr std::string_view kOtherFile = "file";
inline constexpr std::string_view kOtherVersion = "version";
inline constexpr std::string_view kUnfinished = "unfinished apply";
inline constexpr std::string_view kUnfinishedId = "SR-JOURNAL-001";
/// Of a file for all nodes.
inline constexpr std::string_view kMixed = "kept by some";
inline constexpr std::string_view kMixedId = "SR-ALL-001";
inline constexpr std::string_view kRefusedFile = "refused file";
inline constexpr std::string_view kRefusal = "refusal";  ///< of all changes, by a guard
inline constexpr std::string_view kPass = "pass";        ///< that could not look at the node
inline constexpr std::string_view kRollout = "roll-out";
inline constexpr std::string_view kMovedGid = "moved gid";
inline constexpr std::string_view kReceiver = "receiver";  ///< of alerts
// What `doctor` finds beside them.
inline constexpr std::string_view kFileThere = "cluster file";  ///< as it lies in its place
inline constexpr std::string_view kPlan = "plan";  ///< of that file: not made, or refused
inline constexpr std::string_view kNoDaemon = "daemon";
inline constexpr std::string_view kReleased = "released";  ///< nothing is set for now
inline constexpr std::string_view kLedger = "ledger";
inline constexpr std::string_view kKernel = "kernel";
inline constexpr std::string_view kKho = "kho";

/// What was measured says it all: "silent; last heard ready".
bool is_sentence(const Problem& problem);
/// That, or "mtu of enp1s0f0np0: 1500, the file says 9000".
Sentence sentence_of(const Problem& problem);

/// A cable that is only not proven is a relation. Any other name than of a fact of the gate, as
/// that of a kind of resource, is aside.
Rank rank_of(const Problem& problem);

/// No fact of the gate, nor of others: it hinders this program, or is aside.
bool is_of_this_node_alone(const Problem& problem);

}  // namespace spark::diagnosis
