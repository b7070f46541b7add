#include "bench/status_watch.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <utility>

#include <sys/inotify.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "bench/process.hpp"
#include "host/linux/netlink/socket.hpp"

namespace spark::bench {

StatusWatch::StatusWatch(std::string file)
    : file_(std::move(file)), inotify_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
  const auto directory = std::filesystem::path(file_).parent_path().string();
  if (inotify_add_watch(inotify_.get(), directory.c_str(), IN_MOVED_TO) < 0) {
    give_up("cannot watch " + directory);
  }
}

bool StatusWatch::comes_within(std::chrono::milliseconds time) const {
  const auto deadline = std::chrono::steady_clock::now() + time;
  const auto name = std::filesystem::path(file_).filename().string();
  bool came = false;
  while (!came && host::wait_readable(inotify_.get(), deadline).value_or(false)) {
    alignas(inotify_event) std::array<char, 4096> buffer{};
    const auto got = ::read(inotify_.get(), buffer.data(), buffer.size());
    for (std::size_t at = 0; got > 0 && at < static_cast<std::size_t>(got);) {
      const auto* event = reinterpret_cast<const inotify_event*>(&buffer[at]);
      came |= event->len > 0 && name == event->name;
      at += sizeof(inotify_event) + event->len;
    }
  }
  return came;
}

void StatusWatch::wait() const {
  if (!comes_within(std::chrono::seconds(10))) {
    give_up("the daemon makes no pass");
  }
}

void StatusWatch::wait_for_silence(std::chrono::milliseconds silence) const {
  while (comes_within(silence)) {
  }
}

nlohmann::json StatusWatch::read() const {
  std::ifstream file(file_);
  auto status = nlohmann::json::parse(file, nullptr, false);
  if (!status.is_object()) {
    give_up("cannot read " + file_);
  }
  return status;
}

}  // namespace spark::bench
