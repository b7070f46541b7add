#pragma once
// Problem: one thing that is wrong with a node, as a value that programs compare and nodes tell
// each other. Its sentence is made last, and people alone read it.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/fields.hpp"
#include "protocol/detail.hpp"

namespace spark::protocol {

/// A cage of a node: where a cable is plugged in. An empty node is nobody.
struct Plug {
  std::string node;
  std::optional<int> cage;  ///< empty: not known which one
  /// "spark1:0", as `ends` of the file has it; "spark1" where the cage is not known.
  [[nodiscard]] std::string text() const {
    return cage ? node + ":" + std::to_string(*cage) : node;
  }
  bool operator==(const Plug&) const = default;
};

template <EitherConst<Plug> T, class Visit>
void each_field(T& plug, Visit visit) {
  visit("node", plug.node);
  visit("cage", plug.cage);
}

/// A newer version may have ids and details that this one does not know.
struct Problem {
  std::string id;    ///< SR-GATE-NNN
  std::string name;  ///< of what does not hold: "mtu"
  std::optional<Detail> detail;
  std::string link;                ///< empty: it is of the node
  std::string subject;             ///< the target or mount point that it is about; empty: none
  std::vector<std::string> peers;  ///< all others of the file that it is about
  std::optional<Plug> plug;        ///< of a cable that is elsewhere: where it is
  std::vector<std::string> macs;   ///< of kDuplicate: of who has the address too
  std::string measured;            ///< what was seen, in words and figures
  bool operator==(const Problem&) const = default;

  /// "mtu of enp1s0f0np0: 1500, the file says 9000".
  [[nodiscard]] std::string text() const {
    return (link.empty() ? name : name + " of " + link) + ": " + measured;
  }
};

/// Of more, a node tells none.
inline constexpr std::size_t kMostProblems = 8;

template <EitherConst<Problem> T, class Visit>
void each_field(T& problem, Visit visit) {
  visit("id", problem.id);
  visit("name", may_lack(problem.name));
  visit("detail", if_known(problem.detail));
  visit("link", unless_empty(problem.link));
  visit("subject", unless_empty(problem.subject));
  visit("peers", unless_empty(problem.peers));
  visit("plug", unless_empty(problem.plug));
  visit("macs", unless_empty(problem.macs));
  visit("measured", may_lack(problem.measured));
}

}  // namespace spark::protocol
