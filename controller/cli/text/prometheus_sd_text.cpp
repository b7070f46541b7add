#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json_document.hpp"
#include "cli/text/export_text.hpp"
#include "config/agent.hpp"
#include "config/resolve/nodes.hpp"

namespace spark::cli {
namespace {

/// How Prometheus reaches it: never over a rail, which has other things to do.
std::string target_of(const std::string& name, const config::NodeSpec& node) {
  const auto port = config::Agent{}.listen.value.port;
  if (const auto address = config::management_address(node)) {
    return config::text_of(config::Endpoint{*address, port});
  }
  return fmt::format("{}:{}", name, port);
}

}  // namespace

std::string prometheus_sd_text(const config::Cluster& cluster) {
  auto groups = nlohmann::json::array();
  for (const auto& [name, node] : cluster.nodes) {
    nlohmann::json labels = {{"instance", name}, {"__meta_spark_reconcile_cluster", cluster.name}};
    if (node.number) labels["__meta_spark_reconcile_number"] = std::to_string(node.number->value);
    groups.push_back({{"targets", {target_of(name, node)}}, {"labels", std::move(labels)}});
  }
  return json_text(groups, 2) + "\n";
}

}  // namespace spark::cli
