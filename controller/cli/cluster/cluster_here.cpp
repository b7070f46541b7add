#include "cli/cluster/cluster_here.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json_document.hpp"
#include "base/moment.hpp"
#include "base/text.hpp"
#include "cli/daemon_status.hpp"
#include "cli/text/plan_text.hpp"
#include "cli/text/rollout_text.hpp"
#include "cli/text/state_words.hpp"
#include "cli/told_here.hpp"
#include "gate/common/wrong_facts.hpp"
#include "gate/gate_json.hpp"
#include "host/file_lock.hpp"

namespace spark::cli {
namespace {

using std::chrono::milliseconds;

// What a view takes of schema/output/daemon-status.schema.json.

struct FailedFile {
  std::string digest;
};

template <EitherConst<FailedFile> T, class Visit>
void each_field(T& failed, Visit visit) {
  visit("digest", may_lack(failed.digest));
}

struct FollowedCommit {
  std::optional<std::string> commit;
  std::optional<std::string> digest;
  std::optional<std::string> principal;
  std::optional<std::string> committed_at;
  std::vector<FailedFile> bad;
};

template <EitherConst<FollowedCommit> T, class Visit>
void each_field(T& source, Visit visit) {
  visit("commit", source.commit);
  visit("digest", source.digest);
  visit("principal", source.principal);
  visit("committed_at", source.committed_at);
  visit("bad", may_lack(source.bad));
}

struct HeldFile {
  std::string digest;
  std::optional<std::string> since;
  std::vector<cluster::RolloutWait> waits;
  std::vector<std::string> skipped;
};

template <EitherConst<HeldFile> T, class Visit>
void each_field(T& held, Visit visit) {
  visit("digest", may_lack(held.digest));
  visit("since", held.since);
  visit("waits", may_lack(held.waits));
  visit("skipped", may_lack(held.skipped));
}

struct FoundCable {
  std::string state;
  std::optional<std::string> by;
};

template <EitherConst<FoundCable> T, class Visit>
void each_field(T& cable, Visit visit) {
  visit("state", cable.state);
  visit("by", cable.by);
}

struct OwnLink {
  std::string name;
  bool carrier = false;
  std::optional<FoundCable> cabling;
};

template <EitherConst<OwnLink> T, class Visit>
void each_field(T& link, Visit visit) {
  visit("name", link.name);
  visit("carrier", may_lack(link.carrier));
  visit("cabling", link.cabling);
}

struct OwnStatus {
  std::string version;
  std::string verdict;
  std::optional<std::string> verdict_since;
  std::string why;
  std::optional<std::string> node;
  std::optional<std::string> digest;
  std::optional<FollowedCommit> source;
  std::optional<HeldFile> rollout;
  std::optional<gate::GateReport> gate;
  std::vector<OwnLink> links;
};

template <EitherConst<OwnStatus> T, class Visit>
void each_field(T& status, Visit visit) {
  visit("version", may_lack(status.version));
  visit("verdict", may_lack(status.verdict));
  visit("verdict_since", status.verdict_since);
  visit("why", may_lack(status.why));
  visit("node", status.node);
  visit("digest", status.digest);
  visit("source", status.source);
  visit("rollout", status.rollout);
  visit("gate", status.gate);
  visit("links", may_lack(status.links));
}

std::optional<milliseconds> since(const std::optional<std::string>& utc, const Moment& now) {
  const auto wall = utc ? wall_from_utc(*utc) : std::nullopt;
  return wall ? std::optional(std::max(now.wall - *wall, milliseconds(0))) : std::nullopt;
}

std::vector<cluster::OwnFact> own_facts(const gate::GateReport& report) {
  std::vector<cluster::OwnFact> facts;
  for (const auto& [link, fact] : gate::wrong_facts(report)) {
    facts.push_back({.link = link, .id = fact.id, .name = fact.name, .measured = fact.measured});
  }
  return facts;
}

cluster::FileOrigin origin_of(const OwnStatus& status, const ClusterFile& file, const Moment& now) {
  cluster::FileOrigin origin{.name = printable(file.name),
                             .digest = status.digest.value_or(""),
                             .commit = {},
                             .principal = {},
                             .age = {}};
  const auto& source = status.source;
  if (source && source->commit && source->digest == status.digest) {
    origin.commit = printable(*source->commit);
    origin.principal = printable(source->principal.value_or(""));
    origin.age = since(source->committed_at, now);
  }
  return origin;
}

cluster::OwnNode own_node_of(const std::string& name, const ClusterFile& file,
                             const std::optional<OwnStatus>& status, const Moment& now) {
  cluster::OwnNode own{
      .name = name, .why = {}, .since = {}, .version = {}, .file = {}, .facts = {}, .differs = {}};
  own.file.name = printable(file.name);
  if (!status || status->node != name) {
    own.why = "the daemon does not run, or has not looked yet";
    return own;
  }
  own.verdict = protocol::verdict_named(status->verdict).value_or(protocol::Verdict::kUnknown);
  own.why = own.verdict == protocol::Verdict::kReady ? "" : printable(status->why);
  own.since = since(status->verdict_since, now);
  own.version = status->version;
  own.file = origin_of(*status, file, now);
  if (status->gate) own.facts = own_facts(*status->gate);
  for (const auto& link : status->links) {
    if (!link.carrier && link.cabling && link.cabling->state == "wrong") {
      own.other_cages[link.name] = printable(link.cabling->by.value_or(""));
    }
  }
  return own;
}

/// The order by the file, and what of it waits here.
cluster::KnownRollout rollout_here(const Command& command, const ClusterFile& file,
                                   const std::optional<OwnStatus>& status, const Moment& now) {
  cluster::KnownRollout known{.groups = {}, .held = {}};
  const auto& cluster = file.parsed.cluster;
  known.is_asked = cluster.rollout.has_value();
  if (known.is_asked) {
    auto order = rollout_of(cluster, command.host.files);
    // The file is in force: which cables it changed is not known any more.
    if (order.groups.empty()) order = plan::rollout_order(nullptr, cluster);
    known.groups = std::move(order.groups);
  }
  if (status && status->rollout && !status->rollout->digest.empty()) {
    const auto& held = *status->rollout;
    known.held = {.digest = held.digest,
                  .since = since(held.since, now),
                  .waits = held.waits,
                  .skipped = held.skipped};
  }
  if (status && status->source) {
    for (const auto& failed : status->source->bad) known.bad.push_back(failed.digest);
  }
  return known;
}

/// A daemon that is stopped takes away what it wrote; one that is killed leaves it, and its lock.
bool was_daemon_killed(const std::string& root) {
  const auto lock = daemon_lock(root);
  std::error_code ignored;  // then nothing is known of it
  if (!std::filesystem::exists(lock, ignored)) return false;
  const auto is_held = host::is_held(lock);
  return is_held && !*is_held;
}

/// Empty: no daemon has written since the machine booted, one of another version has, or it was
/// killed since.
std::optional<OwnStatus> own_status(host::Files& files, const std::string& root) {
  if (was_daemon_killed(root)) return std::nullopt;
  const auto document = read_daemon_status(files);
  if (!document || !document->is_object()) return std::nullopt;
  auto status = value_from<OwnStatus>(*document);
  return status ? std::optional(*std::move(status)) : std::nullopt;
}

}  // namespace

std::string difference_of(const plan::Plan& plan) {
  const auto state = state_of(plan);
  if (state == NodeState::kRefused) return "refused: " + printable(plan.refusals.front().what);
  return state == NodeState::kDiffers ? "differs: " + counts_text(plan) : std::string();
}

std::string skipped_here(const plan::Plan& plan) {
  const auto state = state_of(plan);
  const bool is_skipped = state == NodeState::kWaiting || state == NodeState::kUnknown ||
                          state == NodeState::kNotEnforced;
  return is_skipped ? fmt::format("{}: {}", look_of(state).word, counts_text(plan)) : std::string();
}

std::optional<cluster::Known> cluster_here(const Command& command, const ClusterFile& file,
                                           const std::string& node) {
  if (!command.arguments.facts.empty()) return std::nullopt;
  auto [known, why_nothing] = all_known_here(command, file, node);
  return why_nothing.empty() ? std::optional(std::move(known)) : std::nullopt;
}

KnownHere all_known_here(const Command& command, const ClusterFile& file, const std::string& node) {
  auto told = told_here(command.host);
  std::string why;
  if (!told || told->own.node != node) {
    why = "this node has heard nobody: its daemon and spark-peers have told nothing in this boot";
  } else if (!told->is_enabled) {
    why = "this node hears nobody: `ready.peers` is off, or it is released";
  } else if (told->expected.empty()) {
    why = "this node hears nobody: no cable or switch of it has another node";
  }
  const auto at = now();
  const auto status = own_status(command.host.files, command.arguments.root);
  return {.known = {.shape = cluster::shape_of(file.parsed.cluster),
                    .own = own_node_of(node, file, status, at),
                    .told = why.empty() ? *std::move(told) : cluster::Told{},
                    .measured = {},
                    .now = at.boot,
                    .rollout = rollout_here(command, file, status, at)},
          .why_nothing = std::move(why)};
}

}  // namespace spark::cli
