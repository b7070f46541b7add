#include "gate/common/wrong_facts.hpp"

namespace spark::gate {

std::vector<WrongFact> wrong_facts(const GateReport& report) {
  std::vector<WrongFact> facts;
  const auto add = [&](const Fact& fact, const std::string& link) {
    const bool is_wrong =
        fact.verdict == Verdict::kNotReady || (fact.verdict != Verdict::kReady && fact.counts);
    if (is_wrong) facts.push_back({.link = link, .fact = fact});
  };
  for (const auto& rail : report.rails) {
    for (const auto& fact : rail.facts) add(fact, rail.link);
  }
  for (const auto& fact : report.node) add(fact, "");
  return facts;
}

}  // namespace spark::gate
