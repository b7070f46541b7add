#include "cli/cluster/cluster_here.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/moment.hpp"
#include "base/text.hpp"
#include "cli/state_here/node_here.hpp"
#include "cli/state_here/told_here.hpp"
#include "cli/text/plan_text.hpp"
#include "cli/text/rollout_text.hpp"
#include "cli/text/state_words.hpp"
#include "host/file_lock.hpp"
#include "node_state/known_node.hpp"

namespace spark::cli {
namespace {

cluster::OwnNode own_node_here(const std::string& name, const ClusterFile& file,
                               const std::optional<node_state::NodeState>& state,
                               const Moment& now) {
  cluster::OwnNode own{.name = name,
                       .why = {},
                       .since = {},
                       .version = {},
                       .file = {},
                       .problems = {},
                       .differs = {}};
  if (state && state->node == name) {
    own = node_state::own_node(*state, now);
  } else {
    own.why = "the daemon does not run, or has not looked yet";
  }
  own.file.name = printable(file.name);
  return own;
}

/// The order by the file, and what of it waits here.
cluster::KnownRollout rollout_here(const Command& command, const ClusterFile& file,
                                   const std::optional<node_state::NodeState>& state,
                                   const Moment& now) {
  auto known = state ? node_state::known_rollout(*state, now)
                     : cluster::KnownRollout{.groups = {}, .held = {}};
  const auto& cluster = file.parsed.cluster;
  known.is_asked = cluster.rollout.has_value();
  if (known.is_asked) {
    auto order = rollout_of(cluster, command.host.files);
    // The file is in force: which cables it changed is not known any more.
    if (order.groups.empty()) order = plan::rollout_order(nullptr, cluster);
    known.groups = std::move(order.groups);
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
std::optional<node_state::NodeState> own_state(const Command& command) {
  if (was_daemon_killed(command.arguments.root)) return std::nullopt;
  auto here = node_here(command.host).value_or(std::nullopt);
  return here ? std::optional(std::move(here->state)) : std::nullopt;
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
  const auto state = own_state(command);
  // Of a daemon that hangs or was killed the ways are of before, as its verdict is.
  if (told && (!state || !state->gate)) told->own.reach.clear();
  return {.known = {.shape = cluster::shape_of(file.parsed.cluster),
                    .own = own_node_here(node, file, state, at),
                    .told = why.empty() ? *std::move(told) : cluster::Told{},
                    .measured = {},
                    .now = at.boot,
                    .rollout = rollout_here(command, file, state, at)},
          .why_nothing = std::move(why)};
}

}  // namespace spark::cli
