#pragma once
// Facts of a ready node, each with its verdict, and the report that they make together.

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/exit_code.hpp"
#include "base/ip.hpp"
#include "protocol/detail.hpp"
#include "protocol/peers.hpp"
#include "protocol/problem.hpp"
#include "protocol/verdict.hpp"

namespace spark::gate {

using protocol::Detail;
using protocol::name_of;
using protocol::Plug;
using protocol::Verdict;

/// 0 ready, 3 not ready or waiting, 4 unknown.
ExitCode exit_code_of(Verdict verdict);

/// Whose state a fact tells beside that of this node.
enum class Reach : std::uint8_t {
  kNode,      ///< nobody's
  kOtherEnd,  ///< that of the other end of a cable
  kAllNodes,  ///< that of all nodes of the file
  kStorage,   ///< that of a target
};

/// What never changes about a fact.
struct FactKind {
  std::string_view id;    ///< SR-GATE-NNN
  std::string_view name;  ///< "mtu"
  /// A light look does not measure it, and keeps what an earlier look found.
  bool deep = false;
  Reach reach = Reach::kNode;
  /// It fails where a cable is pulled, at either end.
  bool goes_with_carrier = false;
  /// The kind of the resource that it compares with the file; empty: none.
  std::string_view compares;
};

/// One condition of a ready node.
struct Fact {
  Verdict verdict = Verdict::kUnknown;
  std::string id;        ///< SR-GATE-NNN
  std::string name;      ///< "carrier"
  std::string measured;  ///< what was seen, in words and figures
  std::string remedy;    ///< what to do; empty where it holds
  bool counts = true;    ///< false: reported, and no part of the verdict
  /// Of a fact of the node: the target or mount point that it is about; empty: the node.
  std::string subject;
  /// Of a fact that does not hold.
  std::optional<Detail> detail;
  /// Of a fact that does not hold: all others of the file that it is about. The text may leave some
  /// out.
  std::vector<std::string> peers;
  std::optional<Plug> plug;                ///< of a cable that is elsewhere: where it is
  std::vector<std::string> macs;           ///< of kDuplicate: of who has the address too
  std::optional<protocol::Action> action;  ///< empty: no command here fixes it
  Reach reach = Reach::kNode;
  bool goes_with_carrier = false;
  std::string_view compares;
};

Fact holds(const FactKind& kind, std::string measured);
/// Also for what could not be seen (`Verdict::kUnknown`).
Fact fails(const FactKind& kind, Verdict verdict, Detail detail, std::string measured,
           std::string remedy);
/// Not ready, and an apply fixes it.
Fact fails_until_apply(const FactKind& kind, Detail detail, std::string measured);
Fact about(std::string subject, Fact fact);

/// What is known of the other end of a rail's cable.
enum class CablingState : std::uint8_t {
  kNotProven,  ///< nobody answered, nobody was asked, or who answers is not clear
  kProven,     ///< the node that the file names answered, and the carrier has held since
  /// Another end of the file answered, and the right one did not; or the cable is in a cage of this
  /// node that the file does not name.
  kWrong,
};
inline constexpr std::array<std::string_view, 3> kCablingStates{"not_proven", "proven", "wrong"};
constexpr const auto& names_of(CablingState /*any*/) { return kCablingStates; }

struct Cabling {
  CablingState state = CablingState::kNotProven;
  Plug by;  ///< who answered, or where the cable is
  bool operator==(const Cabling&) const = default;
};

/// The facts of one address of one rail, in the order in which they depend on each other. After a
/// fact that does not hold, facts that need it are left out.
struct RailFacts {
  std::string link;
  std::string device;  ///< RDMA device; empty: none
  IpAddress ip;
  std::vector<Fact> facts;
  std::optional<std::uint32_t> gid_index;  ///< where the address's RoCE v2 GID stands now
  std::vector<IpAddress> answered;         ///< peers that answered an echo of any size
  std::vector<IpAddress> unanswered;       ///< peers that were asked and did not
  std::optional<Cabling> cabling;          ///< empty: nobody was asked over this rail
  /// What is known of the way to each peer, by its address; of a peer that is not there, nothing.
  std::map<IpAddress, protocol::Reach> reach;
  std::set<IpAddress> rdma_fails;  ///< peers with which RDMA was tried last without success

