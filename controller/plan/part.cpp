#include "plan/part.hpp"

namespace spark::plan {

Plan without_steps(Plan plan, const std::set<std::string>& left_out, const kinds::Ledger& ledger) {
  for (const auto& step : plan.steps) {
    if (left_out.contains(step.name())) keep_entry(plan.remember, step, ledger);
  }
  std::erase_if(plan.steps, [&](const Step& step) { return left_out.contains(step.name()); });
  return plan;
}

void keep_entry(kinds::Ledger& remember, const Step& left_out, const kinds::Ledger& ledger) {
  // Of what was never ours the new entry stays: it has what is there before us.
  const auto& known = kinds::entries_of(ledger, left_out.kind);
  if (const auto entry = known.find(left_out.key); entry != known.end()) {
    remember[std::string(left_out.kind)].insert_or_assign(left_out.key, entry->second);
  }
}

}  // namespace spark::plan
