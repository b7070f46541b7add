#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>

#include "base/text.hpp"
#include "cli/doctor/checks.hpp"
#include "cli/init/rails_here.hpp"
#include "gate/checks/checks.hpp"
#include "host/view.hpp"

namespace spark::cli {
namespace {

constexpr const char* kVerbsDirectory = "/dev/infiniband";

/// Rails of this machine, and their RDMA devices.
struct RdmaOfRails {
  std::vector<std::string> without;          ///< rails that have none
  std::vector<diagnosis::Problem> problems;  ///< as the gate says that
  std::vector<std::string> devices;
  std::vector<std::string> infiniband;  ///< devices whose port is no Ethernet port
};

RdmaOfRails rdma_of_rails(const std::vector<RailHere>& rails, host::View& view) {
  RdmaOfRails found;
  for (const auto& rail : rails) {
    const auto* port = view.rdma_port(rail.link);
    if (port == nullptr) {
      found.without.push_back(rail.link.name);
      found.problems.push_back(problem_of(gate::kPortFact, gate::Detail::kAbsent, rail.link.name));
      continue;
    }
    found.devices.push_back(port->device);
    const auto& layer = view.file(
        fmt::format("/sys/class/infiniband/{}/ports/{}/link_layer", port->device, port->port));
    if (layer && *layer && (*layer)->starts_with("InfiniBand")) {
      found.infiniband.push_back(port->device);
    }
  }
  return found;
}

/// The devices through which programs use RDMA, which all users may open by the kernel's own mode.
Finding verbs_finding(const Command& command) {
  const auto names = command.host.files.list(kVerbsDirectory);
  if (!names) {
    return {"verbs", Severity::kLook, names.error().what,
            fmt::format("`ls -l {}` as root shows them", kVerbsDirectory)};
  }
  std::vector<std::string> closed;
  std::size_t count = 0;
  for (const auto& name : *names) {
    if (!name.starts_with("uverbs")) continue;
    ++count;
    const auto path = fmt::format("{}/{}", kVerbsDirectory, name);
    const auto& root = command.arguments.root;
    struct stat status{};
    constexpr mode_t kAllUse = S_IROTH | S_IWOTH;
    if (lstat((root == "/" ? path : root + path).c_str(), &status) == 0 &&
        (status.st_mode & kAllUse) != kAllUse) {
      closed.push_back(path);
    }
  }
  if (count == 0) {
    return {"verbs", Severity::kPrevents,
            fmt::format("there is no {}/uverbs0: no program can use RDMA", kVerbsDirectory),
            "`sudo modprobe ib_uverbs`, and `modules: [ib_uverbs]` in the file for each boot"};
  }
  if (!closed.empty()) {
    return {"verbs", Severity::kLook,
            fmt::format("not all users may open {}: their jobs find no RDMA device",
                        fmt::join(closed, ", ")),
            "`grep -r infiniband /etc/udev/rules.d` shows who took the rights away; the kernel "
            "gives them to all"};
  }
  return {"verbs", Severity::kGood, fmt::format("all users may open {}", kVerbsDirectory), ""};
}

}  // namespace

Findings check_rdma(const Command& command) {
  host::View view(command.host);
  const auto rails = rails_here(view);
  if (!rails) {
    return {{"rdma", Severity::kLook, rails.error().what, "`ip link` shows the links"}};
  }
  if (rails->empty()) {
    return {not_applicable("rdma", "no rail of a ConnectX is here")};
  }
  if (const auto& ports = view.rdma_ports(); !ports) {
    return {{"rdma", Severity::kLook, ports.error().what, "`rdma link` shows the devices"}};
  }
  const auto found = rdma_of_rails(*rails, view);
  Findings findings;
  if (!found.without.empty()) {
    findings.push_back({"rdma", Severity::kPrevents,
                        fmt::format("no RDMA device: {}", fmt::join(found.without, ", ")),
                        "`sudo modprobe mlx5_ib`; `rdma link` shows the devices, and `rdma system` "
                        "whether each network namespace has its own",
                        found.problems});
  }
  if (!found.infiniband.empty()) {
    findings.push_back({"rdma", Severity::kPrevents,
                        fmt::format("the port is an InfiniBand port, and a rail is Ethernet: {}",
                                    fmt::join(found.infiniband, ", ")),
                        "set LINK_TYPE of that port to Ethernet with mlxconfig, and reboot"});
  }
  if (findings.empty()) {
    findings.push_back({"rdma", Severity::kGood,
                        fmt::format("RoCE v2 over Ethernet, which needs no subnet manager: {}",
                                    fmt::join(found.devices, ", ")),
                        ""});
  }
  if (!found.devices.empty()) findings.push_back(verbs_finding(command));
  return findings;
}

}  // namespace spark::cli
