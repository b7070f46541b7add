// `ready:`: the key of the nodes.

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

}  // namespace spark::config
