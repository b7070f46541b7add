#pragma once
// CableRound: the questions about the cables in one look at the gate, what their answers mean, and
// what a person reads of a cable's other end.

#include <set>
#include <string>
#include <vector>

#include "config/node.hpp"
#include "gate/common/cabling_memory.hpp"
#include "gate/common/check.hpp"
#include "gate/common/facts.hpp"
#include "host/neighbours.hpp"
#include "protocol/peers.hpp"

namespace spark::gate {

/// Where a cable is at this node, and where the file has its other end.
struct CablePlugs {
  Plug ours;
  Plug expected;  ///< of a switch: any of its ends
};

/// The cable leads to another end of the file: names both, and which plugs to swap.
Fact wrong_cable(const config::Node& node, const CablePlugs& plugs, const Plug& found);

/// The other nodes of the file that are heard on that link at the same time. A cable has one other
/// end, so more than one are connected by a switch. Of a cable that was moved, who was heard before
/// is heard no more when the next one is.
std::set<std::string> heard_at_once(const std::vector<protocol::HeardHello>& heard,
                                    const config::Node& node, const std::string& link);

/// Several nodes are heard where the file has a cable. It closes nothing: the peer answers.
Fact switch_for_cable(const CablePlugs& plugs, const std::set<std::string>& others);

/// One rail whose cable is looked at.
struct CableObservation {
  RailFacts* rail = nullptr;
  const host::LinkInfo* link = nullptr;
  std::vector<const config::Peer*> peers;  ///< of this rail, at least one
  CablePlugs plugs;
  RailMemory* known = nullptr;
  bool is_cable = false;  ///< and no switch
  bool asks_peers = false;
  bool asks_others = false;
  bool asks_own = false;
  bool is_found = false;  ///< where its cable leads instead was found in this look
};

/// The rules: the peers of the file are asked from our own address, which moves no table of theirs.
/// Only over a cable, where they are silent, all other ends of the file are asked from 0.0.0.0:
/// ten seconds after the carrier at the earliest, when nobody sets up the address that is asked
/// for, three times within five minutes at most, and never beside a job. Who else has our own
/// address is asked in the same way, and again when a peer falls silent or answers again: who has
/// taken our address cannot answer us.
class CableRound {
 public:
  CableRound(const GateSnapshot& snapshot, CablingMemory& memory);

  /// Asks what is due of all rails at once. Errors: those of Probe::neighbours.
  Result<> run(std::vector<CableObservation>& looks);

 private:
  struct Asked {
    CableObservation* look;
    Plug plug;
    host::NeighbourQuestion question;
    std::vector<host::MacAddress> macs;
    std::string refused;  ///< why nobody was asked; empty: the question was sent
  };

  void decide(CableObservation& look);
  void decide_on_own(CableObservation& look);
  /// True: it may be asked now. Else the memory knows when to look again, if ever.
  bool is_due(const RailMemory& known, const RareQuestion& question);
  bool is_in_use(const CableObservation& look);
  Result<> send(std::vector<Asked>& asked);
  Result<> ask_peers(std::vector<CableObservation>& looks);
  Result<> ask_for_proxies(const std::vector<Asked>& answered);
  Result<> ask_rarely(std::vector<CableObservation>& looks);
  void add_peers(CableObservation& look, std::vector<Asked>& asked);
  void add_others(CableObservation& look, std::vector<Asked>& asked);
  void judge_peers(CableObservation& look, const std::vector<Asked>& asked);
  void judge_others(CableObservation& look, const std::vector<Asked>& asked);
  void judge_own(CableObservation& look, const Asked& asked);
  static void compare_rails(std::vector<CableObservation>& looks);
  static void join_loops(std::vector<CableObservation>& looks);
  /// Who answered, but for this machine: its rails hear each other's questions.
  [[nodiscard]] std::vector<host::MacAddress> others_of(const Asked& asked) const;
  [[nodiscard]] bool is_loop(const Asked& asked) const;
  [[nodiscard]] std::optional<host::MacAddress> mac_in_table(const host::LinkInfo& link,
                                                             const IpAddress& ip) const;

  const GateSnapshot& snapshot_;
  CablingMemory& memory_;
  bool asks_rarely_;
  std::set<host::MacAddress> ours_;
  std::vector<host::NeighbourInfo> table_;
};

}  // namespace spark::gate
