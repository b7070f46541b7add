#pragma once
// Hardware: what is only read, never set: PCIe, speed, firmware, heat, counters. It explains a slow
// or closed gate; adapter in linux/linux_hardware.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace spark::host {

/// A PCIe link (sysfs current_link_speed, current_link_width and their maxima).
struct PcieLink {
  std::string speed;            ///< "32.0 GT/s PCIe"
  std::string max_speed;        ///< what the device could do
  std::uint32_t width = 0;      ///< lanes
  std::uint32_t max_width = 0;  ///< lanes that the device could do
  bool operator==(const PcieLink&) const = default;
};

/// Pause frames, as the port uses them now (ETHTOOL_GPAUSEPARAM).
struct Pause {
  bool autoneg = false;
  bool rx = false;
  bool tx = false;
  bool operator==(const Pause&) const = default;
};

/// One network device on a PCI function. What its driver does not tell is empty.
struct LinkHardware {
  std::string link;
  std::string driver;       ///< "mlx5_core"
  std::string pci_address;  ///< "0000:01:00.0"
  std::optional<PcieLink> pcie;
  std::optional<std::uint32_t> speed;  ///< Mb/s; empty without a carrier
  std::string firmware;                ///< "28.45.4028 (NVD0000000087)"
  std::string iommu;                   ///< type of its group: "identity", "DMA-FQ"
  std::optional<Pause> pause;
  std::map<std::string, std::int64_t> temperatures;  ///< thousandths of a degree Celsius, by label
  /// Of its RDMA port: hw_counters and counters of sysfs, by name.
  std::map<std::string, std::uint64_t> counters;
  bool operator==(const LinkHardware&) const = default;
};

struct HardwareFacts {
  std::string command_line;  ///< of the kernel
  /// The machine powers its ConnectX-7 off while no cable is plugged (DGX OS; its marker file).
  bool cable_hotplug = false;
  std::vector<LinkHardware> links;  ///< by name
  bool operator==(const HardwareFacts&) const = default;
};

class Hardware {
 public:
  Hardware() = default;
  Hardware(const Hardware&) = delete;
  Hardware& operator=(const Hardware&) = delete;
  virtual ~Hardware() = default;

  /// All network devices that are PCI functions.
  virtual Result<HardwareFacts> look() = 0;
};

}  // namespace spark::host
