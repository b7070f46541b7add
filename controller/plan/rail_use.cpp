#include "plan/rail_use.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "kinds/common/lifelines.hpp"

namespace spark::plan {
namespace {

using Disturbs = kinds::Effect::Disturbs;

bool has_rdma_device(const host::LinkInfo& link, const config::Node& node, host::View& view) {
  if (view.rdma_ports()) return view.rdma_port(link) != nullptr;
  const auto wanted = node.links.find(link.name);
  return wanted != node.links.end() && wanted->second.rdma;
}

std::vector<host::RunningProcess> processes_of(std::vector<std::uint32_t> pids, host::View& view) {
  std::ranges::sort(pids);
  const auto doubles = std::ranges::unique(pids);
  pids.erase(doubles.begin(), doubles.end());
  std::vector<host::RunningProcess> processes;
  for (const auto pid : pids) {
    auto process = view.process(pid);
    // The kernel names no process that has ended: one that cannot be seen counts too.
    if (!process || !*process) {
      processes.push_back({.pid = pid, .name = "a process"});
    } else if (!host::is_own_probe(**process)) {
      processes.push_back(std::move(**process));
    }
  }
  return processes;
}

/// "rail 0 of cage 0 (enp1s0f0np0)", or the link's name alone.
template <class Use>
std::string rail_text(const Use& use) {
  return use.rail ? fmt::format("rail {} of cage {} ({})", use.rail->rail, use.rail->cage, use.link)
                  : use.link;
}

}  // namespace

std::set<std::string> disturbed_rails(const Step& step, const config::Node& node,
                                      host::View& view) {
  std::set<std::string> rails;
  const auto& effect = step.effect;
  const bool is_handed_on = effect.hands_back && !effect.link.empty();
  if (effect.disturbs == Disturbs::kNothing && !is_handed_on) return rails;
  const auto& links = view.links();
  if (!links) return rails;  // then no step touches any
  const auto touched = kinds::with_lower_devices(view, effect.link);
  for (const auto& link : *links) {
    const bool is_touched = effect.link.empty() || touched.contains(link.name);
    if (is_touched && has_rdma_device(link, node, view)) rails.insert(link.name);
  }
  return rails;
}

RailUse use_of_rail(const std::string& name, const config::Node& node, host::View& view) {
  const auto wanted = node.links.find(name);
  RailUse use{
      .link = name,
      .rail = wanted == node.links.end() ? config::rail_of_dgx_name(name) : wanted->second.rail};
  if (const auto& ports = view.rdma_ports(); !ports) {
    use.unknown = ports.error().what;
    return use;
  }
  const auto* link = view.link(name);
  const auto* port = link == nullptr ? nullptr : view.rdma_port(*link);
  if (port == nullptr) return use;
  use.device = port->device;
  auto users = view.rdma_users(*port);
  if (users) {
    use.processes = processes_of(std::move(*users), view);
  } else if (users.error().code != ErrorCode::kNotFound) {  // else the device has just gone
    use.unknown = users.error().what;
  }
  return use;
}

RailUses used_rails(const Plan& plan, const config::Node& node, host::View& view) {
  std::set<std::string> disturbed;
  for (const auto& step : plan.steps) disturbed.merge(disturbed_rails(step, node, view));
  RailUses uses;
  for (const auto& link : disturbed) {
    if (auto use = use_of_rail(link, node, view); use.is_used()) uses.emplace(link, std::move(use));
  }
  return uses;
}

std::vector<std::string> texts_of(const RailUse& use) {
  std::vector<std::string> texts;
  texts.reserve(use.processes.size() + 1);
  for (const auto& process : use.processes) {
    texts.push_back(fmt::format("{} uses {}", host::text_of(process), rail_text(use)));
  }
  if (!use.unknown.empty()) texts.push_back(text_of(without_names(use)));
  return texts;
}

NamelessUse without_names(const RailUse& use) {
  return {use.link, use.device, use.rail, use.processes.size(), use.unknown};
}

std::string text_of(const NamelessUse& use) {
  return use.unknown.empty() ? fmt::format("a job uses {}", rail_text(use))
                             : fmt::format("who uses {} cannot be read ({}): a job may",
                                           rail_text(use), use.unknown);
}

}  // namespace spark::plan
