#pragma once
// The JSON of a gate's report, one for all that print it.

#include <nlohmann/json_fwd.hpp>

#include "base/fields.hpp"
#include "gate/gate.hpp"

namespace spark::gate {

template <EitherConst<Cabling> T, class Visit>
void each_field(T& cabling, Visit visit) {
  visit("state", cabling.state);
  visit("by", cabling.by);
}

template <EitherConst<Fact> T, class Visit>
void each_field(T& fact, Visit visit) {
  visit("verdict", fact.verdict);
  visit("id", fact.id);
  visit("name", fact.name);
  visit("measured", fact.measured);
  visit("remedy", fact.remedy);
  visit("counts", fact.counts);
  visit("subject", unless_empty(fact.subject));
  visit("detail", unless_empty(fact.detail));
  visit("peers", unless_empty(fact.peers));
  visit("plug", unless_empty(fact.plug));
  visit("macs", unless_empty(fact.macs));
  visit("action", unless_empty(fact.action));
}

/// What the facts were found with stays in the process that looked.
template <EitherConst<RailFacts> T, class Visit>
void each_field(T& rail, Visit visit) {
  visit("link", rail.link);
  visit("device", rail.device);
  visit("address", rail.ip);
  visit("facts", rail.facts);
}

template <EitherConst<GateReport> T, class Visit>
void each_field(T& report, Visit visit) {
  visit("rails", report.rails);
  visit("facts", report.node);
}

/// The verdict, the rails and the facts of the node, as schema/output/gate.schema.json has them.
nlohmann::json to_json(const GateReport& report);

}  // namespace spark::gate
