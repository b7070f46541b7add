#pragma once
// The members of NodeState and its parts, for documents. They are bound by position: a member that
// is added does not compile until it is here too.

#include "base/fields.hpp"
#include "base/moment.hpp"
#include "gate/gate.hpp"
#include "node_state/node_state.hpp"
#include "plan/rail_use.hpp"
#include "state/in_force.hpp"
#include "state/pause.hpp"

namespace spark::node_state {

template <EitherConst<FileState> T, class Visit>
void each_field(T& file, Visit visit) {
  auto& [path, digest, since, refused, refused_since, refused_first, waits, waits_for_all] = file;
  visit("path", path);
  visit("digest", digest);
  visit("since", since);
  visit("refused", refused);
  visit("refused_since", refused_since);
  visit("refused_first", refused_first);
  visit("waits", waits);
  visit("waits_for_all", may_lack(waits_for_all));
}

template <EitherConst<SourceState> T, class Visit>
void each_field(T& source, Visit visit) {
  auto& [url, branch, path, commit, digest, subject, principal, tag, time, refused, waits, fetch,
         error, fault_since, on_trial, trial_waits, bad] = source;
  visit("url", url);
  visit("branch", branch);
  visit("path", path);
  visit("commit", commit);
  visit("digest", digest);
  visit("subject", subject);
  visit("principal", principal);
  visit("tag", tag);
  visit("time", time);
  visit("refused", refused);
  visit("waits", waits);
  visit("fetch", fetch);
  visit("error", error);
  visit("fault_since", fault_since);
  visit("on_trial", on_trial);
  visit("trial_waits", trial_waits);
  visit("bad", bad);
}

template <EitherConst<Released> T, class Visit>
void each_field(T& released, Visit visit) {
  auto& [at, by] = released;
  visit("at", at);
  visit("by", by);
}

template <EitherConst<Drift> T, class Visit>
void each_field(T& drift, Visit visit) {
  auto& [kind, key, state, have, want, since, why, held_until, line, remedy, due, on] = drift;
  visit("kind", kind);
  visit("key", key);
  visit("state", state);
  visit("have", have);
  visit("want", want);
  visit("since", since);
  visit("why", why);
  visit("held_until", held_until);
  visit("line", line);
  visit("remedy", remedy);
  visit("due", due);
  visit("on", unless_empty(on));
}

template <EitherConst<ChangeRecord> T, class Visit>
void each_field(T& change, Visit visit) {
  auto& [at, cause, kind, key, before, after, failure, took, overwritten, writer, on] = change;
  visit("at", at);
  visit("cause", cause);
  visit("kind", kind);
  visit("key", key);
  visit("before", before);
  visit("after", after);
  visit("failure", failure);
  visit("took", took);
  visit("overwritten", overwritten);
  visit("writer", writer);
  visit("on", unless_empty(on));
}

template <EitherConst<SkippedRecord> T, class Visit>
void each_field(T& skipped, Visit visit) {
  auto& [kind, key, why, id, reason, on] = skipped;
  visit("kind", kind);
  visit("key", key);
  visit("why", why);
  visit("id", id);
  visit("reason", reason);
  visit("on", unless_empty(on));
}

template <EitherConst<DisturbWait> T, class Visit>
void each_field(T& wait, Visit visit) {
  auto& [kind, key, have, want, line, since, uses, asked, on] = wait;
  visit("kind", kind);
  visit("key", key);
  visit("have", have);
  visit("want", want);
  visit("line", line);
  visit("since", since);
  visit("uses", uses);
  visit("asked", asked);
  visit("on", unless_empty(on));
}

template <EitherConst<RolloutHeld> T, class Visit>
void each_field(T& held, Visit visit) {
  auto& [digest, since, waits, skipped] = held;
  visit("digest", digest);
  visit("since", since);
  visit("waits", waits);
  visit("skipped", skipped);
}

template <EitherConst<LinkRecord> T, class Visit>
void each_field(T& link, Visit visit) {
  auto& [name, cage, rail, present, up, carrier, mtu, speed, addresses, device, master, peers,
         segment, cabling] = link;
  visit("name", name);
  visit("cage", cage);
  visit("rail", rail);
  visit("present", present);
  visit("up", up);
  visit("carrier", carrier);
  visit("mtu", mtu);
  visit("speed", speed);
  visit("addresses", addresses);
  visit("device", device);
  visit("master", master);
  visit("peers", peers);
  visit("segment", segment);
  visit("cabling", cabling);
}

template <EitherConst<GidMove> T, class Visit>
void each_field(T& move, Visit visit) {
  auto& [at, link, device, ip, from, to] = move;
  visit("at", at);
  visit("link", link);
  visit("device", device);
  visit("ip", ip);
  visit("from", from);
  visit("to", to);
}

template <EitherConst<StateLoss> T, class Visit>
void each_field(T& loss, Visit visit) {
  auto& [at, what] = loss;
  visit("at", at);
  visit("what", what);
}

template <EitherConst<SinkState> T, class Visit>
void each_field(T& sink, Visit visit) {
  auto& [name, error, failing_since, failures, delivered, dropped] = sink;
  visit("name", name);
  visit("error", error);
  visit("failing_since", failing_since);
  visit("failures", failures);
  visit("delivered", delivered);
  visit("dropped", dropped);
}

template <EitherConst<MuteRecord> T, class Visit>
void each_field(T& record, Visit visit) {
  auto& [mute, subjects, raised] = record;
  visit("mute", mute);
  visit("subjects", subjects);
  visit("raised", raised);
}

template <EitherConst<Counters> T, class Visit>
void each_field(T& counters, Visit visit) {
  auto& [passes, failed_passes, corrections, drifts, failures, triggers, resyncs] = counters;
  visit("passes", passes);
  visit("failed_passes", failed_passes);
  visit("corrections", corrections);
  visit("drifts", drifts);
  visit("failures", failures);
  visit("triggers", triggers);
  visit("resyncs", resyncs);
}

template <EitherConst<VerdictSpan> T, class Visit>
void each_field(T& span, Visit visit) {
  auto& [verdict, since] = span;
  visit("verdict", verdict);
  visit("since", since);
}

/// But for the order of spark-peers, which is a document of its own, and for what only the Notifier
/// reads.
template <EitherConst<NodeState> T, class Visit>
void each_field(T& state, Visit visit) {
  auto& [version, node, cluster, started, file, source, paused, unfinished, released, rollout,
         all_nodes, host_keys, rollout_groups, gate, gate_at, verdict, verdict_since, verdicts,
         drifts, drift_alert_at, disturb_waits, disturb_patience, skipped, refusals, pass_error,
         in_sync, links, routes, changes, pass_at, pass_took, counters, gid_moves, loss, sinks,
         mutes, mutes_error, hardware, shape, around, jobs, change_id, by_hand, peers_order,
         mutes_asked] = state;
  visit("version", version);
  visit("node", node);
  visit("cluster", cluster);
  visit("started", started);
  visit("file", file);
  visit("source", source);
  visit("paused", paused);
  visit("unfinished", unless_empty(unfinished));
  visit("released", released);
  visit("rollout", rollout);
  visit("all_nodes", unless_empty(all_nodes));
  visit("host_keys", unless_empty(host_keys));
  visit("rollout_groups", rollout_groups);
  visit("gate", gate);
  visit("gate_at", gate_at);
  visit("verdict", verdict);
  visit("verdict_since", verdict_since);
  visit("verdicts", verdicts);
  visit("drifts", drifts);
  visit("drift_alert_at", drift_alert_at);
  visit("disturb_waits", disturb_waits);
  visit("disturb_patience", disturb_patience);
  visit("skipped", skipped);
  visit("refusals", refusals);
  visit("pass_error", pass_error);
  visit("in_sync", in_sync);
  visit("links", links);
  visit("routes", routes);
  visit("changes", changes);
  visit("pass_at", pass_at);
  visit("pass_took", pass_took);
  visit("counters", counters);
  visit("gid_moves", gid_moves);
  visit("loss", loss);
  visit("sinks", sinks);
  visit("mutes", mutes);
  visit("mutes_error", mutes_error);
  visit("hardware", hardware);
  visit("shape", shape);
  visit("around", around);
  visit("jobs", jobs);
  visit("change_id", unless_empty(change_id));
}

}  // namespace spark::node_state
