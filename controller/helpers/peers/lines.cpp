#include "helpers/peers/lines.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

namespace spark::helpers {

bool wait_for(int descriptor, SteadyTime end, bool to_write) {
  while (true) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    pollfd entry{
        .fd = descriptor, .events = static_cast<short>(to_write ? POLLOUT : POLLIN), .revents = 0};
    const int ready =
        poll(&entry, 1, static_cast<int>(std::max(left, std::chrono::milliseconds(0)).count()));
    if (ready >= 0 || errno != EINTR) return ready > 0;
  }
}

bool LineReader::is_too_long() const {
  return std::min(buffer_.find('\n'), buffer_.size()) > limit_;
}

bool LineReader::fill() {
  std::array<char, 4096> bytes{};
  const auto got = ::read(descriptor_, bytes.data(), bytes.size());
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  if (got == 0) return false;
  buffer_.append(bytes.data(), static_cast<std::size_t>(got));
  return !is_too_long();
}

std::optional<std::string> LineReader::take() {
  const auto end = buffer_.find('\n');
  if (end == std::string::npos || end > limit_) return std::nullopt;
  auto line = buffer_.substr(0, end);
  buffer_.erase(0, end + 1);
  return line;
}

Result<std::string> LineReader::await(SteadyTime end) {
  while (true) {
    if (auto line = take()) return std::move(*line);
    if (is_too_long()) {
      return fail(ErrorCode::kSystem, fmt::format("it sent a line of more than {} bytes", limit_));
    }
    if (!wait_for(descriptor_, end))
      return fail(ErrorCode::kTimeout, "it sent no whole line in time");
    if (!fill() && !is_too_long()) {
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
      if (!wait_for(descriptor, end, true)) {
        return fail(ErrorCode::kTimeout, "it reads too slowly");
      }
    } else if (put < 0 && errno != EINTR) {
      return fail_errno(errno, "write a line");
    }
  }
  return {};
}

}  // namespace spark::helpers
