#pragma once
// Event sources: who tells that something changed. None says what: a pass reads afresh.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "base/result.hpp"

namespace spark {

/// Called on the loop's thread, once for whatever came at a time.
using OnEvent = std::function<void(std::string_view source)>;

/// A descriptor that is readable, or in an exceptional state, when something changed.
class EventSource {
 public:
  EventSource(boost::asio::io_context& loop, int fd, OnEvent on_event);
  EventSource(const EventSource&) = delete;
  EventSource& operator=(const EventSource&) = delete;
  virtual ~EventSource() = default;

  /// From now on.
  void start();

 protected:
  /// Takes all that is there. Empty: nothing that matters.
  virtual std::string_view drain() = 0;
  /// POLLPRI instead of POLLIN.
  [[nodiscard]] virtual bool is_exceptional() const { return false; }
  [[nodiscard]] int fd() { return descriptor_.native_handle(); }

 private:
  boost::asio::posix::stream_descriptor descriptor_;  // owns the descriptor
  OnEvent on_event_;
};

/// Who changed a link or an address on it, by the link's index: "NetworkManager (process 412)".
using Writers = std::map<int, std::string>;

/// Links, addresses and routes change (rtnetlink(7)): "netlink", or "overrun" when some were lost.
class NetlinkSource : public EventSource {
 public:
  static Result<std::unique_ptr<NetlinkSource>> open(boost::asio::io_context& loop,
                                                     OnEvent on_event);

  /// The last to change each since this was asked last, as far as they can be known: the kernel
  /// names the port of whoever changed an address, and of a link's changes only that it came or
  /// went; and the process may have ended. This program is nobody.
  Writers take_writers() { return std::exchange(writers_, {}); }
  [[nodiscard]] const Writers& writers() const { return writers_; }

 protected:
  std::string_view drain() override;

 private:
  using EventSource::EventSource;

  void note_writers(std::string_view datagram);

  Writers writers_;
};

/// Network, RDMA, NVMe and block devices come and go: "uevent" (netlink(7),
/// NETLINK_KOBJECT_UEVENT).
Result<std::unique_ptr<EventSource>> watch_devices(boost::asio::io_context& loop, OnEvent on_event);

/// The mount table changes: "mounts" (proc(5), /proc/self/mountinfo).
Result<std::unique_ptr<EventSource>> watch_mounts(boost::asio::io_context& loop, OnEvent on_event);

/// Files change, appear or go: "file" (inotify(7)).
class FileSource : public EventSource {
 public:
  static Result<std::unique_ptr<FileSource>> open(boost::asio::io_context& loop, OnEvent on_event);

  /// Watches these files and directories instead of the last ones, whether they are there or not.
  /// Absolute paths; those of /proc, /sys and /dev are left out, where nobody is told. Where one is
  /// a symbolic link, so is what it leads to; one below `root` (without a slash at its end) is read
  /// as below that.
  void watch(const std::vector<std::string>& paths, const std::string& root);

 protected:
  std::string_view drain() override;

 private:
  using EventSource::EventSource;

  void watch_one(const std::string& path);
  void add(const std::string& directory, const std::string& name);

  std::map<std::string, int> watches_;             ///< by directory
  std::map<int, std::vector<std::string>> names_;  ///< by watch; "" is every name
};

}  // namespace spark
