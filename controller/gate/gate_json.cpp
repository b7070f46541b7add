#include "gate/gate_json.hpp"

#include <utility>

#include <nlohmann/json.hpp>

namespace spark::gate {
namespace {

nlohmann::json to_json(const Fact& fact) {
  return {{"verdict", name_of(fact.verdict)}, {"id", fact.id},         {"name", fact.name},
          {"measured", fact.measured},        {"remedy", fact.remedy}, {"counts", fact.counts}};
}

}  // namespace

nlohmann::json to_json(const GateReport& report) {
  nlohmann::json json{{"verdict", name_of(report.verdict())},
                      {"rails", nlohmann::json::array()},
                      {"facts", nlohmann::json::array()}};
  for (const auto& rail : report.rails) {
    nlohmann::json one{{"link", rail.link},
                       {"device", rail.device},
                       {"address", rail.ip.text()},
                       {"facts", nlohmann::json::array()}};
    for (const auto& fact : rail.facts) {
      one["facts"].push_back(to_json(fact));
    }
    json["rails"].push_back(std::move(one));
  }
  for (const auto& fact : report.node) {
    json["facts"].push_back(to_json(fact));
  }
  return json;
}

}  // namespace spark::gate
