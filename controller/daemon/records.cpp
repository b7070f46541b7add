#include "daemon/records.hpp"

#include <utility>

#include <fmt/format.h>
#include <syslog.h>

#include "daemon/notifier.hpp"
#include "protocol/paths.hpp"

namespace spark::daemon {

Records::Records(host::Files& files, const DaemonLog& log) {
  const auto text = files.read(protocol::kKeptEventsFile).value_or(std::nullopt);
  if (!text) return;
  auto kept = state::EventLog::from_text(*text);
  if (!kept) {
    log(LOG_WARNING, fmt::format("'{}' is not understood; events start empty: {}",
                                 protocol::kKeptEventsFile, kept.error().what));
    return;
  }
  events_ = std::move(*kept);
}

std::vector<Record> Records::take_changed(std::string alerts) {
  std::vector<Record> changed;
  const auto take = [&changed](const char* path, std::string text, std::string& written) {
    if (text != written) {
      changed.push_back({path, text});
      written = std::move(text);
    }
  };
  take(kAlertsFile, std::move(alerts), alerts_written_);
  take(protocol::kKeptEventsFile, events_.to_text(), events_written_);
  return changed;
}

Result<> write_records(host::Files& files, const std::vector<Record>& records) {
  constexpr unsigned kPrivate = 0600;
  constexpr unsigned kPublic = 0644;
  Result<> first;
  const auto note = [&first](Result<> written) {
    if (first) first = std::move(written);
  };
  for (const auto& [path, text] : records) {
    note(files.write_durably(path, text, kPrivate));
    if (path == protocol::kKeptEventsFile) note(files.write(protocol::kEventsFile, text, kPublic));
  }
  return first;
}

}  // namespace spark::daemon
