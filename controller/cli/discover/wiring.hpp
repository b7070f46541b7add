#pragma once
// wiring_of: which cages are joined to which, from what all nodes hear.

#include <string>
#include <vector>

#include "protocol/discover.hpp"

namespace spark::cli {

/// A cage that is joined to none.
struct LonelyCage {
  protocol::CageEnd end;
  protocol::CageState state = protocol::CageState::kDown;
  bool operator==(const LonelyCage&) const = default;
};

struct Wiring {
  /// The ends that hear each other, sorted: two are a cable, more are a switch. Two nodes at a
  /// switch look like a cable, and can be used as one.
  std::vector<std::vector<protocol::CageEnd>> segments;
  std::vector<std::string> nodes;  ///< sorted
  std::vector<LonelyCage> lonely;  ///< sorted
  /// Why no file can be written of it, as clauses; empty: one can, once all nodes are there.
  std::vector<std::string> problems;
  bool operator==(const Wiring&) const = default;

  /// A file can be written of it.
  [[nodiscard]] bool is_whole() const { return problems.empty() && !segments.empty(); }
};

/// Pure. A cable counts where both ends hear each other; what one end alone hears is a problem.
Wiring wiring_of(const std::vector<protocol::NodeRecord>& nodes);

/// "spark1:0", as the file has it.
std::string text_of(const protocol::CageEnd& end);

}  // namespace spark::cli
