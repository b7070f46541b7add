#include "host/linux/linux_modules.hpp"

#include <cerrno>

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "host/process/file_io.hpp"

namespace spark::host {
namespace {

Result<std::string> read_list(const std::string& release, const char* name) {
  return read_proc(fmt::format("/lib/modules/{}/{}", release, name));
}

}  // namespace

Result<ModuleInfo> LinuxModules::look(const std::string& name) {
  if (access("/sys/module", F_OK) != 0) {
    return fail_errno(errno == ENOENT ? EOPNOTSUPP : errno, "look at '/sys/module'");
  }
  // A module has a state; what is built in has a directory only if it has parameters or a version.
  const auto directory = "/sys/module/" + name;
  if (const auto state = read_proc(directory + "/initstate")) {
    const bool live = *state == "live\n";
    return ModuleInfo{.loaded = live, .built_in = false, .available = true};
  }
  constexpr ModuleInfo kBuiltIn{.loaded = false, .built_in = true, .available = true};
  if (access(directory.c_str(), F_OK) == 0) return kBuiltIn;
  utsname names{};
  if (uname(&names) != 0) return fail_errno(errno, "read the kernel's release");
  const auto built_in = read_list(names.release, "modules.builtin");
  if (built_in && lists_module(*built_in, name)) return kBuiltIn;
  const auto files = read_list(names.release, "modules.dep");
  if (!files) return std::unexpected(files.error());
  return ModuleInfo{.available = lists_module(*files, name)};
}

}  // namespace spark::host
