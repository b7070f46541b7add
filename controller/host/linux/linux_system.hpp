#pragma once
// LinuxSystem: the System port on this machine.

#include <string>

#include "host/files.hpp"
#include "host/system.hpp"

namespace spark::host {

class LinuxSystem : public System {
 public:
  /// `files` gives /etc/machine-id and /etc/hostname, and must outlive this. `ssh_connection` is
  /// the environment's SSH_CONNECTION (ssh(1)); empty where there is none.
  LinuxSystem(Files& files, std::string ssh_connection)
      : files_(files), ssh_connection_(std::move(ssh_connection)) {}

  Result<Identity> identity() override;
  Result<bool> can_change_network() override;
  Result<std::vector<SshSession>> ssh_sessions() override;

 private:
  Files& files_;
  std::string ssh_connection_;
};

}  // namespace spark::host
