#include "host/linux/linux_sysctl.hpp"

#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "base/text.hpp"
#include "base/unique_fd.hpp"
#include "host/process/file_io.hpp"

namespace spark::host {
namespace {

constexpr std::size_t kMostValueBytes = std::size_t{64} * 1024;

Result<UniqueFd> open_key(const std::string& key, int flags, const std::string& what) {
  const auto file = sysctl_file(key);
  if (!file) return std::unexpected(file.error());
  UniqueFd descriptor(::open(("/proc/sys/" + *file).c_str(), flags | O_CLOEXEC));
  if (!descriptor.valid()) return fail_errno(errno, what);
  return descriptor;
}

}  // namespace

Result<SysctlValue> LinuxSysctl::read(const std::string& key) {
  const auto what = fmt::format("read sysctl '{}'", key);
  const auto file = open_key(key, O_RDONLY, what);
  if (!file) return std::unexpected(file.error());
  struct stat status{};
  if (fstat(file->get(), &status) != 0) return fail_errno(errno, what);
  if (!S_ISREG(status.st_mode)) {
    return fail(ErrorCode::kInvalid, what + ": it is a directory of keys");
  }
  const auto text = read_all(file->get(), kMostValueBytes, what);
  if (!text) return std::unexpected(text.error());
  const auto value = std::string_view(*text).substr(0, text->find_last_not_of('\n') + 1);
  return SysctlValue{.text = fold_blanks(value), .writable = (status.st_mode & S_IWUSR) != 0};
}

Result<> LinuxSysctl::write(const std::string& key, const std::string& text) {
  const auto what = fmt::format("set sysctl '{}' to '{}'", key, text);
  const auto file = open_key(key, O_WRONLY, what);
  if (!file) return std::unexpected(file.error());
  // In one write: the kernel takes each as a whole value (proc_sys_write).
  return write_all(file->get(), text + "\n", what);
}

}  // namespace spark::host
