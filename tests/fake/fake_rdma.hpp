#pragma once
// FakeRdma: the RDMA devices of a fake world. An address on the network device brings its GID, as
// in the kernel's roce_gid_mgmt.c.

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fake/fake_netlink.hpp"
#include "fake/fake_writes.hpp"
#include "host/rdma.hpp"

namespace spark::test {

class FakeRdma : public host::Rdma {
 public:
  FakeRdma(FakeWrites& writes, FakeNetlink& netlink) : writes_(writes), netlink_(netlink) {}

  Result<std::vector<host::RdmaPort>> ports() override;
  Result<std::vector<host::RdmaGid>> gids(const std::string& device, std::uint32_t port) override;
  Result<std::optional<host::RdmaGid>> find_gid(const std::string& device, std::uint32_t port,
                                                const IpAddress& ip,
                                                const std::string& link) override;
  /// At once: a GID is there with its address, or does not come.
  Result<bool> await_gid(const std::string& device, std::uint32_t port, const IpAddress& ip,
                         const std::string& link, std::chrono::milliseconds deadline) override;
  Result<std::vector<std::uint32_t>> users(const std::string& device) override;
  host::RailCounters counters(const std::string& device, std::uint32_t port,
                              const std::string& link) override;
  Result<std::optional<std::string>> cm_mode(const std::string& device,
                                             std::uint32_t port) override;
  Result<> set_cm_mode(const std::string& device, std::uint32_t port,
                       const std::string& mode) override;
  Result<> release_cm_mode(const std::string& device) override;

  // What happens to the world without us.

  /// The device appears on the link, which need not be there.
  void attach(const std::string& device, const std::string& link) { links_[device] = link; }
  void detach(const std::string& device) { links_.erase(device); }
  /// As a driver that missed the address's event: its GID is gone until it is added again.
  void lose_gid(const IpAddress& ip);
  /// As a driver that has no room for it: no address brings its GID any more.
  void refuse_gid(const IpAddress& ip) { refused_.insert(ip); }
  /// The RoCE v2 GID of the address stands at that index, from 1, and the one for v1 before it.
  void place_gid(const IpAddress& ip, std::uint32_t index) { placed_[ip] = index; }
  /// A process opens or closes queue pairs on the device.
  void set_users(const std::string& device, std::uint32_t pairs, std::uint32_t pid = 4711) {
    users_[device].assign(pairs, pid);
  }
  /// More than one process has queue pairs on the device: a process for each.
  void set_queue_pairs(const std::string& device, std::vector<std::uint32_t> pids) {
    users_[device] = std::move(pids);
  }
  /// What the link, and its RDMA device where it has one, counted so far.
  host::RailCounters& counted(const std::string& link) { return counters_[link]; }
  /// As a kernel that does not tell who uses a device.
  void hide_users(bool hidden = true) { users_hidden_ = hidden; }
  /// The module rdma_cm goes, and with it what configfs shows.
  void unload_cm() { cm_loaded_ = false; }
  void load_cm() { cm_loaded_ = true; }

 private:
  std::map<std::string, std::string> links_;  ///< by device
  /// How often each address had been added when its GID was lost.
  std::map<IpAddress, std::size_t> lost_;
  std::set<IpAddress> refused_;
  std::map<IpAddress, std::uint32_t> placed_;
  std::map<std::string, std::string> cm_modes_;  ///< of devices whose directory was made
  std::map<std::string, std::vector<std::uint32_t>> users_;  ///< a process for each queue pair
  std::map<std::string, host::RailCounters> counters_;       ///< by link
  bool users_hidden_ = false;
  bool cm_loaded_ = true;
  FakeWrites& writes_;
  FakeNetlink& netlink_;
};

}  // namespace spark::test
