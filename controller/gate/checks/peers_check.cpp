#include "gate/checks/peers_check.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "base/moment.hpp"
#include "protocol/switch_turns.hpp"

namespace spark::gate {
namespace {

constexpr std::chrono::milliseconds kEchoDeadline{1000};

/// What was asked of one peer over one rail, and came back.
struct EchoInFlight {
  const config::Peer* peer;
  protocol::EchoRequest request;
  protocol::EchoReport report;
};

Fact of_policy(Fact fact, const GateSnapshot& snapshot) {
  fact.counts = snapshot.node.ready.peers.value == config::ReadyPolicy::kRequire;
  return fact;
}

/// Whom one rail asks.
struct Questions {
  std::vector<EchoInFlight> asked;
  std::size_t peers = 0;  ///< that it has; more than are asked: the others have their turn later
};

/// Behind a large switch not all are asked at once: every look of every node would be a flood.
void keep_those_whose_turn_it_is(Questions& questions) {
  std::vector<IpAddress> peers;
  peers.reserve(questions.peers);
  for (const auto& one : questions.asked) peers.push_back(one.peer->ip);
  const auto turns = protocol::turns_among(questions.peers);
  if (turns == 0) return;
  const auto minute = std::chrono::floor<std::chrono::minutes>(now().boot).count();
  const auto now_is = 1 + static_cast<std::size_t>(minute) % turns;
  std::erase_if(questions.asked, [&](const EchoInFlight& one) {
    const auto turn = protocol::turn_of(one.peer->ip, one.request.from, peers);
    return turn != 0 && turn != now_is;
  });
}

Questions questions_of(const GateSnapshot& snapshot, const RailFacts& rail) {
  Questions questions;
  const auto* link = snapshot.view.link(rail.link);
  const auto& wanted = snapshot.node.links.at(rail.link).mtu;
  const auto bytes = link == nullptr ? 0 : wanted ? wanted->value : link->mtu;
  // What this end lacks is told by facts of its own.
  if (link == nullptr || !link->carrier || link->mtu < bytes ||
      snapshot.view.address(*link, rail.ip) == nullptr) {
    return questions;
  }
  for (const auto& peer : snapshot.node.peers) {
    if (peer.link == rail.link && peer.local == rail.ip) {
      questions.asked.push_back(
          {.peer = &peer,
           .request = {.link = link->name, .from = rail.ip, .to = peer.ip, .bytes = bytes},
           .report = {}});
    }
  }
  questions.peers = questions.asked.size();
  keep_those_whose_turn_it_is(questions);
  return questions;
}

std::string what_came(const EchoInFlight& asked) {
  const auto& [peer, request, report] = asked;
  const auto name = fmt::format("{} ({})", peer->node, request.to.text());
  if (report.whole) {
    return fmt::format("{} answers {} bytes in {:.2f} ms", name, request.bytes,
                       std::chrono::duration<double, std::milli>(report.took).count());
  }
  if (!report.refused.empty()) {
    return fmt::format("{} could not be asked: {}", name, report.refused);
  }
  return report.small ? fmt::format("{} answers {} bytes and not {}", name, protocol::kSmallEcho,
                                    request.bytes)
                      : fmt::format("{} does not answer", name);
}

std::string remedy_of(const std::vector<EchoInFlight>& failed, bool small) {
  const bool external =
      std::ranges::all_of(failed, [](const EchoInFlight& asked) { return asked.peer->external; });
  if (external) {
    return small
               ? "its MTU, or that of a switch between, is smaller: it is no node of the file, set "
                 "it there by hand"
               : "it is no node of the file: is it on, with this address? look at the cable";
  }
  return small ? "its MTU, or that of a switch between, is smaller: `spark-reconcile gate` there"
               : "is it on and applied? `spark-reconcile gate` there, and look at the cable";
}

Fact judge_peers(Questions questions) {
  auto& asked = questions.asked;
  const auto answered = std::ranges::stable_partition(
      asked, [](const EchoInFlight& one) { return !one.report.whole; });
  const auto count = asked.size();
  const auto whole = answered.size();
  const auto others = count == questions.peers ? std::string()
                                               : fmt::format("; {} of {} asked, the others by turn",
                                                             count, questions.peers);
  if (whole == count && count > kNamedPeers) {
    const auto slowest = std::ranges::max_element(
        asked, {}, [](const EchoInFlight& one) { return one.report.took; });
    return holds(kPeersFact, fmt::format("all {} answer; the slowest: {}{}", count,
                                         what_came(*slowest), others));
  }
  const bool all = whole == count;
  // Only those that do not answer are named.
  if (!all) {
    asked.erase(answered.begin(), answered.end());
  }
  std::vector<std::string> texts;
  texts.reserve(asked.size());
  for (const auto& one : asked) texts.push_back(what_came(one));
  auto text = named_peers(texts);
  if (all) {
    return holds(kPeersFact, text + others);
  }
  if (whole > 0) {
    text += fmt::format("; {} of {} answer", whole, count);
  }
  text += others;
  const bool small =
      std::ranges::any_of(asked, [](const EchoInFlight& one) { return one.report.small; });
  auto fact = fails(kPeersFact, Verdict::kNotReady,
                    small ? Detail::kSmallPackets : protocol::Detail::kNoAnswer, std::move(text),
                    remedy_of(asked, small));
  for (const auto& one : asked) fact.peers.push_back(one.peer->node);
  return fact;
}

}  // namespace

void check_peers(const GateSnapshot& snapshot, GateReport& report) {
  if (snapshot.node.ready.peers.value == config::ReadyPolicy::kOff) {
    return;
  }
  auto& rails = report.rails;
  std::vector<Questions> by_rail;
  std::vector<protocol::EchoRequest> requests;
  for (const auto& rail : rails) {
    by_rail.push_back(questions_of(snapshot, rail));
    for (const auto& one : by_rail.back().asked) {
      requests.push_back(one.request);
    }
  }
  if (requests.empty()) {
    return;
  }
  const auto reports = snapshot.host.probe.echo(requests, kEchoDeadline);
  auto next = std::size_t{0};
  for (auto i = std::size_t{0}; i < rails.size(); ++i) {
    auto& questions = by_rail[i];
    if (questions.asked.empty()) {
      continue;
    }
    if (!reports) {
      rails[i].add(
          of_policy(fails(kPeersFact, Verdict::kUnknown, Detail::kUnread, reports.error().what,
                          "run it as root, or let your group: sysctl net.ipv4.ping_group_range"),
                    snapshot));
      continue;
    }
    for (auto& one : questions.asked) {
      one.report = (*reports)[next++];
      const bool has_answered = one.report.whole || one.report.small;
      (has_answered ? rails[i].answered : rails[i].unanswered).push_back(one.request.to);
      // Of peers that take turns, each would be forgotten when another is asked.
      if (questions.peers == questions.asked.size()) {
        rails[i].reach[one.request.to] =
            one.report.whole ? protocol::Reach::kEcho : protocol::Reach::kNone;
      }
    }
    rails[i].add(of_policy(judge_peers(std::move(questions)), snapshot));
  }
}

}  // namespace spark::gate
