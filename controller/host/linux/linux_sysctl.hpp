#pragma once
// LinuxSysctl: the Sysctl port on /proc/sys of this machine, whatever root the files have.

#include <string>

#include "host/sysctl.hpp"

namespace spark::host {

class LinuxSysctl : public Sysctl {
 public:
  Result<SysctlValue> read(const std::string& key) override;
  Result<> write(const std::string& key, const std::string& text) override;
};

}  // namespace spark::host
