#include "gate/gate_json.hpp"

#include <nlohmann/json.hpp>

#include "base/json_document.hpp"
#include "base/json_writer.hpp"

namespace spark::gate {

template <EitherConst<Fact> T, class Visit>
void each_field(T& fact, Visit visit) {
  visit("verdict", fact.verdict);
  visit("id", fact.id);
  visit("name", fact.name);
  visit("measured", fact.measured);
  visit("remedy", fact.remedy);
  visit("counts", fact.counts);
}

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

Result<GateReport> report_from_json(const nlohmann::json& json) {
  return value_from<GateReport>(json);
}

nlohmann::json to_json(const GateReport& report) {
  auto json = TextJsonWriter::write(report);
  json["verdict"] = name_of(report.verdict());
  return json;
}

}  // namespace spark::gate
