#include "helpers/peers/lines.hpp"

#include <array>
#include <cerrno>

#include <fmt/format.h>
#include <unistd.h>

namespace spark::helpers {

bool LineReader::fill() {
  std::array<char, 4096> bytes{};
  const auto got = ::read(descriptor_, bytes.data(), bytes.size());
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  if (got == 0) return false;
  lines_.add({bytes.data(), static_cast<std::size_t>(got)});
  return !lines_.is_too_long();
}

Result<std::string> LineReader::await(SteadyTime end) {
  while (true) {
    if (auto line = take()) return std::move(*line);
    if (lines_.is_too_long()) {
      return fail(ErrorCode::kSystem,
                  fmt::format("it sent a line of more than {} bytes", lines_.most()));
    }
    if (!wait_for(descriptor_, POLLIN, end))
      return fail(ErrorCode::kTimeout, "it sent no whole line in time");
    if (!fill() && !lines_.is_too_long()) {
      if (auto line = take()) return std::move(*line);
      return fail(ErrorCode::kSystem, "it closed the connection");
    }
  }
}

Result<> write_line(int descriptor, std::string_view line, SteadyTime end) {
  std::string text(line);
  text += '\n';
  std::string_view left = text;
  while (!left.empty()) {
    const auto put = ::write(descriptor, left.data(), left.size());
    if (put > 0) {
      left.remove_prefix(static_cast<std::size_t>(put));
    } else if (put < 0 && errno == EAGAIN) {
      if (!wait_for(descriptor, POLLOUT, end)) {
        return fail(ErrorCode::kTimeout, "it reads too slowly");
      }
    } else if (put < 0 && errno != EINTR) {
      return fail_errno(errno, "write a line");
    }
  }
  return {};
}

}  // namespace spark::helpers
