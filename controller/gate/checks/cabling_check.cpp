#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <ratio>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "gate/checks/checks.hpp"
#include "gate/common/cable_round.hpp"
#include "gate/common/hints.hpp"
#include "gate/common/peers_report.hpp"

namespace spark::gate {
namespace {

/// The cable is in a cage that the file does not name: the fact of the link says so.
std::optional<Cabling> other_cage(const GateSnapshot& snapshot, const RailFacts& rail) {
  const auto* link = snapshot.view.link(rail.link);
  if (link == nullptr || link->carrier) return std::nullopt;
  const auto cage = cage_with_cable(snapshot.node, snapshot.view, rail.link);
  if (!cage) return std::nullopt;
  return Cabling{.state = CablingState::kWrong, .by = {snapshot.node.name, cage}};
}

/// For how long this machine has had it, but for the time that it slept. Zero: not known. The
/// kernel's counter begins again after 497 days.
std::chrono::milliseconds age_of_address(const host::AddressInfo& address) {
  using Hundredths = std::chrono::duration<std::int64_t, std::centi>;
  if (address.added == 0) return {};
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  const auto count = static_cast<std::uint32_t>(std::chrono::floor<Hundredths>(now).count());
  return Hundredths(std::max(static_cast<std::int32_t>(count - address.added), 0));
}

/// Empty `peers`: nobody is asked over this rail, or this end of it is not ready. What this end
/// lacks is reported by facts of its own.
CableObservation look_at(const GateSnapshot& snapshot, RailFacts& rail, CablingMemory& memory) {
  const auto& node = snapshot.node;
  CableObservation look{.rail = &rail, .link = snapshot.view.link(rail.link)};
  const auto place = node.links.at(rail.link).rail;
  if (!place || look.link == nullptr || !look.link->carrier) return look;
  const auto* const own = snapshot.view.address(*look.link, rail.ip);
  if (own == nullptr) return look;
  std::vector<IpAddress> ips;
  for (const auto& peer : node.peers) {
    if (peer.link == rail.link && peer.local == rail.ip) {
      look.peers.push_back(&peer);
      ips.push_back(peer.ip);
    }
  }
  if (look.peers.empty()) return look;
  const auto& first = *look.peers.front();
  look.plugs = {.ours = {node.name, place->cage}, .expected = {first.node, first.cage}};
  look.is_cable = first.segment.empty();
  look.known = &memory.of(*look.link, rail.ip, age_of_address(*own), ips, node.digest);
  return look;
}

/// "spark2:1", "spark2:0 and 2 more".
std::string names_of_peers(const CableObservation& look) {
  const auto first = look.plugs.expected.text();
  return look.peers.size() == 1 ? first
                                : fmt::format("{} and {} more", first, look.peers.size() - 1);
}

Fact not_proven(const CableObservation& look, Detail detail, std::string measured,
                std::string remedy) {
  auto fact =
      fails(kCablingFact, Verdict::kUnknown, detail, std::move(measured), std::move(remedy));
  for (const auto* peer : look.peers) fact.peers.push_back(peer->node);
  // A node that is off closes no other node's gate.
  fact.counts = false;
  return fact;
}

Fact cabling_fact(const GateSnapshot& snapshot, const CableObservation& look) {
  const auto& [state, by] = look.known->cabling;
  const bool answers_now = !look.rail->answered.empty() || look.asks_peers;
  switch (state) {
    case CablingState::kProven:
      return holds(kCablingFact, answers_now ? by.text() + " answers"
                                             : by.text() + " answered; the carrier has held since");
    case CablingState::kWrong:
      return wrong_cable(snapshot.node, look.plugs, by);
    case CablingState::kNotProven:
      break;
  }
  const auto& why = look.known->why;
  return not_proven(look, Detail::kUnproven,
                    why.empty() ? fmt::format("{}: no answer", names_of_peers(look)) : why, "");
}

Fact one_host_fact(const CableObservation& look) {
  const auto ip = look.rail->ip.text();
  const auto& macs = *look.known->second_host;
  if (macs.empty()) return holds(kOneHostFact, "no other host answers for " + ip);
  auto fact = fails(kOneHostFact, Verdict::kNotReady, Detail::kDuplicate,
                    fmt::format("another host has {} too: {}", ip, fmt::join(macs, ", ")),
                    "find that host by its hardware address, or give the nodes other numbers");
  fact.macs = macs;
  return fact;
}

}  // namespace

void check_cabling(const GateSnapshot& snapshot, GateReport& report) {
  if (snapshot.node.ready.peers.value == config::ReadyPolicy::kOff) return;
  CablingMemory of_this_look;
  auto& memory = snapshot.options.cabling == nullptr ? of_this_look : *snapshot.options.cabling;
  std::vector<CableObservation> looks;
  for (auto& rail : report.rails) {
    rail.cabling = other_cage(snapshot, rail);
    auto look = look_at(snapshot, rail, memory);
    if (!look.peers.empty()) looks.push_back(std::move(look));
  }
  const auto asked = CableRound(snapshot, memory).run(looks);
  const auto told = read_peers_report(snapshot.host).value_or(std::nullopt);
  for (auto& look : looks) {
    look.rail->cabling = look.known->cabling;
    const auto state = look.known->cabling.state;
    const auto others = told && look.is_cable && state != CablingState::kWrong
                            ? heard_at_once(told->heard, snapshot.node, look.rail->link)
                            : std::set<std::string>{};
    if (others.size() > 1) {
      look.rail->add(switch_for_cable(look.plugs, others));
    } else {
      look.rail->add(!asked && state == CablingState::kNotProven
                         ? not_proven(look, Detail::kUnread, asked.error().what, "run it as root")
                         : cabling_fact(snapshot, look));
    }
    if (look.known->second_host) look.rail->add(one_host_fact(look));
  }
}

}  // namespace spark::gate
