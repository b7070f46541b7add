#include "daemon/export/hardware_metrics.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace spark::daemon {
namespace {

// A Spark has four links of its ConnectX, on four functions behind two root ports.
constexpr std::size_t kMostLinksTold = 4;
constexpr std::size_t kMostFunctionsTold = 6;

double real(std::uint64_t count) { return static_cast<double>(count); }

/// Those with a fault first, since the end may be cut.
std::vector<const host::LinkHardware*> links_told(const HardwareState& hardware) {
  std::vector<const host::LinkHardware*> links;
  for (const auto& link : hardware.facts->links) {
    if (host::is_connectx(link)) links.push_back(&link);
  }
  std::ranges::stable_partition(links, [&](const auto* link) {
    return std::ranges::any_of(hardware.signs, [link](const host::HardwareSign& sign) {
      return sign.is_fault && sign.subject == link->link;
    });
  });
  links.resize(std::min(links.size(), kMostLinksTold));
  return links;
}

void tell_signs(Exposition& out, const std::vector<host::HardwareSign>& signs) {
  out.gauge("hardware_faults",
            "Devices that show this sign of a fault of the hardware; absent: not applicable.");
  for (const auto name : host::kHardwareSigns) {
    if (std::ranges::find(signs, name, &host::HardwareSign::name) == signs.end()) continue;
    const auto faults = std::ranges::count_if(signs, [name](const host::HardwareSign& sign) {
      return sign.name == name && sign.is_fault;
    });
    out.sample(static_cast<double>(faults), {{"sign", name}});
  }
}

void tell_errors(Exposition& out, const std::vector<const host::LinkHardware*>& links) {
  out.counter("link_errors_total", "Errors that the card counted on the link, by what they are.");
  for (const auto* link : links) {
    for (const auto& counter : host::kErrorCounters) {
      const auto found = link->statistics.find(std::string(counter.name));
      if (found == link->statistics.end()) continue;
      out.sample(real(found->second), {{"link", link->link}, {"error", counter.kind}});
    }
  }
  out.counter("link_fec_corrections_total",
              "Bits that FEC corrected; always grows at 200 Gb/s, only its rate tells anything.");
  for (const auto* link : links) {
    const auto found = link->statistics.find(std::string(host::kCorrectedBits));
    if (found != link->statistics.end()) out.sample(real(found->second), {{"link", link->link}});
  }
  out.counter("link_pause_frames_total", "Pause frames, by whether they came or were sent.");
  for (const auto* link : links) {
    const auto frames = host::pause_frames(*link);
    if (!frames) continue;
    out.sample(real(frames->received), {{"link", link->link}, {"direction", "received"}});
    out.sample(real(frames->sent), {{"link", link->link}, {"direction", "sent"}});
  }
  out.counter("link_carrier_changes_total",
              "Times that the carrier came or went; a change of the MTU does it too.");
  for (const auto* link : links) {
    if (link->carrier_changes) out.sample(real(*link->carrier_changes), {{"link", link->link}});
  }
}

void tell_aer(Exposition& out, const std::vector<const host::LinkHardware*>& links) {
  out.counter("pcie_errors_total",
              "Errors that PCIe counted (AER) of a function or its root port, by severity.");
  std::set<std::string_view> told;
  for (const auto* link : links) {
    for (const auto& errors : link->pcie_errors) {
      if (told.size() == kMostFunctionsTold || !told.insert(errors.address).second) continue;
      out.sample(real(errors.correctable),
                 {{"device", errors.address}, {"severity", "correctable"}});
      out.sample(real(errors.nonfatal + errors.fatal),
                 {{"device", errors.address}, {"severity", "uncorrected"}});
    }
  }
}

}  // namespace

void tell_hardware(Exposition& out, const HardwareState& hardware) {
  if (!hardware.facts) return;
  const auto& facts = *hardware.facts;
  tell_signs(out, hardware.signs);
  out.gauge("system_info", "The kernel, DGX OS and the driver of the GPU.");
  out.sample(
      1, {{"kernel", facts.kernel}, {"dgx_os", facts.dgx_os}, {"gpu_driver", facts.gpu_driver}});
  const auto links = links_told(hardware);
  out.gauge("link_hardware_info",
            "A link's driver, firmware, FEC in force and type of IOMMU group.");
  for (const auto* link : links) {
    out.sample(1, {{"link", link->link},
                   {"driver", link->driver},
                   {"firmware", link->firmware},
                   {"fec", link->fec},
                   {"iommu", link->iommu}});
  }
  out.gauge("link_pcie_lanes", "PCIe lanes that the link's device uses.");
  for (const auto* link : links) {
    if (link->pcie) out.sample(link->pcie->width, {{"link", link->link}});
  }
  out.gauge("link_module_celsius", "Temperature of the cable's module.");
  for (const auto* link : links) {
    constexpr double kThousand = 1000;
    const auto heat = host::module_heat(*link);
    if (heat) out.sample(static_cast<double>(*heat) / kThousand, {{"link", link->link}});
  }
  tell_errors(out, links);
  tell_aer(out, links);
}

}  // namespace spark::daemon
