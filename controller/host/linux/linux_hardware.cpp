#include "host/linux/linux_hardware.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <ranges>
#include <string_view>

#include <fmt/format.h>
#include <linux/ethtool.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/text.hpp"
#include "base/unique_fd.hpp"
#include "base/units.hpp"
#include "host/hardware_signs.hpp"
#include "host/linux/ethtool_ioctl.hpp"
#include "host/linux/netlink/ethtool_fec.hpp"
#include "host/process/file_io.hpp"

namespace spark::host {
namespace {

constexpr const char* kHotplugMarker = "/etc/nvidia/cx7-hotplug-enabled";

template <class T>
std::optional<T> number(const std::string& path) {
  return number_in<T>(attribute(path));
}

/// What a symbolic link leads to, its last part alone.
std::string target_name(const std::string& path) {
  const auto target = link_target(path);
  return target.substr(target.rfind('/') + 1);
}

std::optional<PcieLink> pcie_of(const std::string& device) {
  const auto width = number<std::uint32_t>(device + "/current_link_width");
  if (!width) return std::nullopt;
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
      if (!name.starts_with("temp") || !name.ends_with(kInput)) continue;
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

/// As the RDMA device has it; empty: there is none.
std::string rdma_firmware_of(const std::string& device) {
  const auto devices = names_in(device + "/infiniband");
  if (devices.empty()) return {};
  const auto folder = fmt::format("{}/infiniband/{}", device, devices.front());
  const auto board = attribute(folder + "/board_id");
  return attribute(folder + "/fw_ver") + (board.empty() ? "" : fmt::format(" ({})", board));
}

/// A text in a fixed field of ethtool's interface, which may lack its NUL.
template <std::size_t kSize>
std::string field_text(const char (&field)[kSize]) {  // NOLINT(modernize-avoid-c-arrays): ethtool's
  return printable(fold_blanks(std::string(field, strnlen(field, kSize))));
}

std::optional<Pause> pause_of(int socket, const std::string& link) {
  ethtool_pauseparam parameters{};
  parameters.cmd = ETHTOOL_GPAUSEPARAM;
  if (!ask_ethtool(socket, link, &parameters)) return std::nullopt;
  return Pause{.autoneg = parameters.autoneg != 0,
               .rx = parameters.rx_pause != 0,
               .tx = parameters.tx_pause != 0};
}

void add_driver(int socket, LinkHardware& found) {
  ethtool_drvinfo driver{};
  driver.cmd = ETHTOOL_GDRVINFO;
  if (!ask_ethtool(socket, found.link, &driver)) return;
  found.driver_version = field_text(driver.version);
  if (found.firmware.empty()) found.firmware = field_text(driver.fw_version);
}

/// The number of the first line that begins with that word, as "TOTAL_ERR_COR 0", "CmaFree: 8 kB".
std::optional<std::uint64_t> number_after(const std::string& text, std::string_view word) {
  for (auto line : lines_of(text)) {
    if (!line.starts_with(word)) continue;
    line.remove_prefix(word.size());
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    if (const auto value = number_in<std::uint64_t>(line.substr(0, line.find(' ')))) return value;
  }
  return std::nullopt;
}

std::string text_in(const std::string& path) { return read_proc(path).value_or(""); }

/// Empty: no capability for it, or the firmware keeps the errors for itself.
std::optional<PcieErrors> errors_of(const std::string& function) {
  const auto correctable =
      number_after(text_in(function + "/aer_dev_correctable"), "TOTAL_ERR_COR");
  const auto nonfatal = number_after(text_in(function + "/aer_dev_nonfatal"), "TOTAL_ERR_NONFATAL");
  const auto fatal = number_after(text_in(function + "/aer_dev_fatal"), "TOTAL_ERR_FATAL");
  if (!correctable || !nonfatal || !fatal) return std::nullopt;
  return PcieErrors{.address = std::string(file_name(function)),
                    .correctable = *correctable,
                    .nonfatal = *nonfatal,
                    .fatal = *fatal};
}

/// The PCI bridge right below the host bridge, "pci0000:00"; empty: the function itself is there.
std::string root_port_of(const std::string& function) {
  constexpr std::string_view kHostBridge = "/pci";
  auto path = function;
  while (true) {
    const auto parent = path.substr(0, path.rfind('/'));
    if (parent.empty() || parent == path) return {};
    const auto above = parent.rfind('/');
    if (above != std::string::npos && parent.substr(above).starts_with(kHostBridge)) {
      return path == function ? std::string() : path;
    }
    path = parent;
  }
}

std::vector<PcieErrors> all_errors_of(const std::string& function) {
  std::vector<PcieErrors> all;
  for (const auto& path : {function, root_port_of(function)}) {
    auto errors = path.empty() ? std::nullopt : errors_of(path);
    if (errors) all.push_back(*std::move(errors));
  }
  return all;
}

/// The line "I:MICROSECONDS" of udev's record of a network device (sd_device_get_usec_initialized).
std::optional<std::int64_t> appeared_ms(const std::string& root, const std::string& link_folder) {
  const auto index = attribute(link_folder + "/ifindex");
  if (index.empty()) return std::nullopt;
  const auto since = number_after(text_in(fmt::format("{}/run/udev/data/n{}", root, index)), "I:");
  constexpr std::uint64_t kMicroseconds = 1000;  // in a millisecond
  return since ? std::optional(static_cast<std::int64_t>(*since / kMicroseconds)) : std::nullopt;
}

/// The value of NAME="value" in a file of such lines.
std::string assigned(const std::string& text, std::string_view name) {
  for (const auto line : lines_of(text)) {
    if (!line.starts_with(name) || line.size() <= name.size() || line[name.size()] != '=') continue;
    std::string value(line.substr(name.size() + 1));
    std::erase(value, '"');
    constexpr std::size_t kLongest = 60;
    return printable(fold_blanks(value), kLongest);
  }
  return {};
}

/// That of the last update over the network, else that of the image.
std::string dgx_os_version(const std::string& root) {
  const auto text = text_in(root + "/etc/dgx-release");
  const auto updated = assigned(text, "DGX_OTA_VERSION");
  return updated.empty() ? assigned(text, "DGX_SWBUILD_VERSION") : updated;
}

/// "NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  580.95.05  Release Build …": the
/// first word with digits and dots alone.
std::string gpu_driver_version(const std::string& root) {
  const auto line = attribute(root + "/proc/driver/nvidia/version");
  for (const auto part : std::views::split(line, ' ')) {
    const std::string_view word(part.begin(), part.end());
    const bool is_version = word.contains('.') && std::ranges::all_of(word, [](char c) {
                              return c == '.' || (c >= '0' && c <= '9');
                            });
    if (is_version) return std::string(word);
  }
  return {};
}

void add_statistics(int socket, EthtoolFec& fec, LinkHardware& found) {
  found.statistics = ethtool_statistics(socket, found.link, is_kept_statistic);
  const auto state = fec.read(found.link);
  if (!state) return;
  found.fec = state->active;
  if (state->uncorrectable) found.statistics.emplace(kFecUncorrectable, *state->uncorrectable);
}

/// A function that sleeps is left alone: most of what follows would wake it, or ask in vain.
bool sleeps(const std::string& function) {
  return attribute(function + "/power/runtime_status") == "suspended";
}

/// The PCI function that the network device is on, or that the virtio device below it is on; empty:
/// none.
std::string pci_function(const std::string& device) {
  for (const auto& path : {device, device + "/.."}) {
    if (target_name(path + "/subsystem") != "pci") continue;
    std::array<char, PATH_MAX> whole{};
    return realpath(path.c_str(), whole.data()) == nullptr ? std::string() : whole.data();
  }
  return {};
}

}  // namespace

// What one look costs: some sixty small files of sysfs and procfs, and for each link of a ConnectX
// five requests that its firmware answers (statistics, FEC, pause, cable, heat): a few milliseconds
// for the four links of a Spark. The daemon looks with each observation of its gate, as it always
// did, and never for the counters alone.
Result<HardwareFacts> LinuxHardware::look() {
  HardwareFacts facts{.command_line = attribute(root_ + "/proc/cmdline"),
                      .cable_hotplug = access((root_ + kHotplugMarker).c_str(), F_OK) == 0,
                      .kernel = attribute(root_ + "/proc/sys/kernel/osrelease"),
                      .dgx_os = dgx_os_version(root_),
                      .gpu_driver = gpu_driver_version(root_)};
  const auto memory = text_in(root_ + "/proc/meminfo");
  facts.cma_total_kib = number_after(memory, "CmaTotal:");
  facts.cma_free_kib = number_after(memory, "CmaFree:");
  const auto classes = root_ + "/sys/class/net";
  const UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  EthtoolFec fec;
  for (const auto& link : names_in(classes)) {
    const auto folder = fmt::format("{}/{}", classes, link);
    const auto device = pci_function(folder + "/device");
    if (device.empty()) continue;
    LinkHardware found{.link = link,
                       .driver = target_name(folder + "/device/driver"),
                       .pci_address = std::string(file_name(device)),
                       .iommu = attribute(device + "/iommu_group/type"),
                       .carrier_changes = number<std::uint64_t>(folder + "/carrier_changes"),
                       .appeared_ms = appeared_ms(root_, folder),
                       .pcie_errors = all_errors_of(device)};
    if (!sleeps(device)) {
      found.pcie = pcie_of(device);
      found.speed = number<std::uint32_t>(folder + "/speed");
      found.firmware = rdma_firmware_of(device);
      found.temperatures = temperatures_of(device);
      found.counters = counters_of(device);
      found.pause = pause_of(socket.get(), link);
      add_driver(socket.get(), found);
      // Others, as Wi-Fi, may have to wake up for it.
      if (is_connectx(found)) {
        add_statistics(socket.get(), fec, found);
        found.cable = cable_of(socket.get(), link);
        found.receive_ring = receive_ring_of(socket.get(), link);
      }
    }
    facts.links.push_back(std::move(found));
  }
  return facts;
}

}  // namespace spark::host
