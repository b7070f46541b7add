#include "daemon/sd_notify.hpp"

#include <charconv>
#include <cstdlib>

#include <sys/socket.h>
#include <unistd.h>

#include "base/socket_address.hpp"

namespace spark::daemon {
namespace {

std::string take_variable(const char* name) {
  const char* value = std::getenv(name);
  std::string text = value == nullptr ? "" : value;
  unsetenv(name);
  return text;
}

UniqueFd connected_to(const std::string& path) {
  const auto address = UnixAddress::from(path);
  UniqueFd fd(address ? ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1);
  const bool connected = fd.valid() && connect(fd.get(), address->get(), address->size()) == 0;
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

}  // namespace spark::daemon
