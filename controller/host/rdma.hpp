#pragma once
// Rdma: the RDMA devices of this machine, their ports and GIDs; adapter in linux/rdma/linux_rdma.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ip.hpp"
#include "base/result.hpp"
#include "host/rail_counters.hpp"

namespace spark::host {

/// States of a port (IB_PORT_* of the kernel's rdma/ib_verbs.h).
inline constexpr std::uint8_t kRdmaPortActive = 4;

/// One port of an RDMA device, from RDMA netlink (RDMA_NLDEV_CMD_PORT_GET, attributes of
/// rdma/rdma_netlink.h).
struct RdmaPort {
  std::string device;               ///< RDMA_NLDEV_ATTR_DEV_NAME: "rocep1s0f0"
  std::uint32_t port = 0;           ///< RDMA_NLDEV_ATTR_PORT_INDEX, from 1
  std::uint8_t state = 0;           ///< RDMA_NLDEV_ATTR_PORT_STATE: 1 down, 4 active
  std::uint8_t physical_state = 0;  ///< RDMA_NLDEV_ATTR_PORT_PHYS_STATE: 3 disabled, 5 link up
  /// RDMA_NLDEV_ATTR_NDEV_INDEX, the ifindex of its network device; 0: it has none here (another
  /// network namespace may own it).
  int link_index = 0;
  bool operator==(const RdmaPort&) const = default;
};

/// One used entry of a port's GID table. Its index moves when addresses come and go.
struct RdmaGid {
  std::uint32_t index = 0;
  IpAddress ip;      ///< the GID as an address; IPv4-mapped ones as IPv4
  std::string type;  ///< "RoCE v2" or "IB/RoCE v1"
  std::string link;  ///< name of the network device; empty: not of this network namespace
  bool operator==(const RdmaGid&) const = default;
};

/// The texts in configfs for the RoCE version that connections made by rdma_cm use by default.
inline constexpr const char* kRoceV1 = "IB/RoCE v1";
inline constexpr const char* kRoceV2 = "RoCE v2";

/// The entry is the RoCE v2 GID of that address on that network device: what RDMA to and from the
/// address needs.
inline bool is_gid_of(const RdmaGid& gid, const IpAddress& ip, const std::string& link) {
  return gid.ip == ip && gid.link == link && gid.type == kRoceV2;
}

class Rdma {
 public:
  Rdma() = default;
  Rdma(const Rdma&) = delete;
  Rdma& operator=(const Rdma&) = delete;
  virtual ~Rdma() = default;

  /// All ports of all devices, by device and port. None where the kernel has no RDMA loaded; it is
  /// not loaded by asking.
  virtual Result<std::vector<RdmaPort>> ports() = 0;
  /// The used entries, by index: a thousand slots may have to be read for a few.
  /// Source: /sys/class/infiniband/DEV/ports/N/gids and gid_attrs.
  /// Errors: kNotFound when there is no such device or port.
  virtual Result<std::vector<RdmaGid>> gids(const std::string& device, std::uint32_t port) = 0;
  /// The RoCE v2 entry of that address on that network device; empty when there is none. Reads the
  /// table only up to the entry. Errors: as `gids`.
  virtual Result<std::optional<RdmaGid>> find_gid(const std::string& device, std::uint32_t port,
                                                  const IpAddress& ip, const std::string& link) = 0;
  /// Waits for that entry, which comes a moment after its address. False: it has not come when
  /// `deadline` has passed. Errors: as `gids`.
  virtual Result<bool> await_gid(const std::string& device, std::uint32_t port, const IpAddress& ip,
                                 const std::string& link, std::chrono::milliseconds deadline) = 0;

  /// The process of each queue pair on the device that a process has: whom a test or a change would
  /// disturb. A process with several stands there as often. Errors: kNotFound when there is no such
  /// device.
  virtual Result<std::vector<std::uint32_t>> users(const std::string& device) = 0;
  /// What the network device `link` and the port carried so far; `device` empty: the link has no
  /// RDMA device. What is absent, or not told, is empty. It neither sets a mode nor binds a queue
  /// pair to a counter.
  virtual RailCounters counters(const std::string& device, std::uint32_t port,
                                const std::string& link) = 0;

  /// Text of default_roce_mode. Empty optional: nobody has made the device's directory in configfs
  /// yet, and until then the mode cannot be read (the value is the kernel's, the directory only a
  /// handle). Errors: kNotFound when rdma_cm is not loaded or configfs not mounted.
  virtual Result<std::optional<std::string>> cm_mode(const std::string& device,
                                                     std::uint32_t port) = 0;
  /// Makes the directory where it is missing, and writes the mode if it is another.
  virtual Result<> set_cm_mode(const std::string& device, std::uint32_t port,
                               const std::string& mode) = 0;
  /// Removes the device's directory in configfs; the mode stays as it is.
  virtual Result<> release_cm_mode(const std::string& device) = 0;
};

}  // namespace spark::host
