#include "jobs/look.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/moment.hpp"

namespace spark::jobs {
namespace {

bool is_rail_of(const config::Node& node, const std::string& link) {
  const auto wanted = node.links.find(link);
  return wanted != node.links.end() && wanted->second.rdma &&
         wanted->second.role != config::LinkRole::kUnused;
}

std::optional<config::Rail> place_of(const config::Node* node, const std::string& link) {
  if (node != nullptr) {
    const auto wanted = node->links.find(link);
    if (wanted != node->links.end() && wanted->second.rail) return wanted->second.rail;
  }
  return config::rail_of_dgx_name(link);
}

RailSnapshot look_at(const host::LinkInfo& link, const config::Node* node, host::View& view,
                     host::Rdma& rdma) {
  RailSnapshot look{.link = link.name,
                    .device = "",
                    .rail = place_of(node, link.name),
                    .in_file = node == nullptr || is_rail_of(*node, link.name),
                    .has_carrier = link.carrier,
                    .link_index = link.index,
                    .counters = {},
                    .queue_pairs = {},
                    .unknown = ""};
  std::uint32_t number = 0;
  if (const auto& ports = view.rdma_ports(); !ports) {
    look.unknown = ports.error().what;
  } else if (const auto* const port = view.rdma_port(link); port != nullptr) {
    look.device = port->device;
    number = port->port;
    auto users = view.rdma_users(*port);
    if (users) {
      look.queue_pairs = *std::move(users);
    } else if (users.error().code != ErrorCode::kNotFound) {  // else the device has just gone
      look.unknown = users.error().what;
    }
  }
  look.counters = rdma.counters(look.device, number, link.name);
  return look;
}

/// Of the rails of the file those that the kernel does not have.
void add_absent(const config::Node& node, Snapshot& look) {
  for (const auto& [name, wanted] : node.links) {
    const bool is_seen =
        std::ranges::find(look.rails, name, &RailSnapshot::link) != look.rails.end();
    if (is_seen || !is_rail_of(node, name)) continue;
    look.rails.push_back({.link = name,
                          .device = "",
                          .rail = wanted.rail,
                          .in_file = true,
                          .has_carrier = false,
                          .link_index = 0,
                          .counters = {},
                          .queue_pairs = {},
                          .unknown = ""});
  }
}

/// With all that it descends from, as far as that can be read.
void add_process(std::uint32_t pid, host::Processes& processes, SeenProcesses& seen) {
  while (pid > 1 && !seen.contains(pid)) {
    const auto process = processes.process(pid);
    if (!process || !*process) return;
    const auto place = processes.place(pid);
    seen.emplace(pid, SeenProcess{.process = **process, .place = place});
    pid = place ? place->parent : 0;
  }
}

}  // namespace

Result<Snapshot> look_now(host::Host& host, const config::Node* node) {
  host::View view(host);
  const auto& links = view.links();
  if (!links) return std::unexpected(links.error());
  const auto& ports = view.rdma_ports();
  // Behind what takes long the first time: a rate is of the time between two reads of a counter.
  Snapshot look{.at = now().boot, .rails = {}};
  for (const auto& link : *links) {
    const bool has_device = ports && view.rdma_port(link) != nullptr;
    const bool is_rail = node != nullptr ? is_rail_of(*node, link.name) : link.carrier;
    if (!is_rail && !has_device) continue;
    if (node == nullptr && !has_device) continue;
    auto rail = look_at(link, node, view, host.rdma);
    if (is_rail || !rail.queue_pairs.empty()) look.rails.push_back(std::move(rail));
  }
  if (node != nullptr) add_absent(*node, look);
  // With rails, each has the reason; without any it would look as if there were no device.
  if (!ports && look.rails.empty()) return std::unexpected(ports.error());
  std::ranges::sort(look.rails, {}, [](const RailSnapshot& rail) {
    return std::tuple(!rail.rail, rail.rail.value_or(config::Rail{}), rail.link);
  });
  return look;
}

SeenProcesses processes_of(const Snapshot& look, host::Processes& processes) {
  SeenProcesses seen;
  for (const auto& rail : look.rails) {
    for (const auto pid : rail.queue_pairs) add_process(pid, processes, seen);
  }
  return seen;
}

std::map<std::string, std::vector<std::string>> peers_by_link(const config::Node* node) {
  std::map<std::string, std::vector<std::string>> peers;
  if (node == nullptr) return peers;
  for (const auto& peer : node->peers) peers[peer.link].push_back(peer.node);
  return peers;
}

}  // namespace spark::jobs
