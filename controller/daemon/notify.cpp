#include "daemon/notify.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdlib>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace spark {
namespace {

std::string take_variable(const char* name) {
  const char* value = std::getenv(name);
  std::string text = value == nullptr ? "" : value;
  unsetenv(name);
  return text;
}

UniqueFd connected_to(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(address.sun_path)) {
    return {};
  }
  std::ranges::copy(path, std::begin(address.sun_path));
  if (path.front() == '@') {
    address.sun_path[0] = '\0';  // the abstract namespace
  }
  const auto size = offsetof(sockaddr_un, sun_path) + path.size();
  UniqueFd fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const bool connected = fd.valid() && connect(fd.get(), reinterpret_cast<sockaddr*>(&address),
                                               static_cast<socklen_t>(size)) == 0;
  return connected ? std::move(fd) : UniqueFd();
}

}  // namespace

Notify::Notify() : socket_(connected_to(take_variable("NOTIFY_SOCKET"))) {
  const auto text = take_variable("WATCHDOG_USEC");
  const auto process = take_variable("WATCHDOG_PID");
  std::uint64_t microseconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), microseconds);
  const bool ours = process.empty() || process == std::to_string(getpid());
  if (error == std::errc{} && microseconds > 0 && ours) {
    watchdog_ = std::chrono::microseconds(microseconds);
  }
}

void Notify::send(std::string_view lines) const {
  if (socket_.valid()) {
    static_cast<void>(
        ::send(socket_.get(), lines.data(), lines.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
  }
}

}  // namespace spark
