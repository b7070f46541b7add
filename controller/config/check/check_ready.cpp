// `ready:`: the key of the nodes.

#include "config/check/check_sections.hpp"

namespace spark::config {
namespace {

/// `peers`: the policy that holds where this stands.
void check_key(const Ready& ready, const At<ReadyPolicy>& peers, Findings& findings) {
  if (!ready.key_file) return;
  check_normalised(*ready.key_file, findings);
  if (peers.value != ReadyPolicy::kOff) return;
  findings.add(SpecId::kKeyUnused, ready.key_file->where, "no node uses this key: 'peers' is off",
               "delete the line, or set 'peers' to report or require",
               {{peers.where, "'peers' is here"}});
}

}  // namespace

void check_ready(const Checked& checked, Findings& findings) {
  const Cluster& cluster = checked.cluster;
  check_key(cluster.ready, cluster.ready.peers, findings);
  for (const auto& [name, node] : cluster.nodes) {
    const bool has_own = node.ready.peers.where.line != 0;
    check_key(node.ready, has_own ? node.ready.peers : cluster.ready.peers, findings);
  }
}

}  // namespace spark::config
