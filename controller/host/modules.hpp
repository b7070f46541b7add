#pragma once
// Modules: which kernel modules are there, and which could be; adapter in linux/linux_modules.
// systemd loads modules (Bus).

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace spark::host {

struct ModuleInfo {
  bool loaded = false;     ///< in the kernel, and done with its start (/sys/module/NAME/initstate)
  bool built_in = false;   ///< part of the kernel's own image
  bool available = false;  ///< loaded, built in, or there is a file of it for the running kernel
  bool operator==(const ModuleInfo&) const = default;
};

class Modules {
 public:
  Modules() = default;
  Modules(const Modules&) = delete;
  Modules& operator=(const Modules&) = delete;
  virtual ~Modules() = default;

  /// `name` as the kernel has it, with '_'. Errors: kNotFound when it is not in the kernel and the
  /// running kernel's list of modules (modules.dep) is not there; kUnsupported without /sys.
  virtual Result<ModuleInfo> look(const std::string& name) = 0;
};

/// The name as the kernel has it: '-' and '_' are one character (modprobe(8)).
std::string canonical_module_name(std::string_view name);

/// Whether a list of paths names the module. modules.builtin has one path a line; modules.dep also
/// has ':' and what the module needs ("kernel/drivers/nvme/host/nvme-tcp.ko.zst: …").
bool lists_module(std::string_view text, std::string_view canonical_name);

}  // namespace spark::host
