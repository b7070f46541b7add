#include "host/nvme_sysfs.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/units.hpp"
#include "host/process/file_io.hpp"

namespace spark::host {
namespace {

/// "nvme3"
bool names_controller(std::string_view name) {
  return name.starts_with("nvme") && is_all_digits(name.substr(4));
}

/// "nvme3n1", and no partition "nvme3n1p1", nor one path of several "nvme3c4n1".
bool names_namespace(std::string_view name) {
  const auto at = name.starts_with("nvme") ? name.find('n', 4) : std::string_view::npos;
  return at != std::string_view::npos && is_all_digits(name.substr(4, at - 4)) &&
         is_all_digits(name.substr(at + 1));
}

/// Of "traddr=192.0.2.1,trsvcid=4420,host_iface=eth0,src_addr=192.0.2.2".
std::string part_of(std::string_view address, std::string_view key) {
  while (!address.empty()) {
    const auto part = address.substr(0, address.find(','));
    if (part.starts_with(key) && part.substr(key.size()).starts_with('=')) {
      return std::string(part.substr(key.size() + 1));
    }
    address.remove_prefix(std::min(part.size() + 1, address.size()));
  }
  return {};
}

NvmeController read_controller(const std::string& path, const std::string& name) {
  const auto place = attribute(path + "/address");
  return {.name = name,
          .nqn = attribute(path + "/subsysnqn"),
          .transport = attribute(path + "/transport"),
          .state = attribute(path + "/state"),
          .address = part_of(place, "traddr"),
          .port = part_of(place, "trsvcid"),
          .via = part_of(place, "host_iface"),
          .source = part_of(place, "src_addr"),
          .host_nqn = attribute(path + "/hostnqn"),
          .forever = attribute(path + "/ctrl_loss_tmo") == "off"};
}

NvmeNamespace read_namespace(const std::string& sys, const std::string& name,
                             const std::string& nqn) {
  const auto path = fmt::format("{}/block/{}", sys, name);
  NvmeNamespace space{.name = name,
                      .nqn = nqn,
                      .wwid = attribute(path + "/wwid"),
                      .uuid = ascii_lower(attribute(path + "/uuid")),
                      .device = attribute(path + "/dev"),
                      .holders = names_in(path + "/holders")};
  space.nsid = number_in<std::uint32_t>(attribute(path + "/nsid")).value_or(0);
  space.ext4_errors =
      number_in<std::uint64_t>(attribute(fmt::format("{}/fs/ext4/{}/errors_count", sys, name)));
  return space;
}

}  // namespace

std::vector<NvmeController> read_nvme_controllers(const std::string& sys) {
  std::vector<NvmeController> controllers;
  const auto directory = sys + "/class/nvme";
  for (const auto& name : names_in(directory)) {
    auto controller = read_controller(fmt::format("{}/{}", directory, name), name);
    if (names_controller(name) && !controller.nqn.empty() && controller.transport != "pcie") {
      controllers.push_back(std::move(controller));
    }
  }
  return controllers;
}

std::vector<NvmeNamespace> read_nvme_namespaces(const std::string& sys) {
  std::vector<NvmeNamespace> spaces;
  const auto controllers = read_nvme_controllers(sys);
  const auto subsystems = sys + "/class/nvme-subsystem";
  for (const auto& subsystem : names_in(subsystems)) {
    const auto path = fmt::format("{}/{}", subsystems, subsystem);
    const auto nqn = attribute(path + "/subsysnqn");
    std::vector<std::string> names;
    bool over_fabric = false;
    for (const auto& entry : names_in(path)) {
      const auto known = std::ranges::find(controllers, entry, &NvmeController::name);
      over_fabric |= known != controllers.end();
      if (names_namespace(entry)) {
        names.push_back(entry);
      } else if (known != controllers.end()) {
        // Without native multipath a namespace stands below its one controller.
        std::ranges::copy_if(names_in(fmt::format("{}/class/nvme/{}", sys, entry)),
                             std::back_inserter(names), names_namespace);
      }
    }
    for (const auto& name : names) {
      if (over_fabric) spaces.push_back(read_namespace(sys, name, nqn));
    }
  }
  return spaces;
}

std::string state_of(const std::vector<NvmeController>& controllers, const std::string& nqn) {
  std::string state;
  for (const auto& controller : controllers) {
    if (controller.nqn == nqn && (state.empty() || controller.state == "live")) {
      state = controller.state;
    }
  }
  return state;
}

}  // namespace spark::host
