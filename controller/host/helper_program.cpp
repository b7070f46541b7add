#include "host/helper_program.hpp"

#include <cerrno>

#include <fmt/format.h>
#include <unistd.h>

#include "host/file_io.hpp"

namespace spark {

Result<std::string> own_program() {
  auto path = link_target("/proc/self/exe");
  if (path.empty()) {
    return fail_errno(errno, "find this program's own file");
  }
  if (access(path.c_str(), X_OK) != 0) {
    return fail(ErrorCode::kNotFound,
                fmt::format("'{}', this program, was replaced since it began", path));
  }
  return path;
}

Result<std::string> find_helper_program(const std::string& name) {
  const auto own = own_program();
  if (!own) return own;
  const auto& path = *own;
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
