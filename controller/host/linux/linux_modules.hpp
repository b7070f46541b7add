#pragma once
// LinuxModules: the Modules port, from /sys/module and the lists that depmod(8) makes.

#include "host/modules.hpp"

namespace spark::host {

class LinuxModules : public Modules {
 public:
  Result<ModuleInfo> look(const std::string& name) override;
};

}  // namespace spark::host
