#include "cli/init/new_file.hpp"

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/unique_fd.hpp"
#include "cli/input/named_file.hpp"

namespace spark::cli {
namespace {

/// The error code of the first call that failed, or 0.
int fill(int fd, const std::string& text, NewFileMode mode) {
  for (std::size_t done = 0; done < text.size();) {
    const auto written = ::write(fd, text.data() + done, text.size() - done);
    if (written < 0 && errno != EINTR) return errno;
    done += written > 0 ? static_cast<std::size_t>(written) : 0;
  }
  return ::fchmod(fd, static_cast<mode_t>(mode)) == 0 ? 0 : errno;
}

std::unexpected<Error> is_there_already(const std::string& path, std::string_view option) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    return std::unexpected(fault_of_output(path, EISDIR, option));
  }
  return fail(ErrorCode::kBusy,
              fmt::format("'{}' is there already, and no file is replaced: give {} another name, "
                          "or move that file away",
                          path, option));
}

}  // namespace

Result<> check_new_file(const std::string& path, std::string_view option) {
  struct stat there{};
  if (::lstat(path.c_str(), &there) == 0) return is_there_already(path, option);
  const auto folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (folder.empty() || std::filesystem::is_directory(folder, error)) return {};
  return std::unexpected(
      fault_of_output(path, std::filesystem::exists(folder, error) ? ENOTDIR : ENOENT, option));
}

Result<> write_new_file(const std::string& path, const std::string& text, std::string_view option,
                        NewFileMode mode) {
  const UniqueFd fd(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.valid() && errno == EEXIST) return is_there_already(path, option);
  if (!fd.valid()) return std::unexpected(fault_of_output(path, errno, option));
  if (const int error = fill(fd.get(), text, mode); error != 0) {
    static_cast<void>(::unlink(path.c_str()));  // the error that matters is the first one
    return std::unexpected(fault_of_output(path, error, option));
  }
  return {};
}

}  // namespace spark::cli
