#pragma once
// LinuxRdma: the Rdma port on RDMA netlink, sysfs and configfs.

#include "host/rdma.hpp"

namespace spark::host {

class LinuxRdma : public Rdma {
 public:
  Result<std::vector<RdmaPort>> ports() override;
  Result<std::vector<RdmaGid>> gids(const std::string& device, std::uint32_t port) override;
  Result<std::optional<RdmaGid>> find_gid(const std::string& device, std::uint32_t port,
                                          const IpAddress& ip, const std::string& link) override;
  Result<bool> await_gid(const std::string& device, std::uint32_t port, const IpAddress& ip,
                         const std::string& link, std::chrono::milliseconds deadline) override;
  Result<std::vector<std::uint32_t>> users(const std::string& device) override;
  RailCounters counters(const std::string& device, std::uint32_t port,
                        const std::string& link) override;
  Result<std::optional<std::string>> cm_mode(const std::string& device,
                                             std::uint32_t port) override;
  Result<> set_cm_mode(const std::string& device, std::uint32_t port,
                       const std::string& mode) override;
  Result<> release_cm_mode(const std::string& device) override;
};

}  // namespace spark::host
