#pragma once
// Records: what the daemon remembers across restarts: its alerts and the events of this node.

#include <string>
#include <vector>

#include "base/moment.hpp"
#include "base/result.hpp"
#include "daemon/common/daemon_log.hpp"
#include "daemon/news.hpp"
#include "host/files.hpp"
#include "state/event_log.hpp"

namespace spark::daemon {

/// A file to write.
struct Record {
  std::string path;
  std::string text;
};

class Records {
 public:
  /// Reads the events of the daemon that ran before. Where this version cannot read them, that is
  /// logged, and they start empty.
  Records(host::Files& files, const DaemonLog& log);

  void add(const News& news, const Moment& at) { events_.add(event_of(news, at)); }

  /// The files that differ from what the last call returned. `alerts` is the text of kAlertsFile.
  std::vector<Record> take_changed(std::string alerts);

 private:
  state::EventLog events_;
  std::string alerts_written_;
  std::string events_written_;
};

/// Writes them durably, and the copy of the events that all may read.
/// Errors: the first one of the files port; the other files are written all the same.
Result<> write_records(host::Files& files, const std::vector<Record>& records);

}  // namespace spark::daemon
