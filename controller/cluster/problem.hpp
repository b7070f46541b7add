#pragma once
// Problem: one thing that is wrong with a node of a cluster, or between two of them.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/fields.hpp"
#include "protocol/detail.hpp"

namespace spark::cluster {

/// The most basic first: a problem is explained only by one of an earlier sort, or of its own.
enum class Sort : std::uint8_t {
  kTwice,     ///< two machines with one number or one identity
  kCable,     ///< a cable leads elsewhere
  kNode,      ///< a node lacks something
  kSilent,    ///< a node is not heard
  kRelation,  ///< what a node finds of its peers
  kFile,      ///< a node has another file
  kVersion,   ///< a node runs another version
};

struct Problem {
  Sort sort = Sort::kNode;
  std::string node;
  std::string link;                        ///< empty: the node as a whole, or not known
  std::string id;                          ///< SR-…; empty: it has none
  std::optional<protocol::Detail> detail;  ///< kNoAnswer of a kSilent: it was heard before
  std::string what;                        ///< one clause
  std::set<std::string> about;             ///< other nodes; of a kTwice: who is the same
  std::vector<std::string> macs;           ///< of who has an address of the node
  std::string command;                     ///< what to type next
  bool hears_nobody = false;               ///< the node; who is silent is not known then
  bool is_untold = false;                  ///< the node is not ready, and nobody knows why
  std::set<std::string> more;              ///< other links of the node with the same fault
  int follows = 0;                         ///< problems that this one explains
  std::string cause;  ///< the node of the problem that explains it; empty: it is a cause
};

/// Of a cause, what is told outside.
template <EitherConst<Problem> T, class Visit>
void each_field(T& cause, Visit visit) {
  visit("node", cause.node);
  visit("link", cause.link);
  visit("id", cause.id);
  visit("what", cause.what);
  visit("follows", cause.follows);
  visit("command", cause.command);
}

/// "mtu of eth0: 1500, the file says 9000 [SR-GATE-002]".
std::string text_of(const Problem& problem);
/// The same with "; 1 more of its rails" and "(and 3 that follow)".
std::string text_with_effects(const Problem& problem);

}  // namespace spark::cluster
