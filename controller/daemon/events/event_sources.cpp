#include "daemon/events/event_sources.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.hpp"
#include "base/unique_fd.hpp"
#include "base/wait.hpp"
#include "host/linux/netlink/changes.hpp"
#include "host/process/file_io.hpp"

namespace spark::daemon {
namespace {

/// A socket that cannot be read has lost what was in it.
bool drain_kernel(int fd, const std::function<void(std::string_view)>& take) {
  return host::take_datagrams(fd, take).value_or(true);
}

/// Empty: it has ended.
std::string name_of_process(std::uint32_t number) {
  const auto name = host::read_attribute(fmt::format("/proc/{}/comm", number));
  // A port has the number of the process that opened the socket: systemd does that for networkd
  // (systemd-networkd.socket), and sets no address of its own but the loopback's.
  if (number == 1 && name && *name == "systemd") return "systemd-networkd";
  // Anyone names a process as they like, and this goes to terminals, logs and alerts.
  return name ? fmt::format("{} (process {})", printable(*name), number) : "";
}

class DeviceSource : public EventSource {
 public:
  using EventSource::EventSource;

 protected:
  std::string_view drain() override { return host::take_device_events(fd()) ? "uevent" : ""; }
};

class MountSource : public EventSource {
 public:
  using EventSource::EventSource;

