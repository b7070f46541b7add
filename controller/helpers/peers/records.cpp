#include "protocol/records.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/json_document.hpp"
#include "base/moment.hpp"
#include "base/wait.hpp"
#include "helpers/peers/frames.hpp"
#include "helpers/peers/own_key.hpp"
#include "helpers/peers/own_user.hpp"
#include "helpers/peers/question.hpp"
#include "helpers/peers/task_lines.hpp"
#include "helpers/peers/tasks.hpp"
#include "protocol/peer_ask.hpp"
#include "protocol/peers.hpp"

namespace spark::helpers {
namespace {

using protocol::ExpectedPeer;
using protocol::RecordsTask;
using protocol::RecordTaken;
using PeerRails = std::vector<ExpectedPeer>;  ///< of one peer

constexpr std::size_t kMostAtOnce = 16;

RecordTaken nothing_of(const ExpectedPeer& peer, std::string why) {
  return {.node = peer.node, .why = std::move(why)};
}

/// Its clock is compared with ours in the middle between question and answer.
RecordTaken taken_of(const ExpectedPeer& peer, const Conversation& said) {
  const auto answered = now();
  auto told = decode_record(said.answer, peer.node);
  if (!told) {
    const auto refused = value_from_text<protocol::PeerAnswer>(said.answer);
    if (!refused) {
      return nothing_of(
          peer, fmt::format("{}: its answer is not understood: {}", peer.node, told.error().what));
    }
    auto taken = nothing_of(peer, refusal(peer.node, *refused).why);
    taken.is_older = refused->refused == protocol::kNoSuchQuestion;
    return taken;
  }
  const auto way = (answered.boot - said.asked.boot) / 2;
  told->record.ahead = told->now - (said.asked.wall + way);
  return {.node = peer.node, .record = std::move(told->record), .rails = std::move(told->rails)};
}

/// Over the first rail that leads to it.
RecordTaken ask_over_rails(const RecordsTask& task, const PeerRails& rails, const OwnKey& key,
                           SteadyTime end) {
  protocol::PeerAsk question{.what = "record"};
  question.node = task.node;
  question.window = task.window;
  RecordTaken taken;
  for (const auto& peer : rails) {
    if (std::chrono::steady_clock::now() >= end) break;
    const auto said =
        ask_peer(peer, {.node = task.node, .key = key}, question, protocol::kMostRecordToldBytes);
    if (said) return taken_of(peer, *said);
    taken = nothing_of(peer, said.error().why);
    if (said.error().kind != protocol::RdmaHindrance::kNotHeard) break;
  }
  return taken.node.empty()
             ? nothing_of(rails.front(), rails.front().node + ": there was no time to ask it")
             : taken;
}

std::vector<PeerRails> by_node(const std::vector<ExpectedPeer>& peers) {
  std::vector<PeerRails> all;
  for (const auto& peer : peers) {
    const auto known = std::ranges::find_if(
        all, [&](const PeerRails& rails) { return rails.front().node == peer.node; });
    (known == all.end() ? all.emplace_back() : *known).push_back(peer);
  }
  return all;
}

}  // namespace

Result<> run_records_task(int in, int out) {
  if (auto dropped = become_peers_user(); !dropped) return dropped;
  const auto task = read_task<RecordsTask>(in, protocol::kLongestRecordsTask);
  if (!task) return std::unexpected(task.error());
  const auto key = KeyFile(task->key_file).look();
  const auto peers = by_node(task->peers);
  const auto end = std::chrono::steady_clock::now() + protocol::kRecordsTime;
  TaskLines lines(out);
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < std::min(peers.size(), kMostAtOnce); ++i) {
    threads.emplace_back([&] {
      for (auto at = next++; at < peers.size(); at = next++) {
        lines.say(ask_over_rails(*task, peers[at], key, end));
      }
    });
  }
  return {};
}

}  // namespace spark::helpers
