#include "gate/common/cable_round.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace spark::gate {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// From the last question on: a peer's answer takes less than a millisecond over a cable.
constexpr milliseconds kPatience{300};
/// RFC 5227 2.1: a host probes an address for 7 s at most before it takes it.
constexpr seconds kAfterCarrier{10};
constexpr seconds kBetweenRounds{1};
/// Three seconds of questions.
constexpr std::size_t kMostOthers = 60;

std::vector<std::string> texts_of(const std::vector<host::MacAddress>& macs) {
  std::vector<std::string> texts;
  for (const auto& mac : macs) texts.push_back(host::text_of(mac));
  return texts;
}

void prove(RailMemory& known, const Plug& by) {
  known.cabling = {.state = CablingState::kProven, .by = by};
  known.why.clear();
  known.others.answered.clear();
}

}  // namespace

CableRound::CableRound(const GateSnapshot& snapshot, CablingMemory& memory)
    : snapshot_(snapshot), memory_(memory), asks_rarely_(snapshot.options.cabling != nullptr) {
  if (const auto& links = snapshot.view.links()) {
    for (const auto& link : *links) {
      if (const auto mac = host::parse_mac(link.mac)) ours_.insert(*mac);
    }
  }
}

Result<> CableRound::run(std::vector<CableObservation>& looks) {
  for (auto& look : looks) decide(look);
  if (auto asked = ask_peers(looks); !asked) return asked;
  return ask_rarely(looks);
}

void CableRound::decide(CableObservation& look) {
  auto& known = *look.known;
  if (!look.rail->answered.empty()) {
    const auto peer = std::ranges::find(look.peers, look.rail->answered.front(), &config::Peer::ip);
    prove(known, {(*peer)->node, (*peer)->cage});
  }
  const bool is_open = known.cabling.state == CablingState::kNotProven;
  const bool others = is_open && look.is_cable && known.why.empty();
  look.asks_others =
      others && !known.others.is_settled() && is_due(known, known.others) && !is_in_use(look);
  decide_on_own(look);
  look.asks_peers = is_open && (!known.are_asked || look.asks_others);
}

void CableRound::decide_on_own(CableObservation& look) {
  auto& known = *look.known;
  if (known.answering != look.rail->answered && known.own.is_settled()) known.own.forget();
  known.answering = look.rail->answered;
  // Whether the other host is still there is asked again: our carrier need not go with it.
  const bool has_second = known.second_host && !known.second_host->empty();
  look.asks_own = look.rail->ip.is_v4() && (!known.own.is_settled() || has_second) &&
                  is_due(known, known.own) && !is_in_use(look);
}

bool CableRound::is_due(const RailMemory& known, const RareQuestion& question) {
  if (!asks_rarely_) return false;
  auto due = known.since + kAfterCarrier;
  if (question.is_asked) {
    const milliseconds pause =
        question.is_settled() ? milliseconds(CablingMemory::kRareWindow) : kBetweenRounds;
    due = std::max(due, *question.asked_at + pause);
  } else if (question.begun.size() == CablingMemory::kMostInWindow) {
    due = std::max<milliseconds>(due, question.begun.front() + CablingMemory::kRareWindow);
  }
  if (memory_.now() >= due) return true;
  memory_.look_again_at(due);
  return false;
}

/// A job has queue pairs on a rail of that cage. Where nobody can tell, it may have.
bool CableRound::is_in_use(const CableObservation& look) {
  return std::ranges::any_of(snapshot_.node.links, [&](const auto& entry) {
    const auto& rail = entry.second.rail;
    const auto* link =
        rail && rail->cage == look.plugs.ours.cage ? snapshot_.view.link(entry.first) : nullptr;
    const auto* port = link == nullptr ? nullptr : snapshot_.view.rdma_port(*link);
    if (port == nullptr) return false;
    const auto users = snapshot_.view.rdma_users(*port);
    return !users || !users->empty();
  });
}

Result<> CableRound::send(std::vector<Asked>& asked) {
  if (asked.empty()) return {};
  std::vector<host::NeighbourQuestion> questions;
  std::ranges::transform(asked, std::back_inserter(questions), &Asked::question);
  auto reports = snapshot_.host.probe.neighbours(questions, kPatience);
  if (!reports) return std::unexpected(reports.error());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    asked[i].macs = std::move((*reports)[i].macs);
    asked[i].refused = std::move((*reports)[i].refused);
  }
  return {};
}

Result<> CableRound::ask_peers(std::vector<CableObservation>& looks) {
  std::vector<Asked> asked;
  for (auto& look : looks) {
    if (look.asks_peers) add_peers(look, asked);
  }
  if (asked.empty()) return {};
  if (auto sent = send(asked); !sent) return sent;
  // Whom the kernel's table had may have gone: then everybody is asked.
  std::vector<Asked> again;
  for (const auto& one : asked) {
    if (!one.question.to || !one.macs.empty()) continue;
    again.push_back(one);
    again.back().question.to.reset();
  }
  if (auto sent = send(again); !sent) return sent;
  asked.insert(asked.end(), again.begin(), again.end());
  if (auto sent = ask_for_proxies(asked); !sent) return sent;
  for (auto& look : looks) {
    if (look.asks_peers) judge_peers(look, asked);
  }
  return {};
}

