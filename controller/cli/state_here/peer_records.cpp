#include "cli/state_here/peer_records.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/json_document.hpp"
#include "base/line_buffer.hpp"
#include "base/text.hpp"
#include "cli/state_here/told_here.hpp"
#include "host/process/child.hpp"
#include "host/process/file_io.hpp"
#include "host/process/helper_program.hpp"
#include "state/select.hpp"

namespace spark::cli {
namespace {

using protocol::RecordsTask;
using protocol::RecordTaken;
using protocol::Span;

/// What clocks may differ by before anybody has compared them.
constexpr std::chrono::minutes kClocksApart{30};
/// Beside what the helper gives all: the last ones that it asks may take their time.
constexpr std::chrono::seconds kBesideAll{15};
constexpr std::size_t kLongestReason = 300;

RecordsTask task_for(const config::Node& node, const std::optional<Span>& window,
                     const std::string& only) {
  RecordsTask task{.node = node.name,
                   .key_file = node.ready.key_file ? node.ready.key_file->value : "",
                   .peers = state::expected_peers(node)};
  if (window) task.window = Span{window->from - kClocksApart, window->to + kClocksApart};
  if (!only.empty()) {
    std::erase_if(task.peers, [&only](const auto& peer) { return peer.node != only; });
  }
  return task;
}

using TakenByNode = std::map<std::string, RecordTaken>;

/// What the helper says of the peers of its task, once of each: one that was taken over writes what
/// it likes.
class TakenRecords {
 public:
  explicit TakenRecords(const RecordsTask& task) : task_(task) {}

  void add(std::string_view bytes) {
    if (lines_.is_too_long()) return;
    lines_.add(bytes);
    while (const auto line = lines_.take()) {
      auto taken = value_from_text<RecordTaken>(*line);
      if (taken && is_asked(taken->node)) all_.try_emplace(taken->node, std::move(*taken));
    }
  }

  [[nodiscard]] bool is_whole() const {
    return std::ranges::all_of(task_.peers,
                               [&](const auto& peer) { return all_.contains(peer.node); });
  }
  [[nodiscard]] TakenByNode take() { return std::move(all_); }

 private:
  [[nodiscard]] bool is_asked(const std::string& node) const {
    return std::ranges::find(task_.peers, node, &protocol::ExpectedPeer::node) != task_.peers.end();
  }

  const RecordsTask& task_;
  LineBuffer lines_{protocol::kLongestRecordTaken};
  TakenByNode all_;
};

/// Of each peer of the task. Errors: as ask_peer_records.
Result<TakenByNode> run_records_task(const RecordsTask& task) {
  const auto program = host::find_helper(host::Helper::kPeers);
  if (!program) return std::unexpected(program.error());
  const auto in =
      host::unnamed_file(json_text(TextJsonWriter::write(task)) + '\n', "write the task");
  if (!in) return std::unexpected(in.error());
  TakenRecords taken(task);
  const auto ran = host::run_child(
      {*program, "records"}, protocol::kRecordsTime + kBesideAll,
      {.in = in->get(), .on_out = [&](std::string_view bytes) { taken.add(bytes); }});
  if (!ran) return std::unexpected(ran.error());
  if (!taken.is_whole()) {
    return fail(ErrorCode::kSystem, host::why_not_started(*program, *ran));
  }
  return taken.take();
}

/// "spark2 runs 0.2.0, which keeps no record"
std::string older_text(const std::string& node, const std::optional<cluster::Told>& told) {
  const auto* details = told ? protocol::told_by(told->peers, node) : nullptr;
  return fmt::format("{} runs {}, which keeps no record", node,
                     details == nullptr ? "an earlier version"
                                        : printable(details->details.version, kLongestReason));
}

void make_printable(PeerRecord& record) {
  for (auto& sign : record.signs.signs) {
    for (auto* text : {&sign.link, &sign.peer, &sign.text}) *text = printable(*text);
  }
  if (!record.rails) return;
  for (auto& rail : record.rails->rails) rail.link = printable(rail.link);
}

}  // namespace

Result<std::vector<PeerRecord>> ask_peer_records(host::Host& host, const config::Node& node,
                                                 const std::optional<Span>& window,
                                                 const std::string& only) {
  const auto task = task_for(node, window, only);
  std::vector<PeerRecord> all;
  if (task.peers.empty()) return all;
  auto taken = run_records_task(task);
  if (!taken) return std::unexpected(taken.error());
  const auto told = told_here(host);
  for (const auto& peer : task.peers) {
    if (std::ranges::find(all, peer.node, &PeerRecord::node) != all.end()) continue;
    auto& came = taken->at(peer.node);
    auto& record = all.emplace_back(PeerRecord{
        .node = peer.node,
        .why = came.is_older ? older_text(peer.node, told) : printable(came.why, kLongestReason),
        .signs = std::move(came.record),
        .rails = std::move(came.rails)});
    record.signs.node = peer.node;
    make_printable(record);
  }
  return all;
}

}  // namespace spark::cli
