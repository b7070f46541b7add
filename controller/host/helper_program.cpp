#include "host/helper_program.hpp"

#include <array>
#include <cerrno>
#include <climits>

#include <fmt/format.h>
#include <unistd.h>

namespace spark {

Result<std::string> find_helper_program(const std::string& name) {
  std::array<char, PATH_MAX> self{};
  const auto size = readlink("/proc/self/exe", self.data(), self.size());
  if (size <= 0) {
    return fail_errno(errno, "find this program's own file");
  }
  const std::string path(self.data(), static_cast<std::size_t>(size));
  const auto directory = path.substr(0, path.rfind('/'));
  for (const auto& place : {fmt::format("{}/{}", directory, name),
                            fmt::format("{}/../libexec/spark-reconcile/{}", directory, name)}) {
    if (access(place.c_str(), X_OK) == 0) {
      return place;
    }
  }
  return fail(
      ErrorCode::kNotFound,
      fmt::format("'{}' is neither beside '{}' nor in ../libexec/spark-reconcile: install it "
                  "with this program",
                  name, path));
}

}  // namespace spark