  void add(Fact fact) { facts.push_back(std::move(fact)); }
  /// The first fact of that kind; null: it was left out.
  [[nodiscard]] const Fact* find(std::string_view id) const;
};

/// The facts that reach beyond this node.
inline constexpr FactKind kPeersFact{
    .id = "SR-GATE-011", .name = "peers", .reach = Reach::kOtherEnd};
inline constexpr FactKind kCablingFact{
    .id = "SR-GATE-016", .name = "cabling", .reach = Reach::kOtherEnd};
inline constexpr FactKind kPeerRdmaFact{
    .id = "SR-GATE-019", .name = "rdma", .reach = Reach::kOtherEnd};
inline constexpr FactKind kSameFileFact{
    .id = "SR-GATE-020", .name = "same file", .reach = Reach::kAllNodes};
inline constexpr std::string_view kRemedyOfOtherFile =
    "put the same file on all nodes, then `spark-reconcile apply` there; where they follow a "
    "repository, `spark-reconcile sync`";
inline constexpr FactKind kPeerMtuFact{
    .id = "SR-GATE-021", .name = "peer mtu", .reach = Reach::kOtherEnd};

/// It does not hold. What is not known yet is none, unless it counts.
bool is_wrong(const Fact& fact);
protocol::Problem problem_of(const Fact& fact, std::string_view link);
/// A fact as a reason: "mtu of enp1s0f0np0: 1500, the file says 9000 [SR-GATE-002]". Without a link
/// it is a fact of the node.
std::string reason_text(const Fact& fact, std::string_view link = {});

/// So many peers a fact names; of more it says how many.
inline constexpr std::size_t kNamedPeers = 3;
/// "spark2 …; spark3 …; spark4 …; and 2 more".
std::string named_peers(const std::vector<std::string>& texts);

struct GateReport {
  std::vector<RailFacts> rails;
  std::vector<Fact> node;  ///< facts of the node as a whole
  /// What a new service may lock, bytes; kUnlimited. Empty: it was not measured.
  std::optional<std::uint64_t> service_memlock;

  /// The most severe verdict of all facts: not ready, waiting, unknown, ready.
  [[nodiscard]] Verdict verdict() const;
  [[nodiscard]] ExitCode exit_code() const { return exit_code_of(verdict()); }
  /// The first fact that makes the verdict what it is, and its link. Null: the node is ready.
  struct Decisive {
    const Fact* fact = nullptr;
    std::string_view link;  ///< empty: a fact of the node
  };
  [[nodiscard]] Decisive decisive() const;
  /// The reason_text() of that fact. Of a ready node: what the verdict proves.
  [[nodiscard]] std::string why() const;
};

/// What does not hold and counts, the worst first.
std::vector<protocol::Problem> reasons_of(const GateReport& report);

class CablingMemory;

struct GateOptions {
  enum class Depth : std::uint8_t {
    kLight,   ///< no bandwidth, and no service is started: cheap enough to repeat
    kNormal,  ///< bandwidth where the file names a floor, and no job uses the device
    kFull,    ///< bandwidth always
  };
  Depth depth = Depth::kNormal;
  /// What earlier looks found out about the cables. Null: there were none, and only the peers of
  /// the file are asked.
  CablingMemory* cabling = nullptr;
  /// Called before each check, with what it looks at: "enp1s0f0np0: loopback".
  std::function<void(const std::string& what)> begins = [](const std::string&) {};
};

}  // namespace spark::gate
