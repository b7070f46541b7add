#include "daemon/sd_notify.hpp"

#include <cstdlib>

#include <sys/socket.h>
#include <unistd.h>

#include "base/socket_address.hpp"
#include "base/units.hpp"

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
  const auto microseconds = number_in<std::int64_t>(take_variable("WATCHDOG_USEC")).value_or(0);
  const auto process = take_variable("WATCHDOG_PID");
  const bool ours = process.empty() || process == std::to_string(getpid());
  if (microseconds > 0 && ours) watchdog_ = std::chrono::microseconds(microseconds);
}

void Notify::send(std::string_view lines) const {
  if (socket_.valid()) {
    static_cast<void>(
        ::send(socket_.get(), lines.data(), lines.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
  }
}

namespace {

constexpr const char* kTarget = "spark-ready.target";
/// Exists while this program has the target reached: a daemon that restarts knows by it. A target
/// that was never reached is not stopped, since a stop would cancel units that wait for it at boot.
constexpr const char* kMark = "/run/spark-reconcile/ready";
constexpr std::chrono::seconds kGrace{10};
/// The target waits for nothing but a program that reads a file.
constexpr std::chrono::seconds kDeadline{20};

/// Nobody to ask, or nothing to start: as good as done.
bool settled(const Result<>& result) {
  return result || result.error().code == ErrorCode::kNotFound ||
         result.error().code == ErrorCode::kUnsupported;
}

bool is_marked(host::Host& host) {
  const auto text = host.files.read(kMark);
  return !text || text->has_value();  // one that cannot be read may be there
}

}  // namespace

std::optional<std::chrono::milliseconds> ReadyTarget::follow(host::Host& host,
                                                             gate::Verdict verdict,
                                                             const Moment& now) {
  if (verdict == gate::Verdict::kReady) {
    not_ready_since_.reset();
    constexpr unsigned kMode = 0644;
    // First the mark: a daemon that is killed in between finds it.
    if (reached_ != true && host.files.write(kMark, "", kMode) &&
        settled(host.bus.start(kTarget, kDeadline))) {
      reached_ = true;
    }
    return std::nullopt;
  }
  if (!reached_) reached_ = is_marked(host);
  if (!not_ready_since_) not_ready_since_ = now;
  if (reached_ == false) return std::nullopt;
  const auto left = not_ready_since_->boot + kGrace - now.boot;
  if (left.count() > 0) return left;
  if (settled(host.bus.stop(kTarget, kDeadline)) && host.files.remove(kMark)) reached_ = false;
  return std::nullopt;
}

}  // namespace spark::daemon
