#include "cli/text/other_nodes.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace spark::cli {
namespace {

using std::chrono::milliseconds;

void take_latest(OtherNode& node, const cluster::Told& told, milliseconds now) {
  const auto report = cluster::latest_report(node.name, told);
  node.verdict = report.verdict_now();
  node.is_silent = report.is_silent;
  node.told_by = report.by;
  if (report.heard_at) node.heard_ago = std::max(now - *report.heard_at, milliseconds(0));
  if (report.is_silent) node.told_before = report.said;
  if (!report.is_heard) return;
  if (node.verdict != gate::Verdict::kReady && !report.reasons.empty()) {
    node.why = report.reasons.front();
  }
  node.file = report.file;
  node.has_our_file = report.has_file(told.own.file);
}

void count_rails(OtherNode& node, const cluster::Told& told) {
  for (const auto& peer : told.expected) {
    if (peer.node != node.name) continue;
    ++node.rails;
    node.proven += static_cast<std::size_t>(
        std::ranges::any_of(told.rdma, [&](const protocol::RdmaProof& proof) {
          return proof.is_of(peer.node, peer.link, peer.ip) && proof.is_proven();
        }));
  }
}

}  // namespace

std::vector<OtherNode> other_nodes(const cluster::Told& told, const std::set<std::string>& names,
                                   milliseconds now) {
  std::vector<OtherNode> nodes;
  for (const auto& name : names) {
    if (name == told.own.node) continue;
    OtherNode node{.name = name};
    take_latest(node, told, now);
    count_rails(node, told);
    nodes.push_back(std::move(node));
  }
  return nodes;
}

OtherNode own_node_of(const std::string& name, const std::optional<NodeHere>& here) {
  OtherNode own{.name = name, .is_own = true, .heard_ago = milliseconds(0)};
  if (!here) {
    own.why = "the daemon does not run, or has not looked yet: `systemctl status spark-reconcile`";
    return own;
  }
  own.verdict = here->state.verdict;
  own.why = here->why;
  own.file = here->state.file.digest;
  return own;
}

nlohmann::json to_json(const OtherNode& node) {
  const auto or_null = [](const std::string& text) {
    return text.empty() ? nlohmann::json(nullptr) : nlohmann::json(text);
  };
  return {{"node", node.name},
          {"verdict", name_of(node.verdict)},
          {"why", or_null(node.why)},
          {"heard_ms_ago",
           node.heard_ago ? nlohmann::json(node.heard_ago->count()) : nlohmann::json(nullptr)},
          {"silent", node.is_silent},
          {"told_by", or_null(node.told_by)},
          {"file", or_null(node.file)},
          {"has_our_file",
           node.has_our_file ? nlohmann::json(*node.has_our_file) : nlohmann::json(nullptr)},
          {"rails", node.rails},
          {"rails_proven", node.proven}};
}

}  // namespace spark::cli
