#include "helpers/peers/sessions.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <net/if.h>
#include <sys/eventfd.h>

#include "base/json_document.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "helpers/peers/hello_frame.hpp"
#include "helpers/peers/probe_relay.hpp"
#include "host/process/helper_program.hpp"

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
/// To say what is asked, and to answer.
constexpr seconds kAskTime{3};
/// Of a proof, for both ends together.
constexpr seconds kProofTime{3};
/// Until an end that says nothing more is given up.
constexpr seconds kRelayTime = kProofTime + seconds(1);
constexpr std::size_t kLongestClause = 300;
constexpr std::size_t kLongestId = 64;

/// Leaves the rail that was taken.
class Rail {
 public:
  explicit Rail(std::function<void()> leave) : leave_(std::move(leave)) {}
  Rail(const Rail&) = delete;
  Rail& operator=(const Rail&) = delete;
  ~Rail() { leave_(); }

 private:
  std::function<void()> leave_;
};

template <class Line>
std::string line_of(const Line& line) {
  return json_text(TextJsonWriter::write(line));
}

/// The words that start this node's probe. Errors: in words for both ends.
Result<std::vector<std::string>> probe_words(const PeersOrder& order, const ExpectedPeer& peer,
                                             seconds time) {
  const auto* rail = order.own.rail(peer.link);
  if (rail == nullptr || !rail->fault.empty()) {
    return fail(ErrorCode::kNotFound, rail == nullptr ? peer.link + " is not there" : rail->fault);
  }
  const auto program = host::find_helper(host::Helper::kVerbsProbe);
  if (!program) return std::unexpected(program.error());
  return std::vector{*program,
                     std::string("peer"),
                     rail->device,
                     std::to_string(rail->port),
                     std::to_string(if_nametoindex(peer.link.c_str())),
                     peer.local.text(),
                     std::to_string(std::chrono::milliseconds(time).count())};
}

Outcome relayed(Outcome outcome, Result<ProbeReports> reports) {
  if (!reports) {
    outcome.missing = {RdmaHindrance::kOther, reports.error().what};
    return outcome;
  }
  outcome.ours = std::move(reports->ours);
  outcome.theirs = std::move(reports->theirs);
  if (!outcome.ours && !outcome.theirs) outcome.missing = {RdmaHindrance::kOther, reports->why};
  return outcome;
}

/// The words of a peer that does not take part, with the kind as it is for this end.
Missing refusal(const std::string& peer, const PeerAnswer& answer) {
  auto kind = RdmaHindrance::kOther;
  const auto& names = protocol::kRdmaHindrances;
  const auto named = std::ranges::find(names, answer.kind);
  if (named != names.end()) kind = static_cast<RdmaHindrance>(named - names.begin());
  // What is its own end there is the peer's end here.
  if (kind == RdmaHindrance::kThisEnd) kind = RdmaHindrance::kPeerWaits;
  if (kind == RdmaHindrance::kNone) kind = RdmaHindrance::kOther;
  return {kind, fmt::format("{}: {}", peer, printable(answer.refused, kLongestClause))};
}

std::string kind_text(RdmaHindrance kind) {
  return std::string(protocol::kRdmaHindrances.at(static_cast<std::size_t>(kind)));
}

/// A question over the peer's rail, and the line that answered it.
struct Conversation {
  UniqueFd connection;
  LineReader reader;
  std::string answer;
};

/// `limit`: bytes of a line that the peer sends.
Result<Conversation> ask(const ExpectedPeer& peer, const PeerAsk& question, std::size_t limit) {
  const auto end = Steady::now() + kAskTime;
  auto connection = connect_over(peer.link, peer.local, peer.ip, end);
  if (!connection) return std::unexpected(connection.error());
  LineReader reader(connection->get(), limit);
  if (auto asked = write_line(connection->get(), line_of(question), end); !asked) {
    return std::unexpected(asked.error());
  }
  auto answer = reader.await(end);
  if (!answer) return std::unexpected(answer.error());
  return Conversation{std::move(*connection), std::move(reader), std::move(*answer)};
}

