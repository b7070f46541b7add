#include "node_state/signs.hpp"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "jobs/records.hpp"
#include "kinds/network/address.hpp"
#include "kinds/network/mtu.hpp"

namespace spark::node_state {
namespace {

using jobs::Recorded;
using jobs::Sign;
using jobs::SignLog;
using jobs::Time;

Recorded sign_on(const std::string& link, Sign sign, Time at, std::string text = "") {
  return {.at = at, .sign = sign, .link = link, .peer = "", .lasted = {}, .text = std::move(text)};
}

Recorded sign_of_peer(const PeerRail& rail, Sign sign, Time at) {
  return {.at = at, .sign = sign, .link = rail.link, .peer = rail.peer, .lasted = {}, .text = ""};
}

/// The last of these signs of that link and peer; null: there is none.
const Recorded* last_of(const SignLog& log, std::initializer_list<Sign> signs,
                        std::string_view link, std::string_view peer) {
  const auto& all = log.record().signs;
  const auto found = std::find_if(all.rbegin(), all.rend(), [&](const Recorded& one) {
    return one.link == link && one.peer == peer &&
           std::ranges::find(signs, one.sign) != signs.end();
  });
  return found == all.rend() ? nullptr : &*found;
}

// --- links

bool is_rail(const LinkRecord& link) { return link.cage || !link.peers.empty(); }

void note_links(const NodeState& before, const NodeState& now, SignLog& log) {
  const auto at = now.pass_at.wall;
  const auto note = [&](const std::string& link, bool was, bool is, Sign lost) {
    if (was && !is) log.add(sign_on(link, lost, at));
    // Also what stood when another daemon ended.
    if (is) log.end(lost, link, "", at);
  };
  for (const auto& link : now.links | std::views::filter(is_rail)) {
    const auto last = std::ranges::find(before.links, link.name, &LinkRecord::name);
    const bool is_known = last != before.links.end();
    note(link.name, is_known && last->present, link.present, Sign::kDeviceGone);
    note(link.name, is_known && last->carrier, link.carrier, Sign::kCarrierLost);
  }
}

// --- changes and drift

/// What a resource that is not as the file says means for jobs. Empty: nothing.
std::optional<Sign> fault_by(std::string_view kind, const std::optional<std::string>& have) {
  if (kind == kinds::Mtu::kName) return Sign::kMtuChanged;
  if (kind == kinds::Address::kName && !have) return Sign::kAddressGone;
  return std::nullopt;
}

std::string address_text(const plan::OnLink& on) { return on.ip ? on.ip->text() : std::string(); }

std::string_view cause_clause(ChangeRecord::Cause cause) {
  switch (cause) {
    case ChangeRecord::Cause::kFile:
      return "by the file";
    case ChangeRecord::Cause::kDrift:
      return "set back after another program";
    case ChangeRecord::Cause::kBoot:
      return "after the start of the daemon";
    case ChangeRecord::Cause::kLink:
      return "after the link came";
    case ChangeRecord::Cause::kResumed:
      return "resumed";
  }
  return {};
}

/// "address 192.0.2.11: by the file". Of what is on no link, the kind alone: keys and values of the
/// others may hold names.
std::string text_of_changed(const ChangeRecord& change) {
  const auto& [link, ip] = change.on;
  return fmt::format("{}{}{}: {}", change.kind, ip ? " " : "", address_text(change.on),
                     cause_clause(change.cause));
}

const Drift* drift_of(const NodeState& state, std::string_view kind, std::string_view key) {
  const auto found = std::ranges::find_if(
      state.drifts, [&](const Drift& drift) { return drift.kind == kind && drift.key == key; });
  return found == state.drifts.end() ? nullptr : &*found;
}

void note_change(const ChangeRecord& change, const NodeState& before, SignLog& log) {
  const auto& link = change.on.link;
  const auto at = change.at.wall;
  const bool is_drift = change.cause == ChangeRecord::Cause::kDrift;
  const auto fault = is_drift ? fault_by(change.kind, change.before) : std::nullopt;
  if (!fault) {
    log.add(sign_on(link, Sign::kChanged, at, text_of_changed(change)));
    return;
  }
  if (const auto* drift = drift_of(before, change.kind, change.key);
      drift != nullptr && fault_by(drift->kind, drift->have) == fault) {
    log.end(*fault, link, "", at);
    return;
  }
  // The daemon corrects at once, so it began about when the correction did.
  const auto took = std::chrono::ceil<std::chrono::milliseconds>(change.took);
  auto sign =
      sign_on(link, *fault, at - took,
              fault == Sign::kMtuChanged
                  ? fmt::format("{} to {} set back, by another program", or_absent(change.before),
                                or_absent(change.after))
                  : fmt::format("{} set back, by another program", address_text(change.on)));
  sign.lasted = took;
  log.add(std::move(sign));
}

void note_changes(const NodeState& before, const NodeState& now, SignLog& log) {
  const auto is_last = [&before](const ChangeRecord& change) {
    if (before.changes.empty()) return false;
    const auto& last = before.changes.front();
    return change.at.boot == last.at.boot && change.kind == last.kind && change.key == last.key;
  };
  const auto known = std::ranges::find_if(now.changes, is_last);
  // The newest is the first.
  for (const auto& change :
       std::ranges::subrange(now.changes.begin(), known) | std::views::reverse) {
    if (change.failure.empty()) note_change(change, before, log);
  }
}

bool is_said_by(const Recorded& sign, const Drift& drift) {
  return fault_by(drift.kind, drift.have) == sign.sign && drift.on.link == sign.link &&
         (sign.sign == Sign::kMtuChanged || address_text(drift.on) == sign.text);
}

void note_drifts(const NodeState& before, const NodeState& now, SignLog& log) {
  // Also what stood when another daemon ended.
  for (auto& sign : log.record().signs) {
    const bool stands_while_seen =
        !sign.lasted && (sign.sign == Sign::kMtuChanged || sign.sign == Sign::kAddressGone);
    if (!stands_while_seen || std::ranges::any_of(now.drifts, [&sign](const Drift& drift) {
          return is_said_by(sign, drift);
        })) {
      continue;
    }
    sign.lasted = std::max(now.pass_at.wall - sign.at, std::chrono::milliseconds(0));
  }
  // What a new file asks for in vain was so before.
  if (now.file.digest != before.file.digest) return;
  for (const auto& drift : now.drifts) {
    const auto fault = fault_by(drift.kind, drift.have);
    if (!fault || drift_of(before, drift.kind, drift.key) != nullptr) continue;
    // One that was contested before may have a `since` from then.
    const auto at = std::max(drift.since.wall, before.pass_at.wall);
    log.add(sign_on(
        drift.on.link, *fault, at,
        fault == Sign::kMtuChanged
            ? fmt::format("{}, the file says {}", or_absent(drift.have), or_absent(drift.want))
            : address_text(drift.on)));
  }
}

void note_gids(const NodeState& before, const NodeState& now, SignLog& log) {
  const auto known = std::ranges::find_if(now.gid_moves, [&before](const GidMove& move) {
    if (before.gid_moves.empty()) return false;
    const auto& last = before.gid_moves.front();
    return move.at.boot == last.at.boot && move.link == last.link && move.ip == last.ip;
  });
  for (const auto& move :
       std::ranges::subrange(now.gid_moves.begin(), known) | std::views::reverse) {
    log.add(sign_on(move.link, Sign::kGidMoved, move.at.wall,
                    fmt::format("{}: {} to {}", move.ip, move.from, move.to)));
  }
}

// --- peers

/// Over a cable that has addresses of IPv4 and IPv6 one of them may have never answered.
bool answers_over(const PeerRail& rail, const NodeState& state) {
  return std::ranges::any_of(state.around.rails, [&rail](const PeerRail& one) {
    return one.link == rail.link && one.peer == rail.peer && one.echo == true;
  });
}

void note_echo(const PeerRail* before, const PeerRail& now, const NodeState& state, SignLog& log) {
  const bool is_new =
      now.asked.boot.count() != 0 && (before == nullptr || before->asked.boot != now.asked.boot);
  if (!is_new || !now.echo) return;
  const auto at = now.asked.wall;
  if (*now.echo) {
    log.end(Sign::kPeerSilent, now.link, now.peer, at);
    log.add(sign_of_peer(now, Sign::kEcho, at));
    return;
  }
  if (answers_over(now, state)) return;
  // It answered when it was asked last. Who could not be asked meanwhile is no silent peer.
  const auto* const last = last_of(log, {Sign::kEcho, Sign::kPeerSilent}, now.link, now.peer);
  if (last != nullptr && last->sign == Sign::kEcho) {
    log.add(sign_of_peer(now, Sign::kPeerSilent, at));
  }
}

void note_rdma(const PeerRail* before, const PeerRail& now, SignLog& log) {
  const bool is_new =
      now.tried.boot.count() != 0 && (before == nullptr || before->tried.boot != now.tried.boot);
  if (!is_new || !now.rdma) return;
  const auto at = now.tried.wall;
  const auto* const last = last_of(log, {Sign::kRdmaProven, Sign::kRdmaFailed}, now.link, now.peer);
  // A daemon before has recorded it; the clock of the try is not exact.
  if (last != nullptr && at <= last->at + jobs::kClocks) return;
  if (*now.rdma) {
    log.end(Sign::kRdmaFailed, now.link, now.peer, at);
    log.add(sign_of_peer(now, Sign::kRdmaProven, at));
    return;
  }
  // Where no echo comes back, that is why. After a restart of the peer nothing is proven, and its
  // first try says nothing of what worked before.
  const bool was_proven =
      last != nullptr ? last->sign == Sign::kRdmaProven : before != nullptr && before->rdma == true;
  const bool is_peer_as_before = before == nullptr || before->rdma != false;
  if (was_proven && is_peer_as_before && now.echo == true) {
    log.add(sign_of_peer(now, Sign::kRdmaFailed, at));
  }
}

void note_peers(const NodeState& before, const NodeState& now, SignLog& log) {
  for (const auto& rail : now.around.rails) {
    const auto last = std::ranges::find_if(before.around.rails, [&rail](const PeerRail& one) {
      return one.peer == rail.peer && one.link == rail.link && one.ip == rail.ip;
    });
    const auto* const known = last == before.around.rails.end() ? nullptr : &*last;
    note_echo(known, rail, now, log);
    note_rdma(known, rail, log);
  }
}

// --- what is not judged

void note_hardware(const HardwareState& before, const HardwareState& now, SignLog& log) {
  if (now.at.boot == before.at.boot) return;
  for (const auto& sign : now.signs) {
    const bool is_heat = sign.name == host::signs::kModule;
    if (!is_heat && sign.name != host::signs::kPause) continue;
    const auto kind = is_heat ? Sign::kHeat : Sign::kPause;
    if (!sign.is_fault) {
      log.end(kind, sign.subject, "", now.at.wall);
      continue;
    }
    const auto* const last = last_of(log, {kind}, sign.subject, "");
    if (last == nullptr || last->lasted) {
      log.add(sign_on(sign.subject, kind, now.at.wall, sign.what));
    }
  }
}

/// A rail that sends again now and then is one sign.
constexpr std::chrono::minutes kSame{5};

void note_jobs(const jobs::Followed& before, const jobs::Followed& now, SignLog& log) {
  if (now.at.boot == before.at.boot) return;
  for (const auto& rail : now.rails) {
    const auto* const last = last_of(log, {Sign::kSentAgain}, rail.link, "");
    if (now.running.value_or(0) == 0 || rail.sent_again.value_or(0) <= 0) {
      log.end(Sign::kSentAgain, rail.link, "", now.at.wall);
    } else if (last == nullptr ||
               (last->lasted && last->at + *last->lasted + kSame < now.at.wall)) {
      log.add(sign_on(rail.link, Sign::kSentAgain, now.at.wall,
                      fmt::format("{:.2g} a second", *rail.sent_again)));
    }
  }
}

}  // namespace

void note_signs(const NodeState& before, const NodeState& now, jobs::SignLog& log) {
  if (!now.node.empty()) log.record().node = now.node;
  // The first pass shows how the node is, not when that began.
  if (before.pass_at.boot.count() == 0) return;
  note_links(before, now, log);
  note_changes(before, now, log);
  note_drifts(before, now, log);
  note_gids(before, now, log);
  note_peers(before, now, log);
  note_hardware(before.hardware, now.hardware, log);
  note_jobs(before.jobs, now.jobs, log);
  if (now.file.digest != before.file.digest) {
    log.add(sign_on("", Sign::kChanged, now.file.since.wall, "another file is in force"));
  }
}

void note_start(jobs::SignLog& log, const Moment& now) {
  constexpr std::chrono::minutes kSameStart{1};  // clocks are set after a boot
  const auto booted = now.wall - now.boot;
  const auto& record = log.record();
  const bool is_known = std::ranges::any_of(record.signs, [&](const Recorded& sign) {
    return sign.sign == Sign::kNodeStarted && sign.at >= booted - kSameStart;
  });
  const bool is_of_before =
      std::ranges::any_of(record.covered, [&](const jobs::Span& span) { return span.to < booted; });
  if (is_of_before && !is_known) log.add(sign_on("", Sign::kNodeStarted, booted));
}

}  // namespace spark::node_state
