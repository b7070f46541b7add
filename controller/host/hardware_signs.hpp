#pragma once
// hardware_signs: what a look at the hardware tells of a fault that this program cannot correct.
// Each sign has what it means and what to do: docs/explain/hardware.md. None closes the gate.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fields.hpp"
#include "host/hardware.hpp"
#include "host/kernel_releases.hpp"

namespace spark::host {

namespace signs {
inline constexpr std::string_view kPcie = "pcie";      ///< of a link: fewer lanes, or slower
inline constexpr std::string_view kIommu = "iommu";    ///< of a link: it translates
inline constexpr std::string_view kModule = "module";  ///< of a link: its cable's module is hot
inline constexpr std::string_view kCabled = "cabled";  ///< of a link: it came after the boot
inline constexpr std::string_view kKho = "kho";        ///< of the node: kexec handover is on
inline constexpr std::string_view kKernel = "kernel";  ///< of the node: a known fault
// What only two looks can tell: daemon/reconcile/hardware_tracker.hpp.
inline constexpr std::string_view kErrors = "errors";  ///< of a link: its counters grow
inline constexpr std::string_view kPause = "pause";    ///< of a link: a storm of pause frames
inline constexpr std::string_view kAer = "aer";        ///< of a PCI function: errors not corrected
}  // namespace signs

/// All of them, in the order in which they are shown.
inline constexpr std::array kHardwareSigns{signs::kPcie,   signs::kIommu,  signs::kModule,
                                           signs::kCabled, signs::kErrors, signs::kPause,
                                           signs::kAer,    signs::kKho,    signs::kKernel};

/// What one sign says of one subject. Where it is not applicable, as on a node without the card,
/// there is none.
struct HardwareSign {
  std::string name;     ///< one of kHardwareSigns
  std::string subject;  ///< link or PCI function; empty: the node
  bool is_fault = false;
  std::string what;    ///< a clause, without the subject
  std::string remedy;  ///< what to do; empty where it is no fault
  bool operator==(const HardwareSign&) const = default;
};

template <EitherConst<HardwareSign> T, class Visit>
void each_field(T& sign, Visit visit) {
  visit("name", sign.name);
  visit("subject", sign.subject);
  visit("fault", sign.is_fault);
  visit("what", sign.what);
  visit("remedy", sign.remedy);
}

/// What one look tells: all but errors, pause and aer. Only links of a ConnectX are judged.
std::vector<HardwareSign> hardware_signs(const HardwareFacts& facts,
                                         const KernelReleases& releases = KernelReleases());

bool is_connectx(const LinkHardware& link);

/// Each rail of a Spark's ConnectX-7 has so many PCIe lanes.
inline constexpr std::uint32_t kPcieLanes = 4;
/// Fewer than a Spark's card has: some firmware gave a rail only two. 0: not known.
constexpr bool has_few_lanes(std::uint32_t lanes) { return lanes != 0 && lanes < kPcieLanes; }
/// "PCIe runs at 32.0 GT/s x2, the device could 32.0 GT/s x4".
std::string pcie_text(const PcieLink& pcie);
/// Each address of the card goes through a table: READs of RDMA are slow then.
bool iommu_translates(const LinkHardware& link);
/// Active optical cables warn at 70 and drop the link at 75 degrees (SFF-8636 thresholds of those
/// seen on Sparks).
inline constexpr std::int64_t kWarmModule = 70'000;
/// The hottest of the cable's modules, thousandths of a degree. Empty: its driver does not tell.
std::optional<std::int64_t> module_heat(const LinkHardware& link);
/// `word` stands alone among the words of the kernel's command line.
bool is_on_command_line(std::string_view command_line, std::string_view word);

/// One statistic of a link that grows only where something is wrong.
struct ErrorCounter {
  std::string_view name;   ///< of ethtool -S, as mlx5 has it
  std::string_view kind;   ///< a word for a label: "symbol"
  std::string_view words;  ///< "symbol errors"
};

/// Of the FEC statistics of ethtool's netlink, as a statistic: no driver has one of that name.
inline constexpr std::string_view kFecUncorrectable = "fec_uncorrectable_blocks";
inline constexpr std::string_view kLinkDown = "link_down_events_phy";
/// Corrected bits and the raw errors of a lane always grow on 200G (PAM4), so they are no errors.
inline constexpr std::array kErrorCounters{
    ErrorCounter{"rx_symbol_err_phy", "symbol", "symbol errors"},
    ErrorCounter{"rx_crc_errors_phy", "crc", "CRC errors"},
    ErrorCounter{kFecUncorrectable, "fec", "blocks that FEC could not correct"},
    ErrorCounter{"rx_discards_phy", "rx_discard", "received packets discarded"},
    ErrorCounter{"tx_discards_phy", "tx_discard", "packets discarded before they were sent"},
    ErrorCounter{kLinkDown, "link_down", "losses of the link"},
};
inline constexpr std::string_view kCorrectedBits = "rx_corrected_bits_phy";

/// True: LinkHardware::statistics has it where the driver does.
bool is_kept_statistic(std::string_view name);
/// Pause frames of a link, those of single priorities included. Empty: its driver counts none.
struct PauseFrames {
  std::uint64_t received = 0;  ///< the other end asked this one to wait
  std::uint64_t sent = 0;
};
std::optional<PauseFrames> pause_frames(const LinkHardware& link);

}  // namespace spark::host
