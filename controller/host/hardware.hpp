#pragma once
// Hardware: what is only read, never set: PCIe, speed, firmware, heat, counters, and what the
// kernel and the drivers are. It explains a slow or closed gate (hardware_signs.hpp); adapter in
// linux/linux_hardware.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/fields.hpp"
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

/// What a PCIe link of four lanes at 32 GT/s carries each way, bits a second: the one of a rail.
inline constexpr std::uint64_t kBitsOfPcieX4 = 126'000'000'000;

/// Pause frames, as the port uses them now (ETHTOOL_GPAUSEPARAM).
struct Pause {
  bool autoneg = false;
  bool rx = false;
  bool tx = false;
  bool operator==(const Pause&) const = default;
};

/// Descriptors of a receive queue of the kernel's sockets (ETHTOOL_GRINGPARAM). RDMA has queues of
/// its own.
struct ReceiveRing {
  std::uint32_t size = 0;
  std::uint32_t max = 0;
  bool operator==(const ReceiveRing&) const = default;
};

/// What a PCI function counted by Advanced Error Reporting since it was there. Where the firmware
/// keeps these errors for itself ("firmware first") the kernel has no counters.
struct PcieErrors {
  std::string address;            ///< "0000:01:00.0"
  std::uint64_t correctable = 0;  ///< TOTAL_ERR_COR
  std::uint64_t nonfatal = 0;     ///< TOTAL_ERR_NONFATAL
  std::uint64_t fatal = 0;        ///< TOTAL_ERR_FATAL
  bool operator==(const PcieErrors&) const = default;
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
  std::string driver_version;  ///< "6.14.0-1015-nvidia" of a driver of the kernel
  std::string fec;             ///< forward error correction in force: "off", "BASER", "RS", "LLRS"
  std::string cable;           ///< "direct attach copper", "fibre"; empty: the driver does not say
  std::optional<ReceiveRing> receive_ring;
  std::optional<std::uint64_t> carrier_changes;  ///< since the device is there
  /// The statistics of ethtool that hardware_signs.hpp names, and kFecUncorrectable.
  std::map<std::string, std::uint64_t> statistics;
  /// When udev saw the device first, milliseconds after the boot (CLOCK_MONOTONIC).
  std::optional<std::int64_t> appeared_ms;
  /// Of the function, and of the root port that it is behind.
  std::vector<PcieErrors> pcie_errors;
  bool operator==(const LinkHardware&) const = default;
};

struct HardwareFacts {
  std::string command_line;  ///< of the kernel
  /// The machine powers its ConnectX-7 off while no cable is plugged (DGX OS; its marker file).
  bool cable_hotplug = false;
  std::vector<LinkHardware> links;  ///< by name
  std::string kernel;               ///< its release
  std::string dgx_os;               ///< version of DGX OS; empty: another system
  std::string gpu_driver;           ///< version of NVIDIA's kernel module; empty: not loaded
  /// The memory that is set apart for the contiguous memory allocator, KiB (/proc/meminfo). Empty:
  /// this kernel has no such allocator.
  std::optional<std::uint64_t> cma_total_kib;
  std::optional<std::uint64_t> cma_free_kib;
  bool operator==(const HardwareFacts&) const = default;
};

// As JSON. What is new may lack: reports of earlier versions have none of it.

template <EitherConst<PcieLink> T, class Visit>
void each_field(T& pcie, Visit visit) {
  visit("speed", pcie.speed);
  visit("max_speed", pcie.max_speed);
  visit("width", pcie.width);
  visit("max_width", pcie.max_width);
}

template <EitherConst<Pause> T, class Visit>
void each_field(T& pause, Visit visit) {
  visit("autoneg", pause.autoneg);
  visit("rx", pause.rx);
  visit("tx", pause.tx);
}

template <EitherConst<ReceiveRing> T, class Visit>
void each_field(T& ring, Visit visit) {
  visit("size", ring.size);
  visit("max", ring.max);
}

template <EitherConst<PcieErrors> T, class Visit>
void each_field(T& errors, Visit visit) {
  visit("address", errors.address);
  visit("correctable", errors.correctable);
  visit("nonfatal", errors.nonfatal);
  visit("fatal", errors.fatal);
}

template <EitherConst<LinkHardware> T, class Visit>
void each_field(T& hardware, Visit visit) {
  visit("link", hardware.link);
  visit("driver", hardware.driver);
  visit("pci_address", hardware.pci_address);
  visit("pcie", hardware.pcie);
  visit("speed", hardware.speed);
  visit("firmware", hardware.firmware);
  visit("iommu", hardware.iommu);
  visit("pause", hardware.pause);
  visit("temperatures", hardware.temperatures);
  visit("counters", hardware.counters);
  visit("driver_version", unless_empty(hardware.driver_version));
  visit("fec", unless_empty(hardware.fec));
  visit("cable", unless_empty(hardware.cable));
  visit("receive_ring", unless_empty(hardware.receive_ring));
  visit("carrier_changes", unless_empty(hardware.carrier_changes));
  visit("statistics", unless_empty(hardware.statistics));
  visit("appeared_ms", unless_empty(hardware.appeared_ms));
  visit("pcie_errors", unless_empty(hardware.pcie_errors));
}

template <EitherConst<HardwareFacts> T, class Visit>
void each_field(T& hardware, Visit visit) {
  visit("command_line", hardware.command_line);
  visit("cable_hotplug", hardware.cable_hotplug);
  visit("links", hardware.links);
  visit("kernel", unless_empty(hardware.kernel));
  visit("dgx_os", unless_empty(hardware.dgx_os));
  visit("gpu_driver", unless_empty(hardware.gpu_driver));
  visit("cma_total_kib", unless_empty(hardware.cma_total_kib));
  visit("cma_free_kib", unless_empty(hardware.cma_free_kib));
}

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
