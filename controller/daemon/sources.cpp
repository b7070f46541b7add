#include "daemon/sources.hpp"

#include <utility>

#include "protocol/paths.hpp"
#include "state/by_hand.hpp"
#include "state/journal.hpp"
#include "state/ledger.hpp"
#include "state/node_record.hpp"
#include "state/pause.hpp"

namespace spark::daemon {

Result<> Sources::open(boost::asio::io_context& loop, const OnEvent& on_event) {
  for (const auto watch : {watch_devices, watch_mounts}) {
    auto source = watch(loop, on_event);
    if (!source) return std::unexpected(source.error());
    (*source)->start();
    others_.push_back(std::move(*source));
  }
  auto netlink = NetlinkSource::open(loop, on_event);
  if (!netlink) return std::unexpected(netlink.error());
  netlink_ = std::move(*netlink);
  netlink_->start();
  auto files = FileSource::open(loop, on_event);
  if (!files) return std::unexpected(files.error());
  files_ = std::move(*files);
  files_->start();
  watch_files({}, false);
  return {};
}

void Sources::watch_files(std::vector<std::string> paths, bool is_released) {
  // What a correction writes tells nothing new; the journal of an apply by hand does, and where
  // nothing is corrected, the end of a release.
  std::erase_if(paths, [&](const std::string& path) {
    return path.starts_with(protocol::kVolatileJournals) || path.ends_with(state::kRecordName) ||
           (path.ends_with(protocol::kLedgerName) && !is_released);
  });
  // The last two are for somebody who removes them.
  paths.insert(paths.end(), {protocol::kPauseFile, state::kByHandFile, protocol::kLastGoodFile,
                             protocol::kDaemonLockFile});
  for (auto& path : paths) {
    path.insert(0, root_);
  }
  paths.push_back(file_);
  files_->watch(paths, root_);
}

}  // namespace spark::daemon
