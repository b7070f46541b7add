#include "cli/init/new_file.hpp"

#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/unique_fd.hpp"

namespace spark::cli {
namespace {

/// The error code of the first call that failed, or 0.
int fill(int fd, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const auto written = ::write(fd, text.data() + done, text.size() - done);
    if (written < 0 && errno != EINTR) return errno;
    done += written > 0 ? static_cast<std::size_t>(written) : 0;
  }
  // For everybody to read, whatever the umask: `plan` needs no root.
  constexpr mode_t kMode = 0644;
  return ::fchmod(fd, kMode) == 0 ? 0 : errno;
}

std::unexpected<Error> is_there_already(const std::string& path, std::string_view option) {
  return fail(ErrorCode::kBusy,
              fmt::format("'{}' is there already, and no file is replaced: give {} another name, "
                          "or move that file away",
                          path, option));
}

}  // namespace

Result<> check_new_file(const std::string& path, std::string_view option) {
  struct stat there{};
  if (::lstat(path.c_str(), &there) != 0) return {};
  return is_there_already(path, option);
}

Result<> write_new_file(const std::string& path, const std::string& text, std::string_view option) {
  const UniqueFd fd(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.valid() && errno == EEXIST) return is_there_already(path, option);
  if (!fd.valid()) return fail_errno(errno, fmt::format("make '{}'", path));
  if (const int error = fill(fd.get(), text); error != 0) {
    static_cast<void>(::unlink(path.c_str()));  // the error that matters is the first one
    return fail_errno(error, fmt::format("write '{}'", path));
  }
  return {};
}

}  // namespace spark::cli
