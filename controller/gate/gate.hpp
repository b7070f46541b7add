#pragma once
// gate: is this node ready? Only if all of several independent facts hold: one alone can hold on a
// node that is not ready. A loopback passes with the cable out, at MTU 1500, and as root with
// hardly any memory to lock.

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/fields.hpp"
#include "config/node.hpp"
#include "gate/common/facts.hpp"
#include "host/host.hpp"
#include "host/view.hpp"

namespace spark::gate {

// The JSON of a gate's report, one for all that print it.

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

/// Looks at every rail that the file gives an address, and moves bytes over each through
/// `host.probe`. Blocks for as long as that takes, at most the file's deadline a rail.
GateReport judge(host::Host& host, host::View& view, const config::Node& node,
                 const GateOptions& options);

/// Of the rails, only what the kernel's tables show: nobody is asked, and no byte is moved.
std::vector<RailFacts> rails_in_tables(host::Host& host, host::View& view,
                                       const config::Node& node);

/// All facts that the gate knows, in the order in which it reports them.
std::vector<FactKind> fact_kinds();

/// Takes over what the daemon has found out about the cables, and a look that is made once has not:
/// who answers where the right peer does not, and whether another host has our address.
void keep_cabling(const GateReport& of_daemon, GateReport& report);

/// Adds to the report of a light look what only an earlier, deeper look measured. True: some of
/// that did not hold, so another deep look is due.
bool keep_measured(const GateReport& earlier, GateReport& report);

}  // namespace spark::gate
