#pragma once
// wrong_facts: the facts of a report that people are told of.

#include <string>
#include <vector>

#include "gate/common/facts.hpp"

namespace spark::gate {

struct WrongFact {
  std::string link;  ///< empty: of the node
  Fact fact;
};

/// Those that do not hold, in the order of the gate. What is not known yet is none, unless the
/// verdict takes it for one.
std::vector<WrongFact> wrong_facts(const GateReport& report);

}  // namespace spark::gate
