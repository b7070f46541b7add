#include "host/process/file_io.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/handle.hpp"
#include "base/text.hpp"

namespace spark::host {

Result<std::string> read_all(int descriptor, std::size_t limit_bytes, const std::string& what) {
  constexpr std::size_t kFirstRead = 4096;
  std::string text;
  std::size_t used = 0;
  while (true) {
    // One byte beyond the limit tells "exactly as long" from "longer".
    text.resize(std::min(std::max(kFirstRead, 2 * used), limit_bytes + 1));
    const auto size = ::read(descriptor, text.data() + used, text.size() - used);
    if (size < 0 && errno != EINTR) return fail_errno(errno, what);
    used += static_cast<std::size_t>(std::max<ssize_t>(size, 0));
    if (used > limit_bytes) {
      return fail(ErrorCode::kSystem,
                  fmt::format("{}: longer than {} KiB", what, limit_bytes / 1024));
    }
    if (size == 0) {
      text.resize(used);
      return text;
    }
  }
}

Result<> write_all(int descriptor, std::string_view text, const std::string& what) {
  while (!text.empty()) {
    const auto size = ::write(descriptor, text.data(), text.size());
    if (size >= 0) {
      text.remove_prefix(static_cast<std::size_t>(size));
    } else if (errno != EINTR) {
      return fail_errno(errno, what);
    }
  }
  return {};
}

Result<UniqueFd> unnamed_file(std::string_view text, const std::string& what) {
  UniqueFd file(memfd_create("text", MFD_CLOEXEC));
  if (!file.valid()) return fail_errno(errno, what);
  if (const auto written = write_all(file.get(), text, what); !written) {
    return std::unexpected(written.error());
  }
  if (lseek(file.get(), 0, SEEK_SET) != 0) return fail_errno(errno, what);
  return file;
}

Result<std::vector<std::string>> list_names(int directory, const std::string& what) {
  // The stream closes its descriptor itself, so it gets one of its own.
  const Handle<DIR, closedir> stream(fdopendir(fcntl(directory, F_DUPFD_CLOEXEC, 0)));
  if (!stream) return fail_errno(errno, what);
  std::vector<std::string> names;
  errno = 0;
  while (const auto* entry = readdir(stream.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  if (errno != 0) return fail_errno(errno, what);
  std::ranges::sort(names);
  return names;
}

Result<std::string> read_proc(const std::string& path) {
  constexpr std::size_t kLimitBytes = std::size_t{16} * 1024 * 1024;
  const auto what = fmt::format("read '{}'", path);
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return file.valid() ? read_all(file.get(), kLimitBytes, what) : fail_errno(errno, what);
}

Result<std::string> read_attribute(const std::string& path) {
  const auto text = read_proc(path);
  if (!text) return std::unexpected(text.error());
  return fold_blanks(text->substr(0, text->find('\n')));
}

std::string attribute(const std::string& path) { return read_attribute(path).value_or(""); }

std::vector<std::string> names_in(const std::string& path) {
  const UniqueFd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return directory.valid() ? list_names(directory.get(), path).value_or(std::vector<std::string>{})
                           : std::vector<std::string>{};
}

std::string link_target(const std::string& path) {
  std::array<char, PATH_MAX> target{};
  const auto size = readlink(path.c_str(), target.data(), target.size());
  return {target.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

}  // namespace spark::host
