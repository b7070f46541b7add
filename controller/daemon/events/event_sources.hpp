#pragma once
// Event sources: report that something changed. None says what: a pass reads everything again.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "base/result.hpp"
#include "host/netlink.hpp"

namespace spark::daemon {

/// Called on the loop's thread, once for all events that came together.
using OnEvent = std::function<void(std::string_view source)>;

/// A descriptor that is readable, or in an exceptional state, when something changed.
class EventSource {
 public:
  EventSource(boost::asio::io_context& loop, int fd, OnEvent on_event);
  EventSource(const EventSource&) = delete;
  EventSource& operator=(const EventSource&) = delete;
  virtual ~EventSource() = default;

  /// Reports events from now on.
  void start();

 protected:
  /// Reads all events that are there, and returns their source. Empty: none of them matters.
  virtual std::string_view drain() = 0;
  /// True: waits for POLLPRI instead of POLLIN.
  [[nodiscard]] virtual bool is_exceptional() const { return false; }
  [[nodiscard]] int fd() { return descriptor_.native_handle(); }

 private:
  boost::asio::posix::stream_descriptor descriptor_;  // owns the descriptor
  OnEvent on_event_;
};

/// Links, addresses and routes change (rtnetlink(7)): "netlink", or "overrun" when some were lost.
class NetlinkSource : public EventSource {
 public:
  static Result<std::unique_ptr<NetlinkSource>> open(boost::asio::io_context& loop,
                                                     OnEvent on_event);

  /// The last process that changed each link since the previous call, as far as it can be known:
  /// the kernel names the port of the process that changed an address, but for a link only when the
  /// link came or went; and the process may have ended. This program itself does not count.
  host::Writers take_writers() { return std::exchange(writers_, {}); }
  [[nodiscard]] const host::Writers& writers() const { return writers_; }

 protected:
  std::string_view drain() override;

 private:
  using EventSource::EventSource;

  void note_writers(std::string_view datagram);

  host::Writers writers_;
};

/// Network, RDMA, NVMe and block devices come and go: "uevent" (netlink(7),
/// NETLINK_KOBJECT_UEVENT).
Result<std::unique_ptr<EventSource>> watch_devices(boost::asio::io_context& loop, OnEvent on_event);

/// The mount table changes: "mounts" (proc(5), /proc/self/mountinfo).
Result<std::unique_ptr<EventSource>> watch_mounts(boost::asio::io_context& loop, OnEvent on_event);

/// A process opens an RDMA device, so it may be a job: "verbs" (inotify(7)). A container has device
/// nodes of its own, of which nothing is reported.
class VerbsSource : public EventSource {
 public:
  /// `root`: before every path; empty: the system's own.
  static Result<std::unique_ptr<VerbsSource>> open(boost::asio::io_context& loop, OnEvent on_event,
                                                   const std::string& root);

  /// Watches again: the directory of these devices comes with the first of them.
  void watch();

 protected:
  std::string_view drain() override;

 private:
  using EventSource::EventSource;

  std::string directory_;
};

/// Files change, appear or go: "file", or the name that `source` gives them (inotify(7)).
class FileSource : public EventSource {
 public:
  static Result<std::unique_ptr<FileSource>> open(boost::asio::io_context& loop, OnEvent on_event,
                                                  std::string_view source = "file");

  /// Watches these files and directories instead of the last ones, whether they are there or not.
  /// Absolute paths; those of /proc, /sys and /dev are left out, since inotify does not report
  /// their changes. Also watches what a symbolic link leads to; a link below `root` (without a
  /// slash at its end) is followed below `root`.
  void watch(const std::vector<std::string>& paths, const std::string& root);

 protected:
  std::string_view drain() override;

 private:
  using EventSource::EventSource;

  void watch_one(const std::string& path);
  void add(const std::string& directory, const std::string& name);

  std::string_view source_;
  std::map<std::string, int> watches_;             ///< by directory
  std::map<int, std::vector<std::string>> names_;  ///< by watch; "" is every name
};

}  // namespace spark::daemon
