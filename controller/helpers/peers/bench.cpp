#include "protocol/bench.hpp"

#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <poll.h>

#include "base/json_document.hpp"
#include "base/wait.hpp"
#include "helpers/peers/own_key.hpp"
#include "helpers/peers/own_user.hpp"
#include "helpers/peers/probe_relay.hpp"
#include "helpers/peers/question.hpp"
#include "helpers/peers/task_lines.hpp"
#include "helpers/peers/tasks.hpp"
#include "protocol/peers.hpp"

namespace spark::helpers {
namespace {

using protocol::BenchEnded;
using protocol::BenchTask;
using protocol::RailRoute;
using Steady = std::chrono::steady_clock;

/// So long a peer may say that its rail is not ready yet.
constexpr std::chrono::seconds kPeerSettles{20};
constexpr std::chrono::milliseconds kAskAgain{500};
constexpr auto kWaitsKind =
    protocol::kRdmaHindrances.at(static_cast<std::size_t>(protocol::RdmaHindrance::kPeerWaits));

BenchEnded no_part(const RailRoute& route, std::string why, bool is_busy = false) {
  return {.link = route.link,
          .ours = std::nullopt,
          .theirs = std::nullopt,
          .why = std::move(why),
          .is_busy = is_busy};
}

protocol::BenchAsk ask_of(const BenchTask& task, protocol::PeerOperation operation) {
  return {.run = task.run,
          .operation = operation,
          .seconds = task.seconds,
          .queue_pairs = task.queue_pairs,
          .beside_jobs = task.beside_jobs,
          .is_last = task.is_last};
}

/// The connection to a peer that takes part; else why it does not.
using Asked = std::expected<Conversation, BenchEnded>;

Asked ask_once(const BenchTask& task, const RailRoute& route, const OwnKey& key, bool& waits) {
  const protocol::ExpectedPeer peer{
      .node = task.peer, .ip = route.ip, .link = route.link, .local = route.local};
  protocol::PeerAsk question{.what = "bench"};
  question.node = task.node;
  question.bench = ask_of(task, task.theirs);
  auto said = ask_peer(peer, {.node = task.node, .key = key}, question, protocol::kLongestPeerLine,
                       2 * protocol::kBenchPatience + kAskTime);
  const auto no = [&](const std::string& why, bool is_busy = false) {
    return std::unexpected(no_part(route, why, is_busy));
  };
  if (!said) return no(said.error().why);
  const auto answer = value_from_text<protocol::PeerAnswer>(said->answer);
  if (!answer) {
    return no(fmt::format("{}: its answer is not understood: {}", task.peer, answer.error().what));
  }
  if (answer->refused.empty()) return std::move(*said);
  const auto missing = refusal(task.peer, *answer);
  waits = answer->kind == kWaitsKind;
  return no(missing.why, missing.kind == protocol::RdmaHindrance::kJob ||
                             missing.kind == protocol::RdmaHindrance::kProbe);
}

/// A peer whose daemon has just started knows soon whether its rails are ready.
Asked ask(const BenchTask& task, const RailRoute& route, const OwnKey& key, const TaskLines& out) {
  const auto end = Steady::now() + kPeerSettles;
  while (true) {
    bool waits = false;
    auto asked = ask_once(task, route, key, waits);
    if (asked || !waits || Steady::now() >= end) return asked;
    // Nothing tells when it is: it is asked again.
    if (wait_for(out.gone(), POLLIN, Steady::now() + kAskAgain)) return asked;
  }
}

BenchEnded measure(const BenchTask& task, const RailRoute& route, const OwnKey& key,
                   TaskLines& out) {
  auto said = ask(task, route, key, out);
  if (!said) return std::move(said.error());
  const auto ours = ask_of(task, task.ours);
  const auto words = bench_words(route, ours);
  if (!words) return no_part(route, words.error().what);
  const auto on_progress = [&](protocol::BenchEnd end, const protocol::PeerProgress& progress) {
    out.say(protocol::BenchProgress{
        .link = route.link, .end = end, .bits_per_second = progress.bits_per_second});
  };
  auto reports = relay_probe(*words, said->lines, Steady::now() + bench_time(ours) + kRelayGrace,
                             {.on_progress = on_progress, .stop = out.gone()});
  if (!reports) return no_part(route, reports.error().what);
  return {.link = route.link,
          .ours = std::move(reports->ours),
          .theirs = std::move(reports->theirs),
          .why = std::move(reports->why)};
}

}  // namespace

Result<> run_bench_task(int in, int out) {
  if (auto dropped = become_peers_user(); !dropped) return dropped;
  const auto task = read_task<BenchTask>(in, protocol::kLongestBenchLine);
  if (!task) return std::unexpected(task.error());
  const auto key = KeyFile(task->key_file).look();
  TaskLines lines(out);
  std::vector<std::jthread> threads;
  threads.reserve(task->routes.size());
  for (const auto& route : task->routes) {
    threads.emplace_back([&] { lines.say(measure(*task, route, key, lines)); });
  }
  return {};
}

}  // namespace spark::helpers
