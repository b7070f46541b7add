#include "host/sysctl.hpp"

#include <algorithm>
#include <ranges>

#include <fmt/format.h>

namespace spark::host {

Result<std::string> sysctl_file(std::string_view key) {
  const auto wrong = [&] {
    return fail(ErrorCode::kInvalid, fmt::format("'{}' is no sysctl key", key));
  };
  if (key.empty()) return wrong();
  std::string file(key);
  const auto separator = key.find_first_of("./");
  if (separator != std::string_view::npos && key[separator] == '.') {
    std::ranges::transform(file, file.begin(),
                           [](char c) { return c == '.' ? '/' : (c == '/' ? '.' : c); });
  }
  for (const auto part : std::views::split(file, '/')) {
    const std::string_view name(part.begin(), part.end());
    if (name.empty() || name == "." || name == ".." || name.find('\0') != name.npos) return wrong();
  }
  return file;
}

}  // namespace spark::host
