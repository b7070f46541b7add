#include "helpers/storage/discovery.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/nvme_ioctl.h>
#include <sys/ioctl.h>

#include "base/text.hpp"
#include "base/unique_fd.hpp"
#include "protocol/nvme.hpp"

namespace spark::helpers {
namespace {

// NVM Express over Fabrics 1.1, 5.3 "Discovery Log Page": a header of 1024 bytes, then entries of
// 1024 bytes.
constexpr std::size_t kEntry = 1024;
constexpr std::size_t kRecordCount = 8;
constexpr std::size_t kService = 32;
constexpr std::size_t kServiceSize = 32;
constexpr std::size_t kNqn = 256;
constexpr std::size_t kNqnSize = 256;
constexpr std::size_t kAddress = 512;
constexpr std::size_t kAddressSize = 256;
constexpr std::uint8_t kDiscoverySubsystem = 1;  // SUBTYPE: a referral; 3: the one we asked
constexpr std::uint8_t kCurrentDiscovery = 3;
/// More than a home has; what is beyond them is left out.
constexpr std::size_t kMostEntries = 127;

constexpr std::uint8_t kGetLogPage = 0x02;
constexpr std::uint32_t kDiscoveryLog = 0x70;

std::string text_at(const std::vector<unsigned char>& page, std::size_t at, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(page.data()) + at, size);
  text = text.substr(0, text.find('\0'));
  return fold_blanks(text);
}

std::string transport_name(std::uint8_t type) {
  switch (type) {
    case 1:
      return "rdma";
    case 2:
      return "fc";
    case 3:
      return "tcp";
    default:
      return fmt::format("type {}", type);
  }
}

/// 0, an errno, or -1 for a status of the controller.
int read_log(const std::string& controller, std::vector<unsigned char>& page) {
  const UniqueFd device(open(("/dev/" + controller).c_str(), O_RDWR | O_CLOEXEC));
  if (!device.valid()) return errno;
  page.assign((1 + kMostEntries) * kEntry, 0);
  const auto dwords = static_cast<std::uint32_t>(page.size() / 4 - 1);  // NUMD is 0's based
  nvme_admin_cmd command{};
  command.opcode = kGetLogPage;
  command.addr = reinterpret_cast<std::uint64_t>(page.data());
  command.data_len = static_cast<std::uint32_t>(page.size());
  command.cdw10 = kDiscoveryLog | (dwords & 0xFFFFU) << 16U;
  command.cdw11 = dwords >> 16U;
  command.timeout_ms = 3000;
  const int status = ioctl(device.get(), NVME_IOCTL_ADMIN_CMD, &command);
  return status < 0 ? errno : status > 0 ? -1 : 0;
}

/// The entries of a discovery log page (NVM Express over Fabrics, 5.3), whole or cut off.
std::vector<protocol::NvmeOffer> read_log_page(const std::vector<unsigned char>& page) {
  std::vector<protocol::NvmeOffer> offers;
  if (page.size() < kEntry) return offers;
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    count |= static_cast<std::uint64_t>(page[kRecordCount + i]) << (8 * i);
  }
  for (std::uint64_t i = 0; i < count && (i + 2) * kEntry <= page.size(); ++i) {
    const auto at = (i + 1) * kEntry;
    const auto subtype = page[at + 2];
    if (subtype != kDiscoverySubsystem && subtype != kCurrentDiscovery) {
      offers.push_back({text_at(page, at + kNqn, kNqnSize), transport_name(page[at]),
                        text_at(page, at + kAddress, kAddressSize),
                        text_at(page, at + kService, kServiceSize)});
    }
  }
  return offers;
}

}  // namespace

Discovered discover(Connection wanted, std::chrono::milliseconds deadline) {
  wanted.nqn = protocol::kDiscoveryNqn;
  wanted.secret_file.clear();
  auto connected = connect_to(wanted, deadline);
  if (connected.failure) return {{}, std::move(connected.failure)};
  std::vector<unsigned char> page;
  const int error = read_log(connected.controller, page);
  static_cast<void>(disconnect(connected.controller));  // it ends by itself without its keep-alive
  if (error != 0) {
    return {{},
            ConnectFailure{protocol::kOtherReason,
                           fmt::format("read what {} offers: {}", wanted.address,
                                       error < 0 ? "the target refuses it"
                                                 : std::generic_category().message(error))}};
  }
  return {read_log_page(page), {}};
}

}  // namespace spark::helpers
