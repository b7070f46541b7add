#include "daemon/sources.hpp"

#include <utility>

#include <fmt/format.h>

#include "protocol/all_nodes.hpp"
#include "protocol/board.hpp"
#include "protocol/paths.hpp"
#include "protocol/peers.hpp"
#include "state/by_hand.hpp"
#include "state/node_record.hpp"
#include "state/source.hpp"

namespace spark::daemon {

Result<> Sources::open(boost::asio::io_context& loop, const OnEvent& on_event) {
  auto verbs = VerbsSource::open(loop, on_event, root_);
  if (!verbs) return std::unexpected(verbs.error());
  verbs_ = std::move(*verbs);
  verbs_->start();
  const OnEvent on_device = [this, on_event](std::string_view source) {
    verbs_->watch();  // its directory may have come
    on_event(source);
  };
  for (const auto& [watch, on] :
       {std::pair{&watch_devices, on_device}, std::pair{&watch_mounts, on_event}}) {
    auto source = watch(loop, on);
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
  // No pass depends on what spark-peers reports, and so it is an event of its own.
  const std::vector<std::string> report{root_ + protocol::kPeersReportFile};
  auto peers = FileSource::open(
      loop,
      [this, on_event, report](std::string_view source) {
        peers_->watch(report, root_);  // its directory may have come
        on_event(source);
      },
      "peers");
  if (!peers) return std::unexpected(peers.error());
  peers_ = std::move(*peers);
  peers_->watch(report, root_);
  peers_->start();
  return {};
}

void Sources::watch_files(std::vector<std::string> paths, bool is_released) {
  // What a correction writes tells nothing new; the journal of an apply by hand does, and where
  // nothing is corrected, the end of a release.
  std::erase_if(paths, [&](const std::string& path) {
    return path.starts_with(protocol::kVolatileJournals) || path.ends_with(state::kRecordName) ||
           (path.ends_with(protocol::kLedgerName) && !is_released);
  });
  // Verbs write the record, and people remove the last two.
  paths.insert(paths.end(), {protocol::kPauseFile, protocol::kMutesFile, state::kByHandFile,
                             protocol::kInForceRecord, protocol::kDaemonLockFile});
  // What all nodes are asked, and say.
  paths.insert(paths.end(), {protocol::kAllNodesAskFile, protocol::kBoardsFile});
  // What follows a repository.
  paths.insert(paths.end(), {state::kAgentFile, protocol::kJudgementFile});
  paths.push_back(fmt::format("{}{}", protocol::kFetchDirectory, protocol::kOfferName));
  for (auto& path : paths) path.insert(0, root_);
  paths.push_back(file_);
  watched_ = std::move(paths);
  watch_again();
}

}  // namespace spark::daemon
