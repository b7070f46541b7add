#pragma once
// Sources: all that tells the daemon of a change: the kernel's netlink, devices and mounts, and the
// files on which a pass depends.

#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "base/result.hpp"
#include "daemon/events/event_sources.hpp"

namespace spark::daemon {

class Sources {
 public:
  /// `root`: before every path; empty: the system's own. `file`: the cluster file, as this process
  /// would open it.
  Sources(std::string root, std::string file) : root_(std::move(root)), file_(std::move(file)) {}

  /// Begins to listen; the loop calls `on_event`. Errors: what keeps a source from being opened.
  Result<> open(boost::asio::io_context& loop, const OnEvent& on_event);

  /// Watches the files that a pass read, and those of ours that somebody may remove. `is_released`:
  /// nothing is corrected.
  void watch_files(std::vector<std::string> paths, bool is_released);
  /// Watches the same files again: directories of some may have come since.
  void watch_again() { files_->watch(watched_, root_); }

  /// Who changed a link or its addresses last, by the link's index; `take_writers` forgets them.
  [[nodiscard]] const host::Writers& writers() const { return netlink_->writers(); }
  host::Writers take_writers() { return netlink_->take_writers(); }

 private:
  std::string root_;
  std::string file_;
  std::vector<std::unique_ptr<EventSource>> others_;
  std::unique_ptr<NetlinkSource> netlink_;
  std::unique_ptr<FileSource> files_;
  std::unique_ptr<FileSource> peers_;
  std::unique_ptr<VerbsSource> verbs_;
  std::vector<std::string> watched_;
};

}  // namespace spark::daemon
