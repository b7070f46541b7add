#include "host/linux/rdma/linux_rdma.hpp"

#include <algorithm>
#include <cerrno>
#include <thread>
#include <tuple>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <rdma/rdma_netlink.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.hpp"
#include "base/unique_fd.hpp"
#include "host/linux/netlink/socket.hpp"
#include "host/linux/rdma/decode.hpp"
#include "host/linux/rdma/rail_files.hpp"
#include "host/process/file_io.hpp"

namespace spark::host {
namespace {

constexpr const char* kClass = "/sys/class/infiniband";
constexpr const char* kConfig = "/sys/kernel/config/rdma_cm";

/// A device's name is one part of a path: the kernel's are, and no other is looked up.
bool is_name(const std::string& device) {
  return !device.empty() && device.find('/') == std::string::npos && !device.starts_with('.');
}

std::string port_path(const std::string& device, std::uint32_t port) {
  return fmt::format("{}/{}/ports/{}", kClass, device, port);
}

std::string mode_path(const std::string& device, std::uint32_t port) {
  return fmt::format("{}/{}/ports/{}/default_roce_mode", kConfig, device, port);
}

/// One nldev dump, every message of it to `take`.
template <class Take>
Result<> dump(NetlinkSocket& socket, NetlinkRequest request, const std::string& what,
              const std::function<void()>& restart, Take take) {
  Result<> read;
  const auto outcome = socket.dump(request, restart, [&](const nlmsghdr& message) {
    if (read) read = take(message);
  });
  if (!outcome) return fail_errno(outcome.error().number, what);
  return read;
}

NetlinkRequest nldev_request(int command) {
  return NetlinkRequest(RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command));
}

Result<std::vector<RdmaDevice>> read_devices(NetlinkSocket& socket) {
  std::vector<RdmaDevice> devices;
  const auto read = dump(
      socket, nldev_request(RDMA_NLDEV_CMD_GET), "read RDMA devices", [&] { devices.clear(); },
      [&](const nlmsghdr& message) -> Result<> {
        auto device = decode_rdma_device(message);
        if (!device) return std::unexpected(device.error());
        devices.push_back(std::move(*device));
        return {};
      });
  if (!read) return std::unexpected(read.error());
  return devices;
}

Result<> add_ports_of(NetlinkSocket& socket, std::uint32_t device, std::vector<RdmaPort>& ports) {
  auto request = nldev_request(RDMA_NLDEV_CMD_PORT_GET);
  request.put_u32(RDMA_NLDEV_ATTR_DEV_INDEX, device);
  const auto before = ports.size();
  return dump(
      socket, std::move(request), "read RDMA ports", [&] { ports.resize(before); },
      [&](const nlmsghdr& message) -> Result<> {
        auto port = decode_rdma_port(message);
        if (!port) return std::unexpected(port.error());
        ports.push_back(std::move(*port));
        return {};
      });
}

/// Hands the used entries to `take`, by index, until that says that it has seen enough.
template <class Take>
Result<> scan_gids(const std::string& device, std::uint32_t port, Take take) {
  const auto path = port_path(device, port);
  if (!is_name(device) || access((path + "/gids").c_str(), F_OK) != 0) {
    return fail(ErrorCode::kNotFound, fmt::format("read GIDs: no RDMA port '{}/{}'", device, port));
  }
  for (std::uint32_t index = 0;; ++index) {
    const auto text = read_attribute(fmt::format("{}/gids/{}", path, index));
    if (!text && text.error().code == ErrorCode::kNotFound) {
      return {};  // beyond the last slot: an unused one reads as zeros
    }
    // What cannot be read must not look absent: the address would be added again for it.
    if (!text) return std::unexpected(text.error());
    const auto ip = decode_gid(*text);
    if (!ip) continue;
    auto type = read_attribute(fmt::format("{}/gid_attrs/types/{}", path, index));
    if (!type && type.error().code == ErrorCode::kInvalid) {
      continue;  // it went between the two reads
    }
    if (!type) return std::unexpected(type.error());
    // A network device of another namespace has no name here.
    auto link = read_attribute(fmt::format("{}/gid_attrs/ndevs/{}", path, index));
    if (take(RdmaGid{index, *ip, std::move(*type), link.value_or("")})) return {};
  }
}

}  // namespace

Result<std::vector<RdmaPort>> LinuxRdma::ports() {
  std::vector<RdmaPort> ports;
  // To open a socket of this protocol would have the kernel load ib_core.
  if (access(kClass, F_OK) != 0) return ports;
  auto socket = NetlinkSocket::open(NETLINK_RDMA);
  if (!socket) return std::unexpected(socket.error());
  const auto devices = read_devices(*socket);
  if (!devices) return std::unexpected(devices.error());
  for (const auto& device : *devices) {
    const auto added = add_ports_of(*socket, device.index, ports);
    // A device may go between the two questions.
    if (!added && added.error().code != ErrorCode::kNotFound &&
        added.error().code != ErrorCode::kInvalid) {
      return std::unexpected(added.error());
    }
  }
  std::ranges::sort(ports, {}, [](const RdmaPort& p) { return std::tie(p.device, p.port); });
  return ports;
}

