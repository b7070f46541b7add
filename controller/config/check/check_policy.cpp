// `ready:`: the key of the nodes.
// Roll-out: an order that the nodes can keep.

#include <map>
#include <string_view>

#include <fmt/format.h>

#include "base/text.hpp"
#include "config/check/check_sections.hpp"

namespace spark::config {
namespace {

/// `peers`: the policy that holds where the key stands.
void warn_if_unused(const Ready& ready, const At<ReadyPolicy>& peers, Findings& findings) {
  if (!ready.key_file || peers.value != ReadyPolicy::kOff) return;
  findings.add(SpecId::kKeyUnused, ready.key_file->where, "no node uses this key: 'peers' is off",
               "delete 'key_file', or set 'peers' to report or require",
               {{peers.where, "'peers' is here"}});
}

}  // namespace

void check_ready(const Checked& checked, Findings& findings) {
  const auto& common = checked.cluster.ready;
  if (common.key_file) check_normalised(*common.key_file, findings);
  bool is_used_somewhere = false;
  for (const auto& [name, node] : checked.cluster.nodes) {
    if (node.ready.key_file) check_normalised(*node.ready.key_file, findings);
    const bool has_own = node.ready.peers.where.line != 0;
    const auto& peers = has_own ? node.ready.peers : common.peers;
    warn_if_unused(node.ready, peers, findings);
    is_used_somewhere |= peers.value != ReadyPolicy::kOff && !node.ready.key_file;
  }
  if (!is_used_somewhere) warn_if_unused(common, common.peers, findings);
}

namespace {

void check_order(const Cluster& cluster, const Rollout& rollout, Findings& findings) {
  std::map<std::string_view, Where> first;
  for (const auto& group : rollout.order) {
    for (const auto& [name, where] : group) {
      static_cast<void>(known_node(cluster, findings, name, where));  // it reports
      const auto [seen, is_new] = first.try_emplace(name, where);
      if (is_new) continue;
      findings.add(SpecId::kRollout, where,
                   fmt::format("{} stands in 'order' twice", in_quotes(name)),
                   "a node is in one group: keep one of the two", {{seen->second, "first here"}});
    }
  }
}

/// Who waits has to hear, and who is waited for has to be heard.
void check_all_speak(const Cluster& cluster, const Rollout& rollout, Findings& findings) {
  for (const auto& [name, node] : cluster.nodes) {
    const bool has_own = node.ready.peers.where.line != 0;
    const auto& peers = has_own ? node.ready.peers : cluster.ready.peers;
    if (peers.value != ReadyPolicy::kOff) continue;
    findings.add(SpecId::kRollout, rollout.where,
                 fmt::format("a roll-out goes by what the nodes tell each other, and {} says and "
                             "hears nothing",
                             in_quotes(name)),
                 "set 'peers' to report or require", {{peers.where, "'peers' is off here"}});
    return;
  }
}

}  // namespace

void check_rollout(const Cluster& cluster, Findings& findings) {
  if (!cluster.rollout) return;
  const auto& rollout = *cluster.rollout;
  if (rollout.canary.has_value() != rollout.order.empty()) {
    findings.add(
        SpecId::kRollout, rollout.where,
        rollout.canary ? "'rollout' has both a canary and an order" : "'rollout' names no node",
        "write one of the two: canary: spark3 (first that node, then all others), or "
        "order: [[spark3], [spark1, spark2]]");
  }
  if (rollout.canary) {
    static_cast<void>(known_node(cluster, findings, rollout.canary->value, rollout.canary->where));
  }
  check_order(cluster, rollout, findings);
  check_all_speak(cluster, rollout, findings);
}

}  // namespace spark::config
