#pragma once
// LinuxSystem: the System port on this machine.

#include <string>

#include "host/files.hpp"
#include "host/modules.hpp"
#include "host/sysctl.hpp"
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

// LinuxModules: the Modules port, from /sys/module and the lists that depmod(8) makes.

class LinuxModules : public Modules {
 public:
  Result<ModuleInfo> look(const std::string& name) override;
};

// LinuxSysctl: the Sysctl port on /proc/sys of this machine, whatever root the files have.

class LinuxSysctl : public Sysctl {
 public:
  Result<SysctlValue> read(const std::string& key) override;
  Result<> write(const std::string& key, const std::string& text) override;
};

}  // namespace spark::host
