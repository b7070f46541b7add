#include "cli/plan/node_changes.hpp"

#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "cli/json_output.hpp"
#include "config/model_spark.hpp"
#include "config/resolve/resolve.hpp"

namespace spark::cli {
namespace {

using Status = NodeChanges::Status;

bool has_node(const config::Cluster* cluster, const std::string& name) {
  return cluster != nullptr && cluster->nodes.contains(name);
}

Result<config::Node> model_node(const config::Cluster& cluster, const std::string& name) {
  const auto spec = cluster.nodes.find(name);
  return config::resolve(
      cluster, name,
      config::model_devices(spec == cluster.nodes.end() ? config::NodeSpec{} : spec->second));
}

/// A name of the model that stands for one that only the machine knows.
void note_stand_ins(const config::Node& node, const plan::Plan& plan,
                    std::vector<plan::Unknown>& unknown) {
  const bool shows_devices = std::ranges::any_of(
      plan.steps, [](const plan::Step& step) { return step.kind == "environment" && step.after; });
  for (const auto& [name, link] : node.links) {
    const auto stand_in = config::stand_in_for_rdma_of(name);
    if (shows_devices && link.rdma_port && link.rdma_port->device == stand_in) {
      unknown.push_back(
          {"link " + name, "the name of its RDMA device: '" + stand_in + "' stands for it"});
    }
  }
}

void compare_with(const config::Node& from, NodeChanges& changes) {
  auto found = plan::compare(from, changes.node);
  changes.plan.steps = std::move(found.steps);
  changes.unknown = std::move(found.unknown);
  const bool differs = !changes.plan.steps.empty() || !changes.unknown.empty();
  changes.status = differs ? Status::kChanged : Status::kSame;
  note_stand_ins(changes.node, changes.plan, changes.unknown);
}

Result<NodeChanges> changes_of(const config::Cluster* from, const config::Cluster& to,
                               const std::string& name) {
  auto node = model_node(has_node(from, name) && !has_node(&to, name) ? *from : to, name);
  if (!node) return std::unexpected(node.error());
  NodeChanges changes{.node = std::move(*node), .plan = {.node = name}};
  if (from == nullptr) return changes;
  if (!has_node(&to, name)) {
    changes.status = Status::kRemoved;
    return changes;
  }
  if (!has_node(from, name)) {
    compare_with(config::Node{.name = name}, changes);
    changes.status = Status::kAdded;
    changes.unknown = {{"", "what runs there now, and so what of this changes it"}};
    return changes;
  }
  const auto before = model_node(*from, name);
  if (!before) return std::unexpected(before.error());
  compare_with(*before, changes);
  return changes;
}

nlohmann::json link_json(const config::WantedLink& link) {
  auto addresses = nlohmann::json::array();
  for (const auto& address : link.addresses) addresses.push_back(address.value.text());
  return {{"name", link.name},
          {"up", link.up ? nlohmann::json(link.up->value) : nlohmann::json(nullptr)},
          {"mtu", link.mtu ? nlohmann::json(link.mtu->value) : nlohmann::json(nullptr)},
          {"addresses", std::move(addresses)}};
}

}  // namespace

std::string_view name_of(NodeChanges::Status status) {
  switch (status) {
    case Status::kNotCompared:
      return "not_compared";
    case Status::kSame:
      return "same";
    case Status::kChanged:
      return "changed";
    case Status::kAdded:
      return "added";
    case Status::kRemoved:
      return "removed";
  }
  return "not_compared";
}

Result<std::vector<NodeChanges>> changes_of_nodes(const config::Cluster* from,
                                                  const config::Cluster& to,
                                                  const std::string& only) {
  std::set<std::string> names;
  if (!only.empty()) {
    names.insert(only);
  } else {
    for (const auto* cluster : {&to, from}) {
      if (cluster == nullptr) continue;
      for (const auto& [name, spec] : cluster->nodes) names.insert(name);
    }
  }
  std::vector<NodeChanges> all;
  for (const auto& name : names) {
    auto changes = changes_of(from, to, name);
    if (!changes) return std::unexpected(changes.error());
    all.push_back(std::move(*changes));
  }
  return all;
}

nlohmann::json to_json(const NodeChanges& changes) {
  auto links = nlohmann::json::array();
  for (const auto& [name, link] : changes.node.links) links.push_back(link_json(link));
  nlohmann::json json{{"node", changes.node.name}, {"links", std::move(links)}};
  if (changes.status == Status::kNotCompared) return json;
  json["status"] = name_of(changes.status);
  json["steps"] = nlohmann::json::array();
  for (const auto& step : changes.plan.steps) json["steps"].push_back(to_json(step));
  json["unknown"] = nlohmann::json::array();
  for (const auto& unknown : changes.unknown) {
    json["unknown"].push_back(
        {{"resource",
          unknown.resource.empty() ? nlohmann::json(nullptr) : nlohmann::json(unknown.resource)},
         {"what", unknown.what}});
  }
  return json;
}

}  // namespace spark::cli
