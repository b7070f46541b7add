#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/moment.hpp"
#include "gate/checks/checks.hpp"
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

std::string remedy_of(const std::vector<EchoInFlight>& failed, Detail detail) {
  const bool external =
      std::ranges::all_of(failed, [](const EchoInFlight& asked) { return asked.peer->external; });
  if (detail == Detail::kSmallPackets) {
    return external ? "its MTU, or that of a switch between, is smaller: it is no node of the "
                      "file, set it there by hand"
                    : "its MTU, or that of a switch between, is smaller: `spark-reconcile gate` "
                      "there";
  }
  if (detail == Detail::kOtherRailAnswers) {
    return external ? "the other rail of this cage answers, so the cable is right: has it this "
                      "address?"
                    : "the other rail of this cage answers, so the cable is right: "
                      "`spark-reconcile gate` there says what this rail lacks";
  }
  return external ? "it is no node of the file: is it on, with this address? look at the cable"
                  : "is it on and applied? `spark-reconcile gate` there, and look at the cable";
}

bool has_answered(const EchoInFlight& asked) { return asked.report.whole || asked.report.small; }

using ByRail = std::vector<Questions>;

/// Whom this rail does not hear, and another rail of its cage does: one cable has both.
std::set<std::string> answering_beside(const GateSnapshot& snapshot, const GateReport& report,
                                       const ByRail& by_rail, std::size_t rail) {
  const auto cage_of = [&](std::size_t i) {
    const auto& place = snapshot.node.links.at(report.rails[i].link).rail;
    return place ? std::optional(place->cage) : std::nullopt;
  };
  std::set<std::string> nodes;
  for (std::size_t i = 0; i < by_rail.size(); ++i) {
    const bool is_beside = cage_of(i) && cage_of(i) == cage_of(rail) &&
                           report.rails[i].link != report.rails[rail].link;
    if (!is_beside) continue;
    for (const auto& one : by_rail[i].asked) {
      if (has_answered(one)) nodes.insert(one.peer->node);
    }
  }
  return nodes;
}

Detail detail_of(const std::vector<EchoInFlight>& failed, const std::set<std::string>& beside) {
  if (std::ranges::any_of(failed, [](const auto& one) { return one.report.small; })) {
    return Detail::kSmallPackets;
  }
  const bool is_cable_right = std::ranges::all_of(failed, [&](const EchoInFlight& one) {
    return one.report.refused.empty() && beside.contains(one.peer->node);
  });
  return is_cable_right ? Detail::kOtherRailAnswers : Detail::kNoAnswer;
}

/// `beside`: who answers over another rail of the cage.
Fact judge_peers(Questions questions, const std::set<std::string>& beside) {
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
  if (!all) asked.erase(answered.begin(), answered.end());
  std::vector<std::string> texts;
  texts.reserve(asked.size());
  for (const auto& one : asked) texts.push_back(what_came(one));
  auto text = named_peers(texts);
  if (all) return holds(kPeersFact, text + others);
  if (whole > 0) {
    text += fmt::format("; {} of {} answer", whole, count);
  }
  text += others;
  const auto detail = detail_of(asked, beside);
  auto fact =
      fails(kPeersFact, Verdict::kNotReady, detail, std::move(text), remedy_of(asked, detail));
  for (const auto& one : asked) fact.peers.push_back(one.peer->node);
  return fact;
}

}  // namespace

void check_peers(const GateSnapshot& snapshot, GateReport& report) {
  if (snapshot.node.ready.peers.value == config::ReadyPolicy::kOff) return;
  auto& rails = report.rails;
  ByRail by_rail;
  std::vector<protocol::EchoRequest> requests;
  for (const auto& rail : rails) {
    by_rail.push_back(questions_of(snapshot, rail));
    for (const auto& one : by_rail.back().asked) requests.push_back(one.request);
  }
  if (requests.empty()) return;
  const auto reports = snapshot.host.probe.echo(requests, kEchoDeadline);
  auto next = std::size_t{0};
  for (auto i = std::size_t{0}; i < rails.size(); ++i) {
    auto& questions = by_rail[i];
    if (questions.asked.empty()) continue;
    if (!reports) {
      rails[i].add(
          of_policy(fails(kPeersFact, Verdict::kUnknown, Detail::kUnread, reports.error().what,
                          "run it as root, or let your group: sysctl net.ipv4.ping_group_range"),
                    snapshot));
      continue;
    }
    for (auto& one : questions.asked) {
      one.report = (*reports)[next++];
      (has_answered(one) ? rails[i].answered : rails[i].unanswered).push_back(one.request.to);
      // Of peers that take turns, each would be forgotten when another is asked.
      if (questions.peers == questions.asked.size()) {
        rails[i].reach[one.request.to] =
            one.report.whole ? protocol::Reach::kEcho : protocol::Reach::kNone;
      }
    }
  }
  for (auto i = std::size_t{0}; i < rails.size() && reports; ++i) {
    if (by_rail[i].asked.empty()) continue;
    const auto beside = answering_beside(snapshot, report, by_rail, i);
    rails[i].add(of_policy(judge_peers(by_rail[i], beside), snapshot));
  }
}

}  // namespace spark::gate
