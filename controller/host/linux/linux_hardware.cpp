#include "host/linux/linux_hardware.hpp"

#include <array>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <fmt/format.h>
#include <linux/ethtool.h>
#include <linux/if.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/unique_fd.hpp"
#include "host/process/file_io.hpp"

namespace spark::host {
namespace {

constexpr const char* kHotplugMarker = "/etc/nvidia/cx7-hotplug-enabled";

template <class T>
std::optional<T> number(const std::string& path) {
  const auto text = attribute(path);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size() && !text.empty();
  return whole ? std::optional(value) : std::nullopt;
}

/// What a symbolic link leads to, its last part alone.
std::string target_name(const std::string& path) {
  const auto target = link_target(path);
  return target.substr(target.rfind('/') + 1);
}

std::optional<PcieLink> pcie_of(const std::string& device) {
  const auto width = number<std::uint32_t>(device + "/current_link_width");
  if (!width) {
    return std::nullopt;
  }
  return PcieLink{.speed = attribute(device + "/current_link_speed"),
                  .max_speed = attribute(device + "/max_link_speed"),
                  .width = *width,
                  .max_width = number<std::uint32_t>(device + "/max_link_width").value_or(0)};
}

/// By the sensors' labels ("asic", "Module0" of mlx5), or their names without one.
std::map<std::string, std::int64_t> temperatures_of(const std::string& device) {
  constexpr std::string_view kInput = "_input";
  std::map<std::string, std::int64_t> temperatures;
  for (const auto& monitor : names_in(device + "/hwmon")) {
    const auto folder = fmt::format("{}/hwmon/{}", device, monitor);
    for (const auto& name : names_in(folder)) {
      if (!name.starts_with("temp") || !name.ends_with(kInput)) {
        continue;
      }
      const auto sensor = name.substr(0, name.size() - kInput.size());
      const auto label = attribute(fmt::format("{}/{}_label", folder, sensor));
      if (const auto heat = number<std::int64_t>(fmt::format("{}/{}", folder, name))) {
        temperatures.emplace(label.empty() ? sensor : label, *heat);
      }
    }
  }
  return temperatures;
}

/// The counters of all ports of the RDMA devices on the same PCI function.
std::map<std::string, std::uint64_t> counters_of(const std::string& device) {
  std::map<std::string, std::uint64_t> counters;
  for (const auto& rdma : names_in(device + "/infiniband")) {
    for (const auto* group : {"counters", "hw_counters"}) {
      const auto folder = fmt::format("{}/infiniband/{}/ports/1/{}", device, rdma, group);
      for (const auto& name : names_in(folder)) {
        if (const auto count = number<std::uint64_t>(fmt::format("{}/{}", folder, name))) {
          counters.emplace(name, *count);
        }
      }
    }
  }
  return counters;
}

std::string firmware_of(const std::string& device) {
  const auto devices = names_in(device + "/infiniband");
  if (devices.empty()) {
    return {};
  }
  const auto folder = fmt::format("{}/infiniband/{}", device, devices.front());
  const auto board = attribute(folder + "/board_id");
  return attribute(folder + "/fw_ver") + (board.empty() ? "" : fmt::format(" ({})", board));
}

std::optional<Pause> pause_of(int socket, const std::string& link) {
  ethtool_pauseparam parameters{};
  parameters.cmd = ETHTOOL_GPAUSEPARAM;
  ifreq request{};
  if (link.size() >= sizeof(request.ifr_name)) {
    return std::nullopt;
  }
  std::memcpy(request.ifr_name, link.c_str(), link.size());
  request.ifr_data = reinterpret_cast<char*>(&parameters);  // as ethtool's interface has it
  if (ioctl(socket, SIOCETHTOOL, &request) != 0) {
    return std::nullopt;
  }
  return Pause{.autoneg = parameters.autoneg != 0,
               .rx = parameters.rx_pause != 0,
               .tx = parameters.tx_pause != 0};
}

/// The PCI function that the network device is on, or that the virtio device below it is on; empty:
/// none.
std::string pci_function(const std::string& device) {
  for (const auto& path : {device, device + "/.."}) {
    if (target_name(path + "/subsystem") != "pci") {
      continue;
    }
    std::array<char, PATH_MAX> whole{};
    return realpath(path.c_str(), whole.data()) == nullptr ? std::string() : whole.data();
  }
  return {};
}

}  // namespace

Result<HardwareFacts> LinuxHardware::look() {
  HardwareFacts facts{.command_line = attribute(root_ + "/proc/cmdline"),
                      .cable_hotplug = access((root_ + kHotplugMarker).c_str(), F_OK) == 0,
                      .links = {}};
  const auto classes = root_ + "/sys/class/net";
  const UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  for (const auto& link : names_in(classes)) {
    const auto device = pci_function(fmt::format("{}/{}/device", classes, link));
    if (device.empty()) {
      continue;
    }
    LinkHardware found{.link = link,
                       .driver = target_name(fmt::format("{}/{}/device/driver", classes, link)),
                       .pci_address = device.substr(device.rfind('/') + 1),
                       .pcie = pcie_of(device),
                       .speed = number<std::uint32_t>(fmt::format("{}/{}/speed", classes, link)),
                       .firmware = firmware_of(device),
                       .iommu = attribute(device + "/iommu_group/type"),
                       .pause = pause_of(socket.get(), link),
                       .temperatures = temperatures_of(device),
                       .counters = counters_of(device)};
    facts.links.push_back(std::move(found));
  }
  return facts;
}

}  // namespace spark::host
