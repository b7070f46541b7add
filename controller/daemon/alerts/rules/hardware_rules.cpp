#include <algorithm>
#include <initializer_list>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "daemon/alerts/rules/rules.hpp"
#include "host/hardware_signs.hpp"

namespace spark::daemon {
namespace {

namespace signs = host::signs;

void find_signs(const NodeState& state, std::initializer_list<std::string_view> names,
                FoundAlerts& found) {
  for (const auto& sign : state.hardware.signs) {
    if (!sign.is_fault || std::ranges::find(names, sign.name) == names.end()) continue;
    std::map<std::string, std::string> labels{{"sign", sign.name}};
    if (!sign.subject.empty()) {
      labels.emplace(sign.name == signs::kAer ? "device" : "link", sign.subject);
    }
    auto summary =
        sign.subject.empty() ? sign.what : fmt::format("{}: {}", sign.subject, sign.what);
    found.add_about(node_state::is_named(sign.name, sign.subject), std::move(labels),
                    std::move(summary), state.hardware.at);
  }
}

/// The device that the alert is about, or null: it is gone.
const host::LinkHardware* device_of(const Alert& alert, const host::HardwareFacts& facts) {
  const auto link = label_of(alert, "link");
  const auto device = label_of(alert, "device");
  const auto found = std::ranges::find_if(facts.links, [&](const host::LinkHardware& one) {
    return link.empty() ? std::ranges::find(one.pcie_errors, device, &host::PcieErrors::address) !=
                              one.pcie_errors.end()
                        : one.link == link;
  });
  return found == facts.links.end() ? nullptr : &*found;
}

bool is_of_a_device(const Alert& alert) {
  return alert.labels.contains("link") || alert.labels.contains("device");
}

}  // namespace

void find_hardware_fault(const NodeState& state, FoundAlerts& found) {
  find_signs(
      state,
      {signs::kPcie, signs::kIommu, signs::kModule, signs::kCabled, signs::kKho, signs::kKernel},
      found);
}

void find_errors_grow(const NodeState& state, FoundAlerts& found) {
  find_signs(state, {signs::kErrors, signs::kAer}, found);
}

void find_pause_storm(const NodeState& state, FoundAlerts& found) {
  find_signs(state, {signs::kPause}, found);
}

bool hardware_is_judged(const Alert& /*alert*/, const NodeState& state) {
  return state.hardware.facts.has_value();
}

bool growth_is_judged(const Alert& alert, const NodeState& state) {
  const auto& [at, facts, found] = state.hardware;
  if (!facts) return false;
  const bool is_gone = is_of_a_device(alert) && device_of(alert, *facts) == nullptr;
  return is_gone || at.boot - state.started.boot >= kErrorsCount;
}

std::string how_hardware_fault_ended(const Alert& alert, const NodeState& state) {
  const auto& facts = state.hardware.facts;
  if (facts && is_of_a_device(alert) && device_of(alert, *facts) == nullptr) {
    return "the device is gone";
  }
  return "gone by itself";
}

}  // namespace spark::daemon
