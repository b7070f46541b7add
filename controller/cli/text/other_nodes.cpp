#include "cli/text/other_nodes.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/columns.hpp"
#include "base/duration_text.hpp"
#include "cli/text/layout.hpp"
#include "cli/text/state_words.hpp"

namespace spark::cli {
namespace {

using std::chrono::milliseconds;

void take_latest(OtherNode& node, const cluster::Told& told, milliseconds now) {
  node.latest = cluster::latest_report(node.name, told);
  node.verdict = node.latest.verdict_now();
  node.has_our_file = node.latest.has_file(told.own.file);
  if (!node.latest.is_heard) node.latest.file.clear();
  if (const auto& at = node.latest.heard_at) node.heard_ago = std::max(now - *at, milliseconds(0));
  const auto& reasons = node.latest.reasons;
  if (node.verdict != gate::Verdict::kReady && !reasons.empty()) node.why = reasons.front();
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

std::string line_of(const OtherNode& node, std::size_t width, const Terminal& terminal) {
  std::vector<std::string> parts{heard_text(node)};
  if (!node.why.empty()) parts.front() += ": " + node.why;
  if (node.has_our_file == false) parts.push_back("another file, digest " + node.latest.file);
  if (node.rails > 0) {
    parts.push_back(
        fmt::format("RDMA proven over {} of {}", node.proven, counted(node.rails, "rail")));
  }
  const auto [tone, sign] = look_of(node.verdict);
  return fmt::format("  {} {}  {}\n", terminal.paint(tone, std::string(sign)),
                     padded(node.name, width), fmt::join(parts, "; "));
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
  own.latest.file = here->state.file.digest;
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
          {"silent", node.latest.is_silent},
          {"told_by", or_null(node.latest.by)},
          {"file", or_null(node.latest.file)},
          {"has_our_file",
           node.has_our_file ? nlohmann::json(*node.has_our_file) : nlohmann::json(nullptr)},
          {"rails", node.rails},
          {"rails_proven", node.proven}};
}

std::string heard_text(const OtherNode& node) {
  const auto verdict = name_of(node.verdict);
  if (node.is_own) return std::string(verdict);
  if (!node.latest.by.empty() && node.latest.is_silent)
    return fmt::format("silent, as {} tells", node.latest.by);
  if (!node.heard_ago) return "not heard since this node booted";
  const auto ago = duration_text(*node.heard_ago);
  if (!node.latest.by.empty())
    return fmt::format("{}, as {} told {} ago", verdict, node.latest.by, ago);
  if (!node.latest.is_silent) return fmt::format("{}, heard {} ago", verdict, ago);
  return fmt::format("silent for {}{}{}", ago, node.latest.said.empty() ? "" : ", before that ",
                     node.latest.said);
}

std::string verdict_clause(const OtherNode& node) {
  return fmt::format("{} is {}{}", node.name, heard_text(node),
                     node.why.empty() ? "" : ": " + node.why);
}

std::string other_nodes_text(const std::vector<OtherNode>& nodes, const Terminal& terminal) {
  if (nodes.empty()) return {};
  std::size_t width = 0;
  for (const auto& node : nodes) width = std::max(width, columns(node.name));
  auto text = terminal.paint(Tone::kStrong, "other nodes") + "\n";
  for (const auto& node : nodes) text += line_of(node, width, terminal);
  return text + "\n";
}

}  // namespace spark::cli