 protected:
  std::string_view drain() override { return "mounts"; }
  [[nodiscard]] bool is_exceptional() const override { return true; }
};

/// The descriptor is the source's from now on.
template <class Source>
Result<std::unique_ptr<EventSource>> make_source(boost::asio::io_context& loop, Result<UniqueFd> fd,
                                                 OnEvent on_event) {
  if (!fd) return std::unexpected(fd.error());
  return std::make_unique<Source>(loop, fd->release(), std::move(on_event));
}

bool is_directory(const std::string& path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

/// "/etc/x" of "/etc/x/y"; "/" of "/etc".
std::string parent_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

bool is_told(const std::string& path) {
  return path.starts_with('/') &&
         std::ranges::none_of(std::array{"/proc/", "/sys/", "/dev/"},
                              [&](const char* prefix) { return path.starts_with(prefix); });
}

/// The path, and what it leads to link by link: an editor that writes in place changes the last one
/// in another directory.
std::vector<std::string> with_targets(const std::string& path, const std::string& root) {
  constexpr std::size_t kMostLinks = 40;  // as the kernel follows (path_resolution(7))
  std::vector<std::string> hops{path};
  while (hops.size() <= kMostLinks) {
    const auto& last = hops.back();
    const auto target = host::link_target(last);
    if (target.empty()) break;
    const auto start = last.starts_with(root + "/") ? root : std::string();
    hops.push_back(target.starts_with('/') ? start + target
                                           : fmt::format("{}/{}", parent_of(last), target));
  }
  return hops;
}

/// All events that are there, with the names that they are about.
template <class Take>
void drain_inotify(int fd, Take take) {
  alignas(inotify_event) std::array<char, 4096> buffer{};
  while (true) {
    const auto got = read(fd, buffer.data(), buffer.size());
    if (got <= 0) return;
    for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
      const auto* event = reinterpret_cast<const inotify_event*>(&buffer[at]);
      take(*event, event->len == 0 ? std::string_view() : std::string_view(event->name));
      at += sizeof(inotify_event) + event->len;
    }
  }
}

}  // namespace

EventSource::EventSource(boost::asio::io_context& loop, int fd, OnEvent on_event)
    : descriptor_(loop, fd), on_event_(std::move(on_event)) {}

void EventSource::start() {
  using Descriptor = boost::asio::posix::stream_descriptor;
  descriptor_.async_wait(is_exceptional() ? Descriptor::wait_error : Descriptor::wait_read,
                         [this](const boost::system::error_code& error) {
                           if (error) {
                             return;  // the source is going away
                           }
                           if (const auto source = drain(); !source.empty()) on_event_(source);
                           start();
                         });
}

Result<std::unique_ptr<NetlinkSource>> NetlinkSource::open(boost::asio::io_context& loop,
                                                           OnEvent on_event) {
  auto fd = host::open_netlink_group(
      NETLINK_ROUTE, {RTNLGRP_LINK, RTNLGRP_IPV4_IFADDR, RTNLGRP_IPV6_IFADDR, RTNLGRP_IPV4_ROUTE,
                      RTNLGRP_IPV6_ROUTE});
  if (!fd) return std::unexpected(fd.error());
  return std::unique_ptr<NetlinkSource>(
      new NetlinkSource(loop, fd->release(), std::move(on_event)));
}

std::string_view NetlinkSource::drain() {
  bool told = false;
  const bool lost = drain_kernel(fd(), [&](std::string_view datagram) {
    told = true;
    note_writers(datagram);
  });
  return lost ? "overrun" : told ? "netlink" : "";
}

void NetlinkSource::note_writers(std::string_view datagram) {
  for (const auto& [link, process] : host::changes_in(datagram)) {
    if (process == static_cast<std::uint32_t>(getpid())) continue;
    if (auto name = name_of_process(process); !name.empty()) writers_[link] = std::move(name);
  }
}

Result<std::unique_ptr<EventSource>> watch_devices(boost::asio::io_context& loop,
                                                   OnEvent on_event) {
  return make_source<DeviceSource>(loop, host::open_device_events(), std::move(on_event));
}

Result<std::unique_ptr<EventSource>> watch_mounts(boost::asio::io_context& loop, OnEvent on_event) {
  UniqueFd fd(::open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return fail_errno(errno, "open '/proc/self/mountinfo'");
  return make_source<MountSource>(loop, std::move(fd), std::move(on_event));
}

Result<std::unique_ptr<FileSource>> FileSource::open(boost::asio::io_context& loop,
                                                     OnEvent on_event, std::string_view source) {
  auto fd = make_inotify();
  if (!fd) return std::unexpected(fd.error());
  std::unique_ptr<FileSource> files(new FileSource(loop, fd->release(), std::move(on_event)));
  files->source_ = source;
  return files;
}

void FileSource::watch(const std::vector<std::string>& paths, const std::string& root) {
  auto former = std::exchange(watches_, {});
  names_.clear();
  for (const auto& path : paths) {
    for (const auto& hop : with_targets(path, root)) watch_one(hop);
  }
  for (const auto& [directory, watch] : former) {
    if (!names_.contains(watch)) inotify_rm_watch(fd(), watch);
  }
}

void FileSource::watch_one(const std::string& path) {
  if (!is_told(path)) return;
  if (is_directory(path)) add(path, "");
  // What is not there may come, and a whole folder of it: whatever is made above it matters.
  auto child = path;
  auto directory = parent_of(path);
  while (!is_directory(directory) && directory != "/") {
    child = directory;
    directory = parent_of(directory);
  }
  add(directory, child.substr(child.rfind('/') + 1));
}

void FileSource::add(const std::string& directory, const std::string& name) {
  auto known = watches_.find(directory);
  if (known == watches_.end()) {
    constexpr std::uint32_t kChanges = IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM |
                                       IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF;
    const int watch = inotify_add_watch(fd(), directory.c_str(), kChanges | IN_ONLYDIR);
    if (watch < 0) {
      return;  // it went away just now, or there are too many: the slow timer looks all the same
    }
    known = watches_.emplace(directory, watch).first;
  }
  names_[known->second].push_back(name);
}

std::string_view FileSource::drain() {
  bool told = false;
  drain_inotify(fd(), [&](const inotify_event& event, std::string_view name) {
    const auto names = names_.find(event.wd);
    told |= (event.mask & (IN_Q_OVERFLOW | IN_DELETE_SELF | IN_MOVE_SELF)) != 0;
    told |=
        names != names_.end() && std::ranges::any_of(names->second, [&](const std::string& wanted) {
          return wanted.empty() || wanted == name;
        });
  });
  return told ? source_ : "";
}

Result<std::unique_ptr<VerbsSource>> VerbsSource::open(boost::asio::io_context& loop,
                                                       OnEvent on_event, const std::string& root) {
  auto fd = make_inotify();
  if (!fd) return std::unexpected(fd.error());
  std::unique_ptr<VerbsSource> verbs(new VerbsSource(loop, fd->release(), std::move(on_event)));
  verbs->directory_ = root + "/dev/infiniband";
  verbs->watch();
  return verbs;
}

void VerbsSource::watch() {
  // Where it fails, no device is there, and the look with the gate sees its jobs.
  static_cast<void>(inotify_add_watch(fd(), directory_.c_str(), IN_OPEN | IN_CLOSE | IN_ONLYDIR));
}

std::string_view VerbsSource::drain() {
  bool told = false;
  drain_inotify(fd(), [&told](const inotify_event& /*event*/, std::string_view name) {
    told |= name.starts_with("uverbs");
  });
  return told ? "verbs" : "";
}

}  // namespace spark::daemon