/// The end that would be asked knows of the job too. Where it cannot be told, it stays as it was.
void say_hindered(const PeersOrder& order, const ExpectedPeer& peer, const Missing& missing) {
  const auto end = Steady::now() + kAskTime;
  const auto connection = connect_over(peer.link, peer.local, peer.ip, end);
  if (!connection) return;
  const PeerAsk question{.what = "hindered",
                         .node = order.own.node,
                         .boot_id = "",
                         .kind = kind_text(missing.kind),
                         .why = missing.why};
  static_cast<void>(write_line(connection->get(), line_of(question), end));
}

Missing too_much() { return {RdmaHindrance::kProbe, "too much is asked at once"}; }

/// Why a peer that was asked gave no answer.
Missing no_answer(const std::string& why) { return {RdmaHindrance::kNotHeard, why}; }

Outcome details_of(const ExpectedPeer& peer) {
  Outcome outcome{.peer = peer, .what = "details"};
  const auto said = ask(peer, {.what = "details"}, protocol::kMostDetailsBytes);
  if (!said) {
    outcome.missing = no_answer(said.error().what);
    return outcome;
  }
  auto details = decode_details(said->answer);
  if (!details) {
    outcome.missing = no_answer("its answer is not understood: " + details.error().what);
  } else if (details->node != peer.node) {
    outcome.missing =
        no_answer(fmt::format("{} has its address {}", details->node, peer.ip.text()));
  } else {
    outcome.digest = protocol::short_digest(sha256_of(said->answer));
    outcome.details = std::move(*details);
  }
  return outcome;
}

}  // namespace

std::string Sessions::job_on(const PeersOrder& order, const ExpectedPeer& peer) const {
  const auto* rail = order.own.rail(peer.link);
  return rail == nullptr || rail->device.empty() ? "" : users_(rail->device);
}

Sessions::~Sessions() {
  for (auto& running : running_) running.thread.join();
}

Sessions::Order Sessions::current_order() const {
  const std::scoped_lock lock(mutex_);
  return order_;
}

void Sessions::set_order(Order order) {
  const std::scoped_lock lock(mutex_);
  order_ = std::move(order);
}

void Sessions::serve(Incoming incoming, const std::string& link) {
  const auto order = current_order();
  if (!order || !order->enabled) return;
  const auto peer = std::ranges::find_if(order->peers, [&](const ExpectedPeer& expected) {
    return expected.link == link && expected.ip == incoming.from && expected.local == incoming.to;
  });
  if (peer == order->peers.end()) return;
  // A function that can be copied cannot own a descriptor.
  auto owned = std::make_shared<Incoming>(std::move(incoming));
  static_cast<void>(
      start([this, owned, peer = *peer, order] { return answer(std::move(*owned), peer, order); }));
}

void Sessions::ask_details(const ExpectedPeer& peer) {
  if (!start([peer] { return details_of(peer); })) {
    add({.peer = peer, .what = "details", .missing = too_much()});
  }
}

Outcome Sessions::rdma_with(const ExpectedPeer& peer, const PeersOrder& order) const {
  Outcome outcome{.peer = peer, .what = "rdma"};
  if (auto job = job_on(order, peer); !job.empty()) {
    outcome.missing = {RdmaHindrance::kJob, std::move(job)};
    say_hindered(order, peer, outcome.missing);
    return outcome;
  }
  const auto words = probe_words(order, peer, kProofTime);
  if (!words) {
    outcome.missing = {RdmaHindrance::kThisEnd, words.error().what};
    return outcome;
  }
  auto said = ask(
      peer,
      {.what = "rdma", .node = order.own.node, .boot_id = order.own.boot_id, .kind = "", .why = ""},
      protocol::kLongestPeerLine);
  const auto answered =
      said ? value_from_text<PeerAnswer>(said->answer) : std::unexpected(said.error());
  if (!answered) {
    outcome.missing = no_answer(answered.error().what);
    return outcome;
  }
  if (!answered->refused.empty()) {
    outcome.missing = refusal(peer.node, *answered);
    return outcome;
  }
  return relayed(std::move(outcome), relay_probe(*words, said->connection.get(), said->reader,
                                                 Steady::now() + kRelayTime, nullptr));
}

