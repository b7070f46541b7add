#include "daemon/export/metrics.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <map>
#include <ranges>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "daemon/common/node_state_names.hpp"
#include "daemon/export/cluster_metrics.hpp"
#include "daemon/export/hardware_metrics.hpp"
#include "daemon/export/job_metrics.hpp"
#include "daemon/export/prometheus_text.hpp"
#include "kinds/all.hpp"

namespace spark::daemon {
namespace {

// What a node can have any number of is cut, so that all together stay below kMostSeries. A Spark
// has four rails, with fifteen facts each at most, and five facts of the node. What does not hold
// comes first.
constexpr std::size_t kMostFacts = 60;
constexpr std::size_t kMostLinks = 6;
constexpr std::size_t kMostSinks = 3;
constexpr std::size_t kMostMuted = 8;
constexpr std::size_t kMostTriggers = 8;
constexpr std::size_t kMostWaitedRails = 4;

constexpr auto kKinds = []<class... Kinds>(std::tuple<Kinds...>*) {
  return std::array<std::string_view, sizeof...(Kinds)>{Kinds::kName...};
}(static_cast<kinds::AllKinds*>(nullptr));

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

double number(std::uint64_t count) { return static_cast<double>(count); }

/// Of every kind, also those that are 0: a counter that appears with its first increment hides it.
void by_kind(Exposition& out, const std::map<std::string, std::uint64_t>& counts) {
  for (const auto kind : kKinds) {
    const auto found = counts.find(std::string(kind));
    out.sample(found == counts.end() ? 0 : number(found->second), {{"kind", kind}});
  }
}

void tell_daemon(Exposition& out, const NodeState& state, const Moment& now) {
  out.gauge("info", "The program, the node of the file that this machine is, and its cluster.");
  out.sample(1, {{"version", state.version}, {"node", state.node}, {"cluster", state.cluster}});
  out.gauge("start_timestamp_seconds", "When the daemon started, in seconds since 1970.");
  out.sample(unix_seconds(state.started));
  out.gauge("generated_timestamp_seconds",
            "When these metrics were made; old in a textfile whose daemon is gone.");
  out.sample(unix_seconds(now));
  out.gauge("released", "1: the node is released; nothing is set until apply or resume.");
  out.sample(state.released ? 1 : 0);
  out.gauge("state_loss_timestamp_seconds",
            "When what the daemon keeps on disk was last found removed or changed; 0: it was not.");
  out.sample(state.loss ? unix_seconds(state.loss->at) : 0);
  out.gauge("paused", "1: nothing is corrected until it is resumed.");
  out.sample(state.paused ? 1 : 0);
}

void tell_file(Exposition& out, const FileState& file) {
  out.gauge("config_in_force", "1: a cluster file is in force.");
  out.sample(file.digest.empty() ? 0 : 1);
  out.gauge("config_info", "The cluster file in force, by its SHA-256.");
  out.sample(1, {{"path", file.path}, {"digest", file.digest}});
  out.gauge("config_timestamp_seconds", "When it came into force; 0: none has.");
  out.sample(unix_seconds(file.since));
  out.gauge("config_refused", "1: what stands in the file is refused, and not in force.");
  out.sample(file.refused.empty() ? 0 : 1);
}

/// Of a node that follows no repository there is nothing to tell.
void tell_source(Exposition& out, const std::optional<SourceState>& source) {
  if (!source) return;
  out.gauge("source_info", "The commit of the followed repository that was accepted last.");
  out.sample(
      1,
      {{"commit", source->commit}, {"digest", source->digest}, {"principal", source->principal}});
  out.gauge("source_commit_timestamp_seconds",
            "When that commit was made, in seconds since 1970; 0: none was accepted.");
  out.sample(static_cast<double>(source->time));
  out.gauge("source_fault",
            "1: nothing newer is taken from the repository, for the reason with this id.");
  for (const auto& fault : {source->refused, source->waits, source->fetch}) {
    if (fault) out.sample(1, {{"fault", fault->id}});
  }
  out.gauge("source_on_trial",
            "1: the file is applied, and the gate has not been open for long enough.");
  out.sample(source->on_trial ? 1 : 0);
  out.gauge("source_bad_files", "Files from the repository that failed on this node.");
  out.sample(number(source->bad.size()));
}

struct FactOfLink {
  std::string link;
  std::string ip;
  const gate::Fact* fact = nullptr;
};

/// The worst first, since the end may be cut; and the worst of each id, which several mounts share.
std::vector<FactOfLink> facts_of(const gate::GateReport& report) {
  std::vector<FactOfLink> facts;
  for (const auto& rail : report.rails) {
    for (const auto& fact : rail.facts) {
      facts.push_back({rail.link, rail.ip.text(), &fact});
    }
  }
  for (const auto& fact : report.node) {
    facts.push_back({"", "", &fact});
  }
  std::ranges::stable_sort(facts, std::ranges::greater{},
                           [](const FactOfLink& one) { return one.fact->verdict; });
  std::set<std::tuple<std::string, std::string, std::string>> seen;
  std::erase_if(facts, [&seen](const FactOfLink& one) {
    return !seen.emplace(one.link, one.ip, one.fact->id).second;
  });
  return facts;
}

double holds(const gate::Fact& fact) {
  return fact.verdict == gate::Verdict::kReady     ? 1
         : fact.verdict == gate::Verdict::kUnknown ? kUnknown
                                                   : 0;
}

void tell_gate(Exposition& out, const NodeState& state) {
  out.gauge("verdict", "1 for the verdict that the node has, 0 for the others.");
  for (const auto verdict : protocol::kVerdicts) {
    std::string label(verdict);
    std::ranges::replace(label, ' ', '_');
    out.sample(verdict == name_of(state.verdict) ? 1 : 0, {{"verdict", label}});
  }
  out.gauge("verdict_timestamp_seconds", "Since when it has that verdict; 0: never looked.");
  out.sample(unix_seconds(state.verdict_since));
  out.gauge("gate_timestamp_seconds", "When the gate looked last; 0: never.");
  out.sample(unix_seconds(state.gate_at));
  const auto facts = state.gate ? facts_of(*state.gate) : std::vector<FactOfLink>{};
  out.gauge("gate_fact_holds",
            "A fact that a ready node needs: 1 it holds, 0 it does not, NaN it could not be seen.");
  for (const auto& [link, ip, fact] : facts | std::views::take(kMostFacts)) {
    out.sample(holds(*fact), {{"link", link}, {"ip", ip}, {"id", fact->id}, {"fact", fact->name}});
  }
  out.gauge("gid_move_timestamp_seconds",
            "When a RoCE v2 GID was last found at another index; 0: none was.");
  out.sample(state.gid_moves.empty() ? 0 : unix_seconds(state.gid_moves.front().at));
  out.gauge("gate_facts_left_out", "Facts that are not among these metrics, since they are many.");
  out.sample(number(facts.size() - std::min(facts.size(), kMostFacts)));
}

void tell_resources(Exposition& out, const NodeState& state) {
  out.gauge("resources_in_sync", "Resources that are as the file says.");
  out.sample(number(state.in_sync));
  out.gauge("resources_drifted", "Resources that are not as the file says, by what came of it.");
  for (const auto kind : kKinds) {
    for (const auto which :
         {Drift::State::kDiffers, Drift::State::kFailed, Drift::State::kContested}) {
      const auto count = std::ranges::count_if(state.drifts, [&](const Drift& drift) {
        return drift.kind == kind && drift.state == which;
      });
      out.sample(static_cast<double>(count), {{"kind", kind}, {"state", name_of(which)}});
    }
  }
  out.gauge("resources_skipped", "Resources that take no part for now, by why.");
  for (std::size_t why = 0; why < kinds::kSkippedWhys.size(); ++why) {
    const auto count = std::ranges::count(state.skipped, static_cast<kinds::Skipped::Why>(why),
                                          &SkippedRecord::why);
    out.sample(static_cast<double>(count), {{"why", kinds::kSkippedWhys.at(why)}});
  }
  out.gauge("refusals", "Reasons for which nothing at all is changed.");
  out.sample(number(state.refusals.size()));
}

void tell_waits(Exposition& out, const NodeState& state) {
  const auto& waits = state.disturb_waits;
  out.gauge("disturb_waits", "Changes of the file that wait until no job uses what they disturb.");
  out.sample(number(waits.size()));
  out.gauge("disturb_wait_timestamp_seconds",
            "Since when the first of these changes waits, in seconds since 1970; 0: none does.");
  out.sample(unix_seconds(oldest_of(waits)));
  out.gauge("disturb_waits_overdue",
            "1: such a change has waited longer than disturb.patience in agent.yaml.");
  out.sample(is_overdue(state) ? 1 : 0);
  out.gauge("disturb_wait_processes", "Processes for whose end such a change waits, by rail.");
  std::map<std::string_view, const plan::NamelessUse*> uses;  // several changes wait for one rail
  for (const auto& wait : waits) {
    for (const auto& use : wait.uses) {
      if (use.unknown.empty()) uses.emplace(use.link, &use);
    }
  }
  for (const auto& [link, use] : uses | std::views::take(kMostWaitedRails)) {
    out.sample(number(use->process_count), {{"link", link}, {"device", use->device}});
  }
}

void tell_rollout(Exposition& out, const NodeState& state) {
  out.gauge("rollout_held",
            "1: a changed file waits here for nodes before this one in its roll-out.");
  out.sample(state.rollout ? 1 : 0);
}

void tell_passes(Exposition& out, const NodeState& state) {
  const auto& counters = state.counters;
  out.counter("passes_total", "Looks at the whole node since the daemon started.");
  out.sample(number(counters.passes));
  out.counter("failed_passes_total", "Passes that could not look at the node.");
  out.sample(number(counters.failed_passes));
  out.gauge("last_pass_failed", "1: the last pass could not look at the node.");
  out.sample(state.pass_error.empty() ? 0 : 1);
  out.gauge("last_pass_timestamp_seconds", "When the last pass ended; 0: none has.");
  out.sample(unix_seconds(state.pass_at));
  out.gauge("last_pass_duration_seconds", "How long the last pass took.");
  out.sample(in_seconds(state.pass_took));
  out.counter("corrections_total", "Resources that were set right, by kind.");
  by_kind(out, counters.corrections);
  out.counter("drift_corrections_total", "Those of them that someone else had changed, by kind.");
  by_kind(out, counters.drifts);
  out.counter("correction_failures_total", "Corrections that failed, by kind.");
  by_kind(out, counters.failures);
  out.counter("triggers_total", "What asked for a pass, by source.");
  for (const auto& [source, count] : counters.triggers | std::views::take(kMostTriggers)) {
    out.sample(number(count), {{"source", source}});
  }
  out.counter("resyncs_total", "Times that the kernel's events were lost, and all was read again.");
  out.sample(number(counters.resyncs));
}

void tell_links(Exposition& out, const std::vector<LinkRecord>& links) {
  std::vector<const LinkRecord*> shown;
  shown.reserve(links.size());
  for (const auto& link : links) {
    shown.push_back(&link);
  }
  std::ranges::stable_partition(shown, [](const auto* link) { return link->cage.has_value(); });
  shown.resize(std::min(shown.size(), kMostLinks));
  const auto number_or_none = [](const std::optional<int>& value) {
    return value ? std::to_string(*value) : std::string();
  };
  out.gauge("link_info", "A link, its cage, rail and RDMA device.");
  for (const auto* link : shown) {
    out.sample(1, {{"link", link->name},
                   {"cage", number_or_none(link->cage)},
                   {"rail", number_or_none(link->rail)},
                   {"device", link->device}});
  }
  out.gauge("link_carrier", "1: the link is there, up, and has a carrier.");
  for (const auto* link : shown) {
    out.sample(link->present && link->up && link->carrier ? 1 : 0, {{"link", link->name}});
  }
  out.gauge("link_mtu_bytes", "Largest packet that the link sends.");
  for (const auto* link : shown) {
    out.sample(link->present ? link->mtu : kUnknown, {{"link", link->name}});
  }
  out.gauge("link_speed_bytes_per_second", "Speed of the link, as its driver says.");
  for (const auto* link : shown) {
    out.sample(link->speed ? *link->speed * 1e6 / 8 : kUnknown, {{"link", link->name}});
  }
}

void tell_sinks(Exposition& out, const std::vector<SinkState>& sinks) {
  const auto shown = sinks | std::views::take(kMostSinks);
  out.counter("alerts_delivered_total", "Alerts that arrived, by where they go.");
  for (const auto& sink : shown) {
    out.sample(number(sink.delivered), {{"sink", sink.name}});
  }
  out.counter("alerts_dropped_total", "Alerts that there was no place for, or that nobody took.");
  for (const auto& sink : shown) {
    out.sample(number(sink.dropped), {{"sink", sink.name}});
  }
  // Those that fail first. Counters keep their places: one that comes and goes counts nothing.
  std::vector<SinkState> worst_first = sinks;
  std::ranges::stable_partition(worst_first,
                                [](const SinkState& sink) { return sink.failures > 0; });
  out.gauge("alert_sink_failed_tries", "Tries in a row to deliver alerts there that failed.");
  for (const auto& sink : worst_first | std::views::take(kMostSinks)) {
    out.sample(number(sink.failures), {{"sink", sink.name}});
  }
}

/// Those of which most is raised first, since the end may be cut.
void tell_mutes(Exposition& out, const std::vector<MuteRecord>& mutes) {
  out.gauge("mutes", "Mutes in force: alerts of which nobody is told until they end.");
  out.sample(number(mutes.size()));
  std::map<std::string, std::uint64_t> by_alert;
  for (const auto& record : mutes) by_alert[record.mute.alert] += record.raised;
  std::vector<std::pair<std::string, std::uint64_t>> shown(by_alert.begin(), by_alert.end());
  std::ranges::stable_sort(shown, std::ranges::greater{},
                           &std::pair<std::string, std::uint64_t>::second);
  out.gauge("alerts_muted", "Alerts that are raised and told to nobody, by the alert's name.");
  for (const auto& [alert, raised] : shown | std::views::take(kMostMuted)) {
    out.sample(number(raised), {{"alert", alert}});
  }
}

}  // namespace

std::string metrics_text(const NodeState& state, const Moment& now) {
  Exposition out;
  tell_daemon(out, state, now);
  tell_file(out, state.file);
  tell_source(out, state.source);
  tell_gate(out, state);
  tell_resources(out, state);
  tell_waits(out, state);
  tell_rollout(out, state);
  tell_passes(out, state);
  tell_links(out, state.links);
  tell_sinks(out, state.sinks);
  tell_mutes(out, state.mutes);
  tell_hardware(out, state.hardware);
  tell_cluster(out, state.around);
  tell_jobs(out, state.jobs);
  return out.text();
}

}  // namespace spark::daemon
