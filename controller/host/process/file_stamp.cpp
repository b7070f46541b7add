#include "host/process/file_stamp.hpp"

#include <sys/stat.h>

namespace spark::host {

std::optional<FileStamp> file_stamp(const std::string& path) {
  struct stat status{};
  if (lstat(path.c_str(), &status) != 0) return std::nullopt;
  constexpr std::int64_t kSecond = 1'000'000'000;
  return FileStamp{.device = status.st_dev,
                   .inode = status.st_ino,
                   .size = status.st_size,
                   .changed_ns = (status.st_ctim.tv_sec * kSecond) + status.st_ctim.tv_nsec};
}

}  // namespace spark::host
