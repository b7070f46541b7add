#include "config/model_spark.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace spark::config {
namespace {

/// As DGX OS names them: docs/explain/rails.md.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kRdmaOfRails{{
    {"enp1s0f0np0", "rocep1s0f0"},
    {"enP2p1s0f0np0", "roceP2p1s0f0"},
    {"enp1s0f1np1", "rocep1s0f1"},
    {"enP2p1s0f1np1", "roceP2p1s0f1"},
}};

std::string rdma_of(const std::string& link) {
  const auto found =
      std::ranges::find(kRdmaOfRails, link, [](const auto& row) { return row.first; });
  return found == kRdmaOfRails.end() ? stand_in_for_rdma_of(link) : std::string(found->second);
}

Netdev rail_device(const std::string& name) {
  Netdev device{.name = name};
  device.rdma = RdmaPlace{.device = rdma_of(name), .port = 1};
  return device;
}

}  // namespace

std::string stand_in_for_rdma_of(const std::string& link) { return "rdma-of-" + link; }

std::vector<Netdev> model_devices(const NodeSpec& spec) {
  std::vector<Netdev> devices;
  for (const auto& [cage, names] : spec.cages) {
    for (const auto& name : names) devices.push_back(rail_device(name.value));
  }
  if (!devices.empty()) return devices;
  for (const auto& [name, rdma] : kRdmaOfRails) devices.push_back(rail_device(std::string(name)));
  return devices;
}

}  // namespace spark::config