void CableRound::add_peers(CableObservation& look, std::vector<Asked>& asked) {
  if (table_.empty()) {
    table_ = snapshot_.host.netlink.neighbours().value_or(std::vector<host::NeighbourInfo>{});
  }
  for (const auto* peer : look.peers) {
    // Of a host that is no node the file knows no cage: its echo is all there is.
    if (peer->external) continue;
    asked.push_back({.look = &look,
                     .plug = {peer->node, peer->cage},
                     .question = {.link = look.link->name,
                                  .target = peer->ip,
                                  .sender = look.rail->ip,
                                  .to = mac_in_table(*look.link, peer->ip)}});
  }
}

/// A host that answers for others (proxy ARP) answers for a third node too, and is asked for one
/// alone: no other host hears that question.
Result<> CableRound::ask_for_proxies(const std::vector<Asked>& answered) {
  std::vector<Asked> asked;
  for (const auto& one : answered) {
    const auto macs = others_of(one);
    const auto& ends = snapshot_.node.ends;
    const auto third = std::ranges::find_if(ends, [&](const config::FabricEnd& end) {
      return end.node != snapshot_.node.name && end.node != one.plug.node &&
             end.ip.family() == one.question.target.family();
    });
    if (macs.size() != 1 || third == ends.end()) continue;
    asked.push_back(one);
    asked.back().question.target = third->ip;
    asked.back().question.to = macs.front();
  }
  if (auto sent = send(asked); !sent) return sent;
  for (const auto& one : asked) {
    if (one.macs.empty()) continue;
    one.look->known->why =
        fmt::format("{} answers for several nodes (proxy ARP)", host::text_of(one.macs.front()));
  }
  return {};
}

void CableRound::judge_peers(CableObservation& look, const std::vector<Asked>& asked) {
  auto& known = *look.known;
  known.are_asked = true;
  for (const auto& one : asked) {
    const auto macs = one.look == &look ? others_of(one) : std::vector<host::MacAddress>{};
    if (one.look == &look && !one.refused.empty()) {
      known.why = fmt::format("{} could not be asked: {}", one.plug.text(), one.refused);
      look.asks_others = false;
    }
    if (macs.empty()) continue;
    look.asks_others = false;
    known.others.answered.clear();
    if (macs.size() > 1) {
      known.why =
          fmt::format("{} hosts or rails answer for {}: {}; is {} applied?", macs.size(),
                      one.question.target.text(), fmt::join(texts_of(macs), ", "), one.plug.node);
    } else if (known.why.empty()) {
      prove(known, one.plug);
      return;
    }
  }
}

Result<> CableRound::ask_rarely(std::vector<CableObservation>& looks) {
  std::vector<Asked> others;
  std::vector<Asked> own;
  for (auto& look : looks) {
    if (look.asks_others) add_others(look, others);
    if (look.asks_own) {
      own.push_back(
          {.look = &look, .question = {.link = look.link->name, .target = look.rail->ip}});
    }
  }
  auto all = others;
  all.insert(all.end(), own.begin(), own.end());
  if (auto sent = send(all); !sent) return sent;
  for (auto& look : looks) {
    if (look.asks_others) judge_others(look, all);
  }
  compare_rails(looks);
  join_loops(looks);
  for (std::size_t i = others.size(); i < all.size(); ++i) judge_own(*all[i].look, all[i]);
  return {};
}

void CableRound::add_others(CableObservation& look, std::vector<Asked>& asked) {
  const auto& own = *look.rail;
  const auto& again = look.known->others.answered;
  std::size_t count = 0;
  for (const auto& end : snapshot_.node.ends) {
    const Plug plug{end.node, end.cage};
    const bool is_peer = std::ranges::find(look.known->peers, end.ip) != look.known->peers.end();
    const bool is_asked = again.empty() || std::ranges::find(again, end.ip) != again.end();
    if (plug == look.plugs.ours || is_peer || !is_asked || end.ip.family() != own.ip.family() ||
        count == kMostOthers) {
      continue;
    }
    ++count;
    asked.push_back(
        {.look = &look,
         .plug = plug,
         .question = {.link = look.link->name,
                      .target = end.ip,
                      .sender = end.ip.is_v4() ? std::nullopt : std::optional(own.ip)}});
  }
}