Result<std::vector<RdmaGid>> LinuxRdma::gids(const std::string& device, std::uint32_t port) {
  std::vector<RdmaGid> gids;
  auto scanned = scan_gids(device, port, [&](RdmaGid gid) {
    gids.push_back(std::move(gid));
    return false;
  });
  if (!scanned) return std::unexpected(scanned.error());
  return gids;
}

Result<std::optional<RdmaGid>> LinuxRdma::find_gid(const std::string& device, std::uint32_t port,
                                                   const IpAddress& ip, const std::string& link) {
  std::optional<RdmaGid> found;
  auto scanned = scan_gids(device, port, [&](RdmaGid gid) {
    if (is_gid_of(gid, ip, link)) found = std::move(gid);
    return found.has_value();
  });
  if (!scanned) return std::unexpected(scanned.error());
  return found;
}

Result<bool> LinuxRdma::await_gid(const std::string& device, std::uint32_t port,
                                  const IpAddress& ip, const std::string& link,
                                  std::chrono::milliseconds deadline) {
  // The kernel enters a GID from a work queue (roce_gid_mgmt.c), and no netlink message announces
  // it: there is nothing to wait for but time. A look reads files, up to three an entry.
  constexpr std::chrono::milliseconds kBetweenLooks{10};
  const auto end = std::chrono::steady_clock::now() + deadline;
  while (true) {
    const bool is_last = std::chrono::steady_clock::now() >= end;
    const auto gid = find_gid(device, port, ip, link);
    if (!gid) return std::unexpected(gid.error());
    if (*gid || is_last) return gid->has_value();
    std::this_thread::sleep_for(kBetweenLooks);
  }
}

Result<std::vector<std::uint32_t>> LinuxRdma::users(const std::string& device) {
  auto socket = NetlinkSocket::open(NETLINK_RDMA);
  if (!socket) return std::unexpected(socket.error());
  const auto devices = read_devices(*socket);
  if (!devices) return std::unexpected(devices.error());
  const auto found = std::ranges::find(*devices, device, &RdmaDevice::name);
  if (found == devices->end()) {
    return fail(ErrorCode::kNotFound, fmt::format("no RDMA device '{}'", device));
  }
  auto request = nldev_request(RDMA_NLDEV_CMD_RES_QP_GET);
  request.put_u32(RDMA_NLDEV_ATTR_DEV_INDEX, found->index);
  std::vector<std::uint32_t> users;
  const auto read = dump(
      *socket, std::move(request), "read queue pairs", [&] { users.clear(); },
      [&](const nlmsghdr& message) -> Result<> {
        const auto pairs = decode_rdma_users(message);
        if (!pairs) return std::unexpected(pairs.error());
        users.insert(users.end(), pairs->begin(), pairs->end());
        return {};
      });
  if (!read) return std::unexpected(read.error());
  return users;
}

RailCounters LinuxRdma::counters(const std::string& device, std::uint32_t port,
                                 const std::string& link) {
  return read_rail_counters("", is_name(device) ? device : "", port, is_name(link) ? link : "");
}

Result<std::optional<std::string>> LinuxRdma::cm_mode(const std::string& device,
                                                      std::uint32_t port) {
  if (access(kConfig, F_OK) != 0) {
    return fail(ErrorCode::kNotFound,
                "rdma_cm is not loaded (module rdma_ucm), or configfs is not mounted");
  }
  if (!is_name(device)) {
    return fail(ErrorCode::kNotFound, fmt::format("no RDMA device '{}'", device));
  }
  auto text = read_proc(mode_path(device, port));
  if (!text && text.error().code == ErrorCode::kNotFound) return std::nullopt;
  if (!text) return std::unexpected(text.error());
  return fold_blanks(text->substr(0, text->find('\n')));
}

Result<> LinuxRdma::set_cm_mode(const std::string& device, std::uint32_t port,
                                const std::string& mode) {
  const auto what = fmt::format("set rdma_cm mode of '{}/{}' to '{}'", device, port, mode);
  auto now = cm_mode(device, port);
  if (!now) return std::unexpected(now.error());
  if (!*now) {
    const auto directory = fmt::format("{}/{}", kConfig, device);
    if (mkdir(directory.c_str(), 0755) != 0 && errno != EEXIST) return fail_errno(errno, what);
    now = cm_mode(device, port);
    if (!now) return std::unexpected(now.error());
  }
  if (*now == mode) return {};
  const UniqueFd file(::open(mode_path(device, port).c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.valid()) return fail_errno(errno, what);
  return write_all(file.get(), mode, what);
}

Result<> LinuxRdma::release_cm_mode(const std::string& device) {
  const auto directory = fmt::format("{}/{}", kConfig, device);
  if (!is_name(device) || (rmdir(directory.c_str()) != 0 && errno != ENOENT)) {
    return fail_errno(errno, fmt::format("remove '{}'", directory));
  }
  return {};
}

}  // namespace spark::host
