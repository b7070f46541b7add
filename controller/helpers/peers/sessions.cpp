#include "helpers/peers/sessions.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <sys/eventfd.h>

#include "base/json_document.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "helpers/peers/frames.hpp"
#include "helpers/peers/probe_relay.hpp"
#include "helpers/peers/question.hpp"
#include "helpers/peers/record_told.hpp"
#include "protocol/bench.hpp"
#include "protocol/records.hpp"

namespace spark::helpers {
namespace {

using protocol::ExpectedPeer;
using protocol::PeerAnswer;
using protocol::PeerAsk;
using protocol::PeersOrder;
using protocol::RdmaHindrance;
using std::chrono::seconds;
using Steady = std::chrono::steady_clock;

constexpr std::size_t kMostSessions = 24;
/// However often others connect, and one of them: this node can still ask, and who is at another
/// cable is still answered.
constexpr std::size_t kMostAnswered = 16;
constexpr std::size_t kMostOfAsker = 8;
constexpr seconds kRelayTime = kProofTime + kRelayGrace;
constexpr std::size_t kLongestId = 64;

template <class Line>
std::string line_of(const Line& line) {
  return json_text(TextJsonWriter::write(line));
}

/// This node's end of the rail to that peer. Errors: in words for both ends.
Result<protocol::RailRoute> route_to(const PeersOrder& order, const ExpectedPeer& peer) {
  const auto* rail = order.own.rail(peer.link);
  if (rail == nullptr || !rail->fault.empty()) {
    return fail(ErrorCode::kNotFound, rail == nullptr ? peer.link + " is not there" : rail->fault);
  }
  return protocol::RailRoute{.link = peer.link,
                             .local = peer.local,
                             .device = rail->device,
                             .port = rail->port,
                             .ip = peer.ip};
}

Result<std::vector<std::string>> words_to_prove(const PeersOrder& order, const ExpectedPeer& peer) {
  const auto route = route_to(order, peer);
  return route ? proof_words(*route) : std::unexpected(route.error());
}

Outcome relayed(Outcome outcome, Result<ProbeReports> reports) {
  if (!reports) {
    outcome.missing = {RdmaHindrance::kOther, reports.error().what};
    return outcome;
  }
  outcome.ours = std::move(reports->ours);
  outcome.theirs = std::move(reports->theirs);
  if (!outcome.ours && !outcome.theirs) {
    outcome.missing = {RdmaHindrance::kOther,
                       fmt::format("{}: {}", outcome.peer.node, reports->why)};
  }
  return outcome;
}

std::string kind_text(RdmaHindrance kind) {
  return std::string(protocol::kRdmaHindrances.at(static_cast<std::size_t>(kind)));
}

/// The end that would be asked knows of the job too. Where it cannot be told, it stays as it was.
void say_hindered(const Asker& asker, const ExpectedPeer& peer, const Missing& missing) {
  PeerAsk told{.what = "hindered"};
  told.node = asker.node;
  told.kind = kind_text(missing.kind);
  told.why = missing.why;
  static_cast<void>(tell_peer(peer, asker, told));
}

Missing too_much() { return {RdmaHindrance::kProbe, "too much is asked at once"}; }

/// What a peer answered is of no use.
Missing no_answer(const ExpectedPeer& peer, const std::string& why) {
  return {RdmaHindrance::kNotHeard, fmt::format("{}: {}", peer.node, why)};
}

/// With a peer that takes part in what it is asked.
std::expected<Conversation, Missing> agreed(const ExpectedPeer& peer, const Asker& asker,
                                            const PeerAsk& ask) {
  auto said = ask_peer(peer, asker, ask, protocol::kLongestPeerLine);
  if (!said) return said;
  const auto answered = value_from_text<PeerAnswer>(said->answer);
  if (!answered) return std::unexpected(no_answer(peer, answered.error().what));
  if (!answered->refused.empty()) return std::unexpected(refusal(peer.node, *answered));
  return said;
}

Outcome details_of(const ExpectedPeer& peer, const Asker& asker) {
  Outcome outcome{.peer = peer, .what = "details"};
  const auto said = ask_peer(peer, asker, {.what = "details"}, protocol::kMostDetailsBytes);
  if (!said) {
    outcome.missing = said.error();
    return outcome;
  }
  auto details = decode_details(said->answer);
  if (!details) {
    const auto refused = value_from_text<PeerAnswer>(said->answer);
    outcome.missing =
        refused ? refusal(peer.node, *refused)
                : no_answer(peer, "its answer is not understood: " + details.error().what);
  } else if (details->node != peer.node) {
    outcome.missing =
        no_answer(peer, fmt::format("{} has its address {}", details->node, peer.ip.text()));
  } else {
    outcome.digest = protocol::short_digest(sha256_of(said->answer));
    outcome.details = std::move(*details);
  }
  return outcome;
}

}  // namespace

/// A question of a peer that this node may take part in.
struct Sessions::Asked {
  const PeerAsk& ask;
  PeerLines& lines;
  const ExpectedPeer& peer;
  const PeersOrder& order;
};

std::nullopt_t Sessions::refuse(const Asked& asked, RdmaHindrance kind, const std::string& why) {
  const PeerAnswer answer{.refused = why, .kind = kind_text(kind)};
  // Who asks and goes gets none.
  static_cast<void>(asked.lines.write(line_of(answer), Steady::now() + kAskTime));
  return std::nullopt;
}

bool Sessions::agree(const Asked& asked) {
  return asked.lines.write(line_of(PeerAnswer{}), Steady::now() + kAskTime).has_value();
}

std::string Sessions::job_on(const PeersOrder& order, const ExpectedPeer& peer) const {
  const auto* rail = order.own.rail(peer.link);
  return rail == nullptr || rail->device.empty() ? std::string() : users_(rail->device);
}

Sessions::Sessions(int wake, DeviceUsers users, std::string recorded)
    : wake_(wake),
      users_(std::move(users)),
      recorded_(std::move(recorded)),
      stop_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Sessions::~Sessions() {
  static_cast<void>(eventfd_write(stop_.get(), 1));
  for (auto& running : running_) running.thread.join();
}

Sessions::Own Sessions::current() const {
  const std::scoped_lock lock(mutex_);
  return own_;
}

void Sessions::set_order(Order order, OwnKey key) {
  const std::scoped_lock lock(mutex_);
  own_.order = std::move(order);
  own_.key = std::move(key);
}

void Sessions::set_board(BoardLine board) {
  const std::scoped_lock lock(mutex_);
  own_.board = std::move(board);
}

void Sessions::serve(Incoming incoming, const std::string& link) {
  const auto own = current();
  // Without the key that it needs, this node answers nobody.
  if (!own.order || !own.order->enabled || !own.key.failed.empty()) return;
  const auto& peers = own.order->peers;
  const auto peer = std::ranges::find_if(peers, [&](const ExpectedPeer& expected) {
    return expected.link == link && expected.ip == incoming.from && expected.local == incoming.to;
  });
  if (peer == peers.end()) return;
  // A function that can be copied cannot own a descriptor.
  auto owned = std::make_shared<Incoming>(std::move(incoming));
  static_cast<void>(start(
      own, [this, owned, peer = *peer, own] { return answer(std::move(*owned), peer, own); },
      peer->node));
}

void Sessions::ask_details(const ExpectedPeer& peer) {
  const auto own = current();
  const bool started = own.order && start(own, [peer, own] {
                         return details_of(peer, {own.order->own.node, own.key});
                       });
  if (!started) {
    add({.peer = peer, .what = "details", .missing = too_much(), .key = own.key.secret});
  }
}

Outcome Sessions::rdma_with(const ExpectedPeer& peer, const Own& own) const {
  Outcome outcome{.peer = peer, .what = "rdma"};
  const auto& order = *own.order;
  const Asker asker{.node = order.own.node, .key = own.key};
  if (auto job = job_on(order, peer); !job.empty()) {
    outcome.missing = {RdmaHindrance::kJob, std::move(job)};
    say_hindered(asker, peer, outcome.missing);
    return outcome;
  }
  const auto words = words_to_prove(order, peer);
  if (!words) {
    outcome.missing = {RdmaHindrance::kThisEnd, words.error().what};
    return outcome;
  }
  PeerAsk ask{.what = "rdma"};
  ask.node = order.own.node;
  ask.boot_id = order.own.boot_id;
  auto said = agreed(peer, asker, ask);
  if (!said) {
    outcome.missing = said.error();
    return outcome;
  }
  return relayed(std::move(outcome), relay_probe(*words, said->lines, Steady::now() + kRelayTime,
                                                 {.stop = stop_.get()}));
}

void Sessions::prove(const ExpectedPeer& peer) {
  const auto own = current();
  // Here and not on the thread: the next one that is due over the same rail is asked about at once.
  auto taken = turns_.take(peer.link);
  if (!taken) {
    add({.peer = peer,
         .what = "rdma",
         .missing = {RdmaHindrance::kProbe, "another probe goes over " + peer.link},
         .key = own.key.secret});
    return;
  }
  // A function that can be copied cannot own a turn.
  auto turn = std::make_shared<Turn>(std::move(*taken));
  const bool started = own.order && start(own, [this, peer, own, turn = std::move(turn)]() mutable {
                         // Left before the outcome wakes the loop, which looks for what is due over
                         // this rail.
                         const auto left_at_the_end = std::move(turn);
                         return rdma_with(peer, own);
                       });
  if (!started) add({.peer = peer, .what = "rdma", .missing = too_much(), .key = own.key.secret});
}

Result<std::vector<protocol::Signed>> Sessions::read_board(const Result<std::string>& line) {
  if (!line) return std::unexpected(line.error());
  // A line of brackets takes thirty times its size: two dozen at once would be all the memory.
  const std::scoped_lock one_at_a_time(reading_);
  return said_in(*line);
}

Outcome Sessions::board_with(const ExpectedPeer& peer, const Own& own) {
  Outcome outcome{.peer = peer, .what = "board"};
  const auto end = Steady::now() + kBoardTime;
  PeerAsk ask{.what = "board"};
  ask.node = own.order->own.node;
  auto asked = agreed(peer, {.node = ask.node, .key = own.key}, ask);
  if (!asked) {
    outcome.missing = asked.error();
    return outcome;
  }
  auto said = read_board(give_board(asked->lines, own.board, end));
  if (said) {
    outcome.said = std::move(*said);
  } else {
    outcome.missing = no_answer(peer, said.error().what);
  }
  return outcome;
}

void Sessions::exchange(const ExpectedPeer& peer) {
  const auto own = current();
  const bool started =
      own.order && own.board && start(own, [this, peer, own] { return board_with(peer, own); });
  if (!started) add({.peer = peer, .what = "board", .missing = too_much(), .key = own.key.secret});
}

std::optional<Outcome> Sessions::answer_board(const Asked& asked, SteadyTime end) {
  const auto own = [this] { return current().board; };
  if (!own()) return refuse(asked, RdmaHindrance::kOther, "it knows no key of another node");
  const auto turn = board_turns_.take(asked.peer.node);
  if (!turn) return refuse(asked, RdmaHindrance::kProbe, "another board of it is being taken");
  if (!agree(asked)) return std::nullopt;
  auto said = read_board(take_board(asked.lines, own, end));
  if (!said) return std::nullopt;  // what is no board is nobody's
  return Outcome{.peer = asked.peer, .what = "board", .said = std::move(*said), .peer_asked = true};
}

std::optional<Outcome> Sessions::answer(Incoming incoming, const ExpectedPeer& peer,
                                        const Own& own) {
  const auto begun = Steady::now();
  const auto end = begun + kAskTime;
  const auto& order = *own.order;
  PeerLines lines(incoming.connection.get(), protocol::kLongestPeerLine);
  PeerAsk ask;
  const auto read_next = [&] {
    const auto line = lines.await(end);
    auto next = line ? value_from_text<PeerAsk>(*line) : std::unexpected(line.error());
    if (next) ask = std::move(*next);
    return next.has_value();
  };
  if (!read_next()) return std::nullopt;
  const Asked asked{ask, lines, peer, order};
  if (own.key.secret) {
    if (ask.what != "key") return refuse(asked, RdmaHindrance::kKey, "it asks for a key");
    const PeerNames names{.asker = peer.node, .answerer = order.own.node};
    if (!begin_answering(lines, *own.key.secret, names, ask, end)) return std::nullopt;
    const bool is_asked = read_next();
    // Who has another key sees by the answer that this end has one.
    if (lines.is_forged()) return refuse(asked, RdmaHindrance::kKey, "it has another key");
    if (!is_asked) return std::nullopt;
  } else if (ask.what == "key") {
    return refuse(asked, RdmaHindrance::kKey, "it has no key");
  }
  if (ask.what == "details") {
    const auto text = json_text(document_of(protocol::kDetailsSchema, order.own));
    static_cast<void>(lines.write(text, end));  // who asks and goes gets none
    return std::nullopt;
  }
  if (ask.what == "record") {
    const auto text = recorded_text(order.own.node, ask.window);
    if (!text) return refuse(asked, RdmaHindrance::kOther, text.error().what);
    static_cast<void>(lines.write(*text, end));  // as above
    return std::nullopt;
  }
  if (ask.what == "board") return answer_board(asked, begun + kBoardTime);
  if (ask.what == "hindered") {
    return Outcome{.peer = peer,
                   .what = "rdma",
                   .missing = refusal(peer.node, {.refused = ask.why, .kind = ask.kind})};
  }
  return take_part(asked);
}

Result<std::string> Sessions::recorded_text(const std::string& node,
                                            const std::optional<protocol::Span>& window) {
  // Half a MiB is parsed: who asks without end has one processor of this node.
  const std::scoped_lock one_at_a_time(recording_);
  auto told = record_told(recorded_, window);
  if (!told) return std::unexpected(told.error());
  told->record.node = node;
  return json_text(document_of(protocol::kRecordToldSchema, *told));
}

std::optional<Outcome> Sessions::take_part(const Asked& asked) {
  const auto& ask = asked.ask;
  const bool is_bench = ask.what == "bench" && ask.bench;
  if (ask.what != "rdma" && !is_bench) {
    return refuse(asked, RdmaHindrance::kOther, std::string(protocol::kNoSuchQuestion));
  }
  if (ask.version != protocol::kPeersVersion) {
    return refuse(asked, RdmaHindrance::kOther,
                  fmt::format("it runs {}, which cannot", asked.order.own.version));
  }
  if (is_bench) {
    measure(asked, *ask.bench);
    return std::nullopt;
  }
  const auto turn = turns_.take(asked.peer.link);
  if (!turn) return refuse(asked, RdmaHindrance::kProbe, "another probe goes over this rail");
  if (const auto job = job_on(asked.order, asked.peer); !job.empty()) {
    return refuse(asked, RdmaHindrance::kJob, job);
  }
  const auto words = words_to_prove(asked.order, asked.peer);
  if (!words) return refuse(asked, RdmaHindrance::kThisEnd, words.error().what);
  if (!agree(asked)) return std::nullopt;
  return relayed(
      {.peer = asked.peer, .what = ask.what, .boot_id = printable(ask.boot_id, kLongestId)},
      relay_probe(*words, asked.lines, Steady::now() + kRelayTime, {.stop = stop_.get()}));
}

void Sessions::measure(const Asked& asked, const protocol::BenchAsk& bench) {
  const bool verifies = bench.operation == protocol::PeerOperation::kVerify;
  if (bench.seconds > protocol::kMostBenchSeconds || (bench.seconds == 0 && !verifies) ||
      bench.queue_pairs == 0 || bench.queue_pairs > protocol::kMostQueuePairs) {
    refuse(asked, RdmaHindrance::kOther, "it takes no part in so long or so wide a measurement");
    return;
  }
  const auto run = turns_.await_run(asked.peer.node, bench.run, bench.is_last,
                                    Steady::now() + protocol::kBenchPatience);
  if (!run) {
    refuse(asked, RdmaHindrance::kProbe,
           fmt::format("another bench with {} goes on", turns_.runs_with()));
    return;
  }
  const auto turn = turns_.await(asked.peer.link, Steady::now() + protocol::kBenchPatience);
  if (!turn) {
    refuse(asked, RdmaHindrance::kProbe, "another probe goes over this rail");
    return;
  }
  const auto job = job_on(asked.order, asked.peer);
  if (!job.empty() && !bench.beside_jobs) {
    refuse(asked, RdmaHindrance::kJob, job);
    return;
  }
  const auto route = route_to(asked.order, asked.peer);
  const auto words = route ? bench_words(*route, bench) : std::unexpected(route.error());
  if (!words) {
    const auto* own = asked.order.own.rail(asked.peer.link);
    const bool waits = own != nullptr && own->waits;
    refuse(asked, waits ? RdmaHindrance::kPeerWaits : RdmaHindrance::kThisEnd, words.error().what);
    return;
  }
  if (!agree(asked)) return;
  // The end that asks shows both reports.
  static_cast<void>(relay_probe(
      *words, asked.lines, Steady::now() + bench_time(bench) + kRelayGrace, {.stop = stop_.get()}));
}

void Sessions::add(Outcome outcome) {
  {
    const std::scoped_lock lock(mutex_);
    outcomes_.push_back(std::move(outcome));
  }
  static_cast<void>(eventfd_write(wake_, 1));  // it is full only while it is readable
}

std::vector<Outcome> Sessions::take_outcomes() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(outcomes_, {});
}

bool Sessions::start(const Own& own, Task task, const std::string& asker) {
  reap();
  if (running_.size() >= kMostSessions) return false;
  const auto answered = std::ranges::count_if(
      running_, [](const Running& running) { return !running.asker.empty(); });
  const auto of_asker = std::ranges::count(running_, asker, &Running::asker);
  const bool is_full = std::cmp_greater_equal(answered, kMostAnswered) ||
                       std::cmp_greater_equal(of_asker, kMostOfAsker);
  if (!asker.empty() && is_full) return false;
  auto is_over = std::make_shared<std::atomic<bool>>(false);
  std::thread thread([this, task = std::move(task), is_over, key = own.key.secret] {
    if (auto outcome = task()) {
      outcome->key = key;
      add(std::move(*outcome));
    }
    *is_over = true;
  });
  running_.push_back({.thread = std::move(thread), .asker = asker, .is_over = std::move(is_over)});
  return true;
}

void Sessions::reap() {
  std::erase_if(running_, [](Running& running) {
    if (!*running.is_over) return false;
    running.thread.join();
    return true;
  });
}

}  // namespace spark::helpers