void CableRound::judge_others(CableObservation& look, const std::vector<Asked>& asked) {
  auto& known = *look.known;
  const bool is_second = known.others.is_asked;
  std::set<std::string> nodes;
  std::set<std::optional<int>> cages;
  std::vector<IpAddress> answered;
  for (const auto& one : asked) {
    if (one.look != &look || one.plug.node.empty() || (others_of(one).empty() && !is_loop(one))) {
      continue;
    }
    if (one.plug == look.plugs.expected) {
      prove(known, one.plug);  // by its other rail: the right plug all the same
      return;
    }
    nodes.insert(one.plug.node);
    cages.insert(one.plug.cage);
    answered.push_back(one.question.target);
  }
  known.others.note(memory_.now(), {});
  if (nodes.size() > 1) {
    known.why =
        fmt::format("several nodes answer, among them {} and {}: is it plugged into a switch?",
                    *nodes.begin(), *std::next(nodes.begin()));
  } else if (!nodes.empty() && is_second) {
    known.cabling = {.state = CablingState::kWrong,
                     .by = {*nodes.begin(), cages.size() == 1 ? *cages.begin() : std::nullopt}};
    look.is_found = true;
  } else if (!nodes.empty()) {
    known.others.answered = std::move(answered);
    memory_.look_again_at(memory_.now() + kBetweenRounds);
  }
}

/// Both rails of a cage are on one wire: it leads where one of them was answered.
void CableRound::compare_rails(std::vector<CableObservation>& looks) {
  for (auto& look : looks) {
    const bool is_proven = std::ranges::any_of(looks, [&look](const CableObservation& other) {
      return other.plugs.ours == look.plugs.ours &&
             other.known->cabling.state == CablingState::kProven;
    });
    auto& known = *look.known;
    if (!is_proven || known.cabling.state != CablingState::kWrong) continue;
    known.why =
        fmt::format("{} answers, and {} over the other rail of the cage: are their subnets right?",
                    known.cabling.by.text(), look.plugs.expected.text());
    known.cabling = {};
  }
}

/// A cable with both plugs in this node: what one end finds holds for the other. Later each has its
/// own, since a plug may be elsewhere by then.
void CableRound::join_loops(std::vector<CableObservation>& looks) {
  const auto is_proven = [&looks](const Plug& plug) {
    return std::ranges::any_of(looks, [&plug](const CableObservation& look) {
      return look.plugs.ours == plug && look.known->cabling.state == CablingState::kProven;
    });
  };
  for (const auto& look : looks) {
    const auto found = look.known->cabling;
    const auto& ours = look.plugs.ours;
    if (!look.is_found || found.state != CablingState::kWrong || found.by.node != ours.node) {
      continue;
    }
    for (auto& other : looks) {
      auto& known = *other.known;
      const bool is_this_end = other.plugs.ours == ours;
      const bool is_other_end = other.plugs.ours.cage == found.by.cage;
      if ((!is_this_end && !is_other_end) || known.cabling.state != CablingState::kNotProven ||
          is_proven(other.plugs.ours)) {
        continue;
      }
      known.cabling = {.state = CablingState::kWrong, .by = is_this_end ? found.by : ours};
      known.why.clear();
    }
  }
}

void CableRound::judge_own(CableObservation& look, const Asked& asked) {
  // Of hosts that nobody could be asked about nothing is known.
  if (!asked.refused.empty()) return;
  auto& known = *look.known;
  const auto macs = others_of(asked);
  const bool is_second = known.own.is_asked;
  known.own.note(memory_.now(), {});
  if (macs.empty() || is_second) {
    known.second_host = texts_of(macs);
  } else {
    known.own.answered = {look.rail->ip};
    memory_.look_again_at(memory_.now() + kBetweenRounds);
  }
}

std::vector<host::MacAddress> CableRound::others_of(const Asked& asked) const {
  std::vector<host::MacAddress> macs;
  std::ranges::copy_if(asked.macs, std::back_inserter(macs),
                       [this](const host::MacAddress& mac) { return !ours_.contains(mac); });
  return macs;
}

/// The rail of our own other cage answers for its own address. The other rail of this cage hears
/// the question too, and may answer for any address of this machine.
bool CableRound::is_loop(const Asked& asked) const {
  if (asked.plug.node != snapshot_.node.name) return false;
  for (const auto& [name, wanted] : snapshot_.node.links) {
    const bool has_it = std::ranges::any_of(wanted.addresses, [&asked](const auto& address) {
      return address.value.ip == asked.question.target;
    });
    const auto* link = has_it ? snapshot_.view.link(name) : nullptr;
    const auto mac = link == nullptr ? std::nullopt : host::parse_mac(link->mac);
    if (mac && std::ranges::find(asked.macs, *mac) != asked.macs.end()) return true;
  }
  return false;
}

std::optional<host::MacAddress> CableRound::mac_in_table(const host::LinkInfo& link,
                                                         const IpAddress& ip) const {
  const auto entry = std::ranges::find_if(table_, [&](const host::NeighbourInfo& neighbour) {
    return neighbour.link_index == link.index && neighbour.ip == ip;
  });
  return entry == table_.end() ? std::nullopt : std::optional(entry->mac);
}

}  // namespace spark::gate
