#include "daemon/reconcile/gate_record.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "state/known_releases.hpp"

namespace spark::daemon {
namespace {

/// Those that the file asks for, then the others, but for what the kernel makes by itself.
std::vector<std::string> addresses_of(const config::WantedLink& wanted, const host::LinkInfo& link,
                                      host::View& view) {
  auto addresses = view.addresses_on(link);
  std::ranges::stable_partition(addresses, [&](const IpPrefix& address) {
    return std::ranges::any_of(wanted.addresses,
                               [&](const auto& asked) { return asked.value == address; });
  });
  std::vector<std::string> texts;
  std::ranges::transform(addresses, std::back_inserter(texts), &IpPrefix::text);
  return texts;
}

LinkRecord record_of(const config::WantedLink& wanted, const config::Node& node, host::View& view) {
  LinkRecord record{.name = wanted.name};
  if (wanted.rail) {
    record.cage = wanted.rail->cage;
    record.rail = wanted.rail->rail;
  }
  for (const auto& peer : node.peers) {
    if (peer.link == wanted.name) {
      record.peers.push_back(peer.node);
      record.segment = peer.segment;
      record.cabling.emplace();
    }
  }
  if (const auto* link = view.link(wanted.name)) {
    record.present = true;
    record.up = link->up;
    record.carrier = link->carrier;
    record.mtu = link->mtu;
    record.master = link->master;
    record.addresses = addresses_of(wanted, *link, view);
    if (const auto* port = view.rdma_port(*link)) record.device = port->device;
  }
  return record;
}

/// The links that the file names, as they are now: by cage and rail; other links after them, by
/// name. Without the speed, which only the drivers know, and with no cable proven.
std::vector<LinkRecord> link_records(const config::Node& node, host::View& view) {
  std::vector<LinkRecord> records;
  records.reserve(node.links.size());
  for (const auto& [name, wanted] : node.links) records.push_back(record_of(wanted, node, view));
  std::ranges::sort(records, {}, [](const LinkRecord& record) {
    return std::tuple(!record.cage, record.cage, record.rail, record.name);
  });
  return records;
}

/// Fills in what a look at the gate alone shows, as the last look found it: the speed, and who is
/// at the other end, unless the carrier came or went.
void keep_looks(const std::vector<LinkRecord>& last, std::vector<LinkRecord>& links) {
  for (auto& link : links) {
    const auto known = std::ranges::find(last, link.name, &LinkRecord::name);
    if (known == last.end()) continue;
    link.speed = known->speed;
    if (link.carrier == known->carrier && known->peers == link.peers) link.cabling = known->cabling;
  }
}

/// Notes who answered over each rail of the report.
void note_cabling(const gate::GateReport& report, std::vector<LinkRecord>& links) {
  for (auto& link : links) {
    if (!link.cabling) continue;
    gate::Cabling seen;
    for (const auto& rail : report.rails) {
      // Of a link with several addresses the worst counts: wrong is the last of the states.
      if (rail.link == link.name && rail.cabling && rail.cabling->state >= seen.state) {
        seen = *rail.cabling;
      }
    }
    link.cabling = seen;
  }
}

}  // namespace

void GateRecord::note_links(Snapshot& snapshot) {
  auto links = link_records(snapshot.node, snapshot.view);
  keep_looks(part_.links, links);
  part_.links = std::move(links);
}

void GateRecord::note_surroundings(GateObservation& look, host::Files& files,
                                   PassOutcome& outcome) {
  if (part_.gate) outcome.look_deeper = gate::keep_measured(*part_.gate, look.report);
  outcome.again_in = look.again_in;
  for (auto& link : part_.links) {
    const auto speed = look.speeds.find(link.name);
    link.speed = speed == look.speeds.end() ? std::nullopt : std::optional(speed->second);
  }
  note_cabling(look.report, part_.links);
  if (look.hardware) {
    const auto known = state::read_known_releases(files);
    part_.hardware = hardware_.take(*std::move(look.hardware), known.releases, look.at);
  }
  keep_echoes(part_.around, look.around);
  part_.around = std::move(look.around);
}

void GateRecord::note_report(gate::GateReport report, bool is_released, const Moment& now) {
  part_.gate_at = now;
  note_verdict(is_released ? gate::Verdict::kNotReady : report.verdict(), now);
  note_gids(report, now);
  part_.gate = std::move(report);
}

void GateRecord::note_verdict(gate::Verdict verdict, const Moment& now) {
  auto& verdicts = part_.verdicts;
  if (verdict == verdicts.front().verdict) return;
  // One ends where the next begins.
  while (verdicts.size() > 1 &&
         now.boot - verdicts[verdicts.size() - 2].since.boot > kVerdictsKept) {
    verdicts.pop_back();
  }
  if (verdicts.size() == kMostVerdicts) verdicts.pop_back();
  verdicts.push_front({.verdict = verdict, .since = now});
}

void GateRecord::note_gids(const gate::GateReport& report, const Moment& now) {
  std::vector<GidMove> moves;
  for (const auto& rail : report.rails) {
    if (!rail.gid_index) continue;
    const auto index = *rail.gid_index;
    const auto ip = rail.ip.text();
    const auto [last, is_new] = gids_.try_emplace({rail.link, rail.device, ip}, index);
    if (is_new || last->second == index) continue;
    moves.push_back({now, rail.link, rail.device, ip, std::exchange(last->second, index), index});
  }
  auto& all = part_.gid_moves;
  all.insert(all.begin(), moves.begin(), moves.end());
  if (all.size() > kMostChanges) all.resize(kMostChanges);
}

}  // namespace spark::daemon
