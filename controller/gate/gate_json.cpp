#include "gate/gate_json.hpp"

#include <nlohmann/json.hpp>

#include "base/json_writer.hpp"

namespace spark::gate {

nlohmann::json to_json(const GateReport& report) {
  auto json = TextJsonWriter::write(report);
  json["verdict"] = name_of(report.verdict());
  return json;
}

}  // namespace spark::gate
