#include "node_state/status_json.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include "base/json_document.hpp"
#include "base/moment.hpp"
#include "diagnosis/kinds.hpp"
#include "gate/gate_json.hpp"
#include "node_state/source_text.hpp"
#include "node_state/time_text.hpp"
#include "node_state/wait_text.hpp"

namespace spark::node_state {
namespace {

using nlohmann::json;

json text_or_null(const std::string& text) { return text.empty() ? json(nullptr) : json(text); }

json time_or_null(const Moment& moment) {
  return is_set(moment) ? json(utc_text(moment.wall)) : json(nullptr);
}

template <class T>
json optional(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

json to_json(const FileState& file) {
  return {{"path", file.path},
          {"since", time_or_null(file.since)},
          {"refused", file.refused.empty() ? json(nullptr)
                                           : json{{"since", time_or_null(file.refused_since)},
                                                  {"first", file.refused_first},
                                                  {"findings", file.refused}}},
          {"waits", file.waits}};
}

json fault_or_null(const std::optional<protocol::SourceFault>& fault) {
  return fault ? json{{"id", fault->id},
                      {"what", fault->what},
                      {"commit", text_or_null(fault->commit)}}
               : json(nullptr);
}

json to_json(const SourceState& source, const std::string& in_force) {
  auto bad = json::array();
  for (const auto& one : source.bad) {
    bad.push_back({{"digest", one.digest}, {"why", one.why}, {"at", one.at}});
  }
  return {{"url", source.url},
          {"branch", source.branch},
          {"path", source.path},
          {"commit", text_or_null(source.commit)},
          {"digest", text_or_null(source.digest)},
          {"subject", source.subject},
          {"principal", text_or_null(source.principal)},
          {"tag", text_or_null(source.tag)},
          {"committed_at",
           source.commit.empty()
               ? json(nullptr)
               : json(utc_text(std::chrono::sys_seconds(std::chrono::seconds(source.time))))},
          {"refused", fault_or_null(source.refused)},
          {"waits", fault_or_null(source.waits)},
          {"fetch", fault_or_null(source.fetch)},
          {"error", text_or_null(source.error)},
          {"on_trial", source.on_trial},
          {"bad", bad},
          {"says", source_lines(source, in_force)}};
}

json to_json(const state::Paused& paused) {
  json shown{{"since", utc_text(paused.since.wall)},
             {"until", utc_text(paused.until.wall)},
             {"reason", paused.reason},
             {"by", text_or_null(paused.by)}};
  if (!paused.change_id.empty()) shown["change_id"] = paused.change_id;
  return shown;
}

json to_json(const Released& released) {
  return {{"at", text_or_null(released.at)}, {"by", text_or_null(released.by)}};
}

json to_json(const host::RunningProcess& process) {
  return {{"pid", process.pid},
          {"name", process.name},
          {"user", text_or_null(process.user)},
          {"container", text_or_null(process.container)},
          {"unit", text_or_null(process.unit)}};
}

json to_json(const plan::RailUse& use) {
  auto processes = json::array();
  for (const auto& process : use.processes) processes.push_back(to_json(process));
  return {{"link", use.link},
          {"device", text_or_null(use.device)},
          {"cage", use.rail ? json(use.rail->cage) : json(nullptr)},
          {"rail", use.rail ? json(use.rail->rail) : json(nullptr)},
          {"processes", std::move(processes)},
          {"unknown", text_or_null(use.unknown)}};
}

json to_json(const DisturbWait& wait) {
  auto uses = json::array();
  for (const auto& use : wait.uses) uses.push_back(to_json(use));
  return {{"kind", wait.kind},
          {"key", wait.key},
          {"have", optional(wait.have)},
          {"want", optional(wait.want)},
          {"where", text_or_null(wait.line)},
          {"since", utc_text(wait.since.wall)},
          {"uses", std::move(uses)},
          {"asked", text_or_null(wait.asked)},
          {"reasons", reasons_of(wait)}};
}

json to_json(const RolloutHeld& held) {
  auto waits = json::array();
  for (const auto& wait : held.waits) waits.push_back({{"node", wait.node}, {"why", wait.why}});
  return {{"digest", held.digest},
          {"since", utc_text(held.since.wall)},
          {"waits", std::move(waits)},
          {"skipped", held.skipped}};
}

json to_json(const SkippedRecord& skipped) {
  return {{"kind", skipped.kind},
          {"key", skipped.key},
          {"why", kinds::name_of(skipped.why)},
          {"id", skipped.id},
          {"reason", skipped.reason}};
}

json to_json(const gate::Cabling& cabling) {
  return {{"state", gate::kCablingStates.at(static_cast<std::size_t>(cabling.state))},
          {"by", text_or_null(cabling.by.text())}};
}

json to_json(const LinkRecord& link) {
  return {{"name", link.name},
          {"cage", optional(link.cage)},
          {"rail", optional(link.rail)},
          {"present", link.present},
          {"up", link.up},
          {"carrier", link.carrier},
          {"mtu", link.mtu},
          {"speed_mbps", optional(link.speed)},
          {"addresses", link.addresses},
          {"device", link.device},
          {"peers", link.peers},
          {"segment", text_or_null(link.segment)},
          {"cabling", link.cabling ? to_json(*link.cabling) : json(nullptr)}};
}

json to_json(const GidMove& move) {
  return {{"at", utc_text(move.at.wall)}, {"link", move.link}, {"device", move.device},
          {"address", move.ip},           {"from", move.from}, {"to", move.to}};
}

json to_json(const SinkState& sink) {
  return {{"name", sink.name},
          {"delivered", sink.delivered},
          {"dropped", sink.dropped},
          {"failures", sink.failures},
          {"failing_since", time_or_null(sink.failing_since)},
          {"error", text_or_null(sink.error)}};
}

json to_json(const Counters& counters) {
  return {{"passes", counters.passes},           {"failed_passes", counters.failed_passes},
          {"corrections", counters.corrections}, {"drifts", counters.drifts},
          {"failures", counters.failures},       {"triggers", counters.triggers},
          {"resyncs", counters.resyncs}};
}

json to_json(const host::HardwareSign& sign) {
  return {{"name", sign.name},
          {"subject", text_or_null(sign.subject)},
          {"fault", sign.is_fault},
          {"what", sign.what},
          {"remedy", text_or_null(sign.remedy)}};
}

template <class T>
json list(const T& records) {
  auto all = json::array();
  for (const auto& record : records) {
    all.push_back(to_json(record));
  }
  return all;
}

json gate_or_null(const NodeState& state) {
  if (!state.gate) {
    return nullptr;
  }
  auto gate = gate::to_json(*state.gate);
  gate["at"] = time_or_null(state.gate_at);
  return gate;
}

json hardware_or_null(const HardwareState& hardware) {
  return hardware.facts ? json{{"at", time_or_null(hardware.at)}, {"signs", list(hardware.signs)}}
                        : json(nullptr);
}

json pass_or_null(const NodeState& state) {
  return is_set(state.pass_at) ? json{{"at", utc_text(state.pass_at.wall)},
                                      {"took_seconds", in_seconds(state.pass_took)},
                                      {"error", text_or_null(state.pass_error)}}
                               : json(nullptr);
}

}  // namespace

json to_json(const MuteRecord& record) {
  const auto& mute = record.mute;
  return {{"id", mute.id},
          {"alert", mute.alert},
          {"node", text_or_null(mute.node)},
          {"since", utc_text(mute.since.wall)},
          {"until", utc_text(mute.until.wall)},
          {"reason", mute.reason},
          {"by", text_or_null(mute.by)},
          {"subjects", optional(record.subjects)},
          {"raised", record.raised}};
}

json to_json(const Drift& drift) {
  return {{"kind", drift.kind},
          {"key", drift.key},
          {"state", name_of(drift.state)},
          {"have", optional(drift.have)},
          {"want", optional(drift.want)},
          {"since", utc_text(drift.since.wall)},
          {"why", drift.why},
          {"held_until", time_or_null(drift.held_until)},
          {"where", text_or_null(drift.line)},
          {"remedy", text_or_null(drift.remedy)}};
}

json to_json(const ChangeRecord& change) {
  return {{"at", utc_text(change.at.wall)},
          {"cause", name_of(change.cause)},
          {"kind", change.kind},
          {"key", change.key},
          {"before", optional(change.before)},
          {"after", optional(change.after)},
          {"failure", text_or_null(change.failure)},
          {"took_seconds", in_seconds(change.took)},
          {"writer", text_or_null(change.writer)}};
}

std::string status_json(const NodeState& state, const std::string& why, const Moment& now) {
  const json document{
      {"schema", "spark-reconcile/daemon-status/v1"},
      {"version", state.version},
      {"node", text_or_null(state.node)},
      {"digest", text_or_null(state.file.digest)},
      {"generated_at", utc_text(now.wall)},
      {"exit_code", static_cast<int>(gate::exit_code_of(state.verdict))},
      {"cluster", text_or_null(state.cluster)},
      {"started_at", utc_text(state.started.wall)},
      {"file", to_json(state.file)},
      {"change_id", text_or_null(state.change_id)},
      {"source", state.source ? to_json(*state.source, state.file.digest) : json(nullptr)},
      {"paused", state.paused ? to_json(*state.paused) : json(nullptr)},
      {"unfinished", state.unfinished ? json{{"id", diagnosis::kUnfinishedId},
                                             {"what", state.unfinished->what},
                                             {"remedy", state.unfinished->remedy}}
                                      : json(nullptr)},
      {"released", state.released ? to_json(*state.released) : json(nullptr)},
      {"rollout", state.rollout ? to_json(*state.rollout) : json(nullptr)},
      {"verdict", gate::name_of(state.verdict)},
      {"verdict_since", time_or_null(state.verdict_since)},
      {"why", why},
      {"gate", gate_or_null(state)},
      {"pass", pass_or_null(state)},
      {"in_sync", state.in_sync},
      {"refusals", state.refusals},
      {"drift", list(state.drifts)},
      {"disturb_waits", list(state.disturb_waits)},
      {"skipped", list(state.skipped)},
      {"links", list(state.links)},
      {"changes", list(state.changes)},
      {"gid_moves", list(state.gid_moves)},
      {"counters", to_json(state.counters)},
      {"sinks", list(state.sinks)},
      {"muted", list(state.mutes)},
      {"hardware", hardware_or_null(state.hardware)}};
  // Text of the host or the file may hold bytes that are not UTF-8: replaced, never thrown about.
  return json_text(document, 2) + "\n";
}

}  // namespace spark::node_state
