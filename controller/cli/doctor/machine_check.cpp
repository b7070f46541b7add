#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/timex.h>
#include <unistd.h>

#include "base/unique_fd.hpp"
#include "cli/doctor/checks.hpp"

namespace spark::cli {
namespace {

/// A program that guides name, and the Debian package that has it.
struct Tool {
  std::string_view program;
  std::string_view package;
};

constexpr std::array kTools{
    Tool{"ibv_devinfo", "ibverbs-utils"}, Tool{"ib_write_bw", "perftest"}, Tool{"rdma", "iproute2"},
    Tool{"ethtool", "ethtool"},           Tool{"nvme", "nvme-cli"},
};

/// Whether the kernel's log of this boot has such a line, as far as it goes back.
bool log_has_power_line() {
  // Each read gives one record (dev-kmsg of the kernel's ABI), and none waits for the next.
  const UniqueFd log(::open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (!log.valid()) return false;
  constexpr int kMostRecords = 200'000;
  std::array<char, 8192> record{};
  for (int i = 0; i < kMostRecords; ++i) {
    const auto size = ::read(log.get(), record.data(), record.size());
    if (size < 0 && (errno == EPIPE || errno == EINTR)) continue;  // EPIPE: it was overwritten
    if (size <= 0) return false;
    if (is_power_line({record.data(), static_cast<std::size_t>(size)})) return true;
  }
  return false;
}

}  // namespace

bool is_power_line(std::string_view record) {
  return record.contains("mlx5_core") &&
         record.contains("Detected insufficient power on the PCIe slot");
}

Findings check_power(const Command& /*command*/) {
  if (!log_has_power_line()) return {};
  return {{"power", Severity::kGood,
           "the kernel's log says 'insufficient power on the PCIe slot': on a Spark, where it is "
           "27 W, that is no sign of a fault",
           ""}};
}

Findings check_watchdog(const Command& command) {
  constexpr std::string_view kDevices = "/sys/bus/platform/devices";
  auto& files = command.host.files;
  const auto devices = files.list(std::string(kDevices));
  const auto watched = files.list("/sys/class/watchdog");
  if (!devices || !watched || !watched->empty()) return {};
  // Named so by the kernel where the firmware's table has one (drivers/acpi/arm64/gtdt.c).
  const auto idle = std::ranges::find_if(*devices, [&](const std::string& device) {
    if (!device.starts_with("sbsa-gwdt")) return false;
    const auto parts = files.list(fmt::format("{}/{}", kDevices, device));
    return parts && std::ranges::find(*parts, "driver") == parts->end();
  });
  if (idle == devices->end()) return {};
  // Its driver keeps one that is armed from ending (WDOG_HW_RUNNING in drivers/watchdog).
  return {{"watchdog", Severity::kLook,
           fmt::format("the watchdog {} has no driver: if firmware armed it, this machine resets "
                       "itself again and again (owners saw every 20 minutes). Whether it is armed "
                       "cannot be read",
                       *idle),
           "`sudo modprobe sbsa_gwdt`, and `modules: [sbsa_gwdt]` in the file for each boot"}};
}

Findings check_tools(const Command& command) {
  std::vector<std::string> names;
  for (const auto* folder : {"/usr/bin", "/usr/sbin", "/bin", "/sbin"}) {
    if (const auto list = command.host.files.list(folder)) {
      names.insert(names.end(), list->begin(), list->end());
    }
  }
  std::vector<std::string_view> missing;
  std::vector<std::string_view> packages;
  for (const auto& [program, package] : kTools) {
    if (std::ranges::find(names, program) != names.end()) continue;
    missing.push_back(program);
    packages.push_back(package);
  }
  if (missing.empty()) return {};
  return {{"tools", Severity::kGood,
           fmt::format("not installed, and not needed by this program: {}; for people: `sudo apt "
                       "install {}`",
                       fmt::join(missing, ", "), fmt::join(packages, " ")),
           ""}};
}

Findings check_clock(const Command& /*command*/) {
  timex state{};  // modes 0: it only asks
  if (::adjtimex(&state) < 0) return {};
  if ((state.status & STA_UNSYNC) == 0) {
    return {{"clock", Severity::kGood, "it is synchronised", ""}};
  }
  return {{"clock", Severity::kLook,
           "nothing synchronises the clock: times in the events of two nodes cannot be compared",
           "`timedatectl` shows why; `sudo timedatectl set-ntp true` starts the "
           "service of systemd"}};
}

}  // namespace spark::cli