void Sessions::prove(const ExpectedPeer& peer) {
  const auto order = current_order();
  // Here and not on the thread: the next one that is due over the same rail is asked about at once.
  if (!take_rail(peer.link)) {
    add({.peer = peer,
         .what = "rdma",
         .missing = {RdmaHindrance::kProbe, "another probe goes over " + peer.link}});
    return;
  }
  auto rail = std::make_shared<Rail>([this, link = peer.link] { leave_rail(link); });
  const bool started = order && start([this, peer, order, rail = std::move(rail)]() mutable {
                         // Left before the outcome wakes the loop, which looks for what is due over
                         // this rail.
                         const auto left_at_the_end = std::move(rail);
                         return rdma_with(peer, *order);
                       });
  if (!started) add({.peer = peer, .what = "rdma", .missing = too_much()});
}

std::optional<Outcome> Sessions::answer(Incoming incoming, const ExpectedPeer& peer,
                                        const Order& order) {
  const int connection = incoming.connection.get();
  const auto end = Steady::now() + kAskTime;
  LineReader reader(connection, protocol::kLongestPeerLine);
  const auto line = reader.await(end);
  if (!line) return std::nullopt;
  const auto ask = value_from_text<PeerAsk>(*line);
  if (!ask) return std::nullopt;
  if (ask->what == "details") {
    const auto text = json_text(document_of(protocol::kDetailsSchema, order->own));
    static_cast<void>(write_line(connection, text, end));  // who asks and goes gets none
    return std::nullopt;
  }
  if (ask->what == "hindered") {
    return Outcome{.peer = peer,
                   .what = "rdma",
                   .missing = refusal(peer.node, {.refused = ask->why, .kind = ask->kind})};
  }
  return take_part(*ask, connection, reader, peer, order);
}

std::optional<Outcome> Sessions::take_part(const PeerAsk& ask, int connection, LineReader& reader,
                                           const ExpectedPeer& peer, const Order& order) {
  const auto end = Steady::now() + kAskTime;
  const auto refuse = [&](RdmaHindrance kind, const std::string& why) {
    const PeerAnswer answer{.refused = why, .kind = kind_text(kind)};
    static_cast<void>(write_line(connection, line_of(answer), end));
    return std::nullopt;
  };
  if (ask.what != "rdma") {
    return refuse(RdmaHindrance::kOther, "this version knows no such question");
  }
  if (ask.version != protocol::kPeersVersion) {
    return refuse(RdmaHindrance::kOther,
                  fmt::format("it runs {}, which cannot", order->own.version));
  }
  if (!take_rail(peer.link)) {
    return refuse(RdmaHindrance::kProbe, "another probe goes over this rail");
  }
  const Rail rail([this, link = peer.link] { leave_rail(link); });
  if (const auto job = job_on(*order, peer); !job.empty()) {
    return refuse(RdmaHindrance::kJob, job);
  }
  const auto words = probe_words(*order, peer, kProofTime);
  if (!words) return refuse(RdmaHindrance::kThisEnd, words.error().what);
  if (auto said = write_line(connection, line_of(PeerAnswer{}), end); !said) return std::nullopt;
  return relayed({.peer = peer, .what = ask.what, .boot_id = printable(ask.boot_id, kLongestId)},
                 relay_probe(*words, connection, reader, Steady::now() + kRelayTime, nullptr));
}

void Sessions::add(Outcome outcome) {
  {
    const std::scoped_lock lock(mutex_);
    outcomes_.push_back(std::move(outcome));
  }
  static_cast<void>(eventfd_write(wake_, 1));  // it is full only while it is readable
}

bool Sessions::is_free(const std::string& link) const {
  const std::scoped_lock lock(mutex_);
  return !busy_.contains(link);
}

bool Sessions::take_rail(const std::string& link) {
  const std::scoped_lock lock(mutex_);
  return busy_.insert(link).second;
}

void Sessions::leave_rail(const std::string& link) {
  const std::scoped_lock lock(mutex_);
  busy_.erase(link);
}

std::vector<Outcome> Sessions::take_outcomes() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(outcomes_, {});
}

bool Sessions::start(Task task) {
  reap();
  if (running_.size() >= kMostSessions) return false;
  auto is_over = std::make_shared<std::atomic<bool>>(false);
  std::thread thread([this, task = std::move(task), is_over] {
    if (auto outcome = task()) add(std::move(*outcome));
    *is_over = true;
  });
  running_.push_back({.thread = std::move(thread), .is_over = std::move(is_over)});
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
