#include "cli/other_nodes.hpp"

#include <algorithm>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace spark::cli {
namespace {

using std::chrono::milliseconds;

/// Its first reason, where its details are of that verdict.
std::string reason_of(const ToldHere& told, const std::string& name, std::string_view verdict) {
  constexpr std::size_t kLongest = 200;
  for (const auto& [details, told_ms, failed, replaced_ms] : told.peers) {
    if (details.node == name && details.verdict == verdict && !details.reasons.empty()) {
      return printable(details.reasons.front(), kLongest);
    }
  }
  return {};
}

void say(OtherNode& node, const ToldHere& told, std::string_view verdict, std::string_view file) {
  node.verdict = protocol::verdict_named(verdict).value_or(gate::Verdict::kUnknown);
  if (node.verdict != gate::Verdict::kReady) node.why = reason_of(told, node.name, verdict);
  node.file = printable(file, protocol::kShortDigest);
  if (!file.empty() && !told.own.file.empty()) {
    node.has_our_file = file == protocol::short_digest(told.own.file);
  }
}

void take_last_word(OtherNode& node, const ToldHere& told, milliseconds now) {
  const auto word = cluster::last_word_of(node.name, told);
  if (!word) return;
  node.is_silent = word->is_silent;
  if (word->by != nullptr) node.told_by = printable(word->by->node);
  if (word->is_silent && word->by != nullptr) return;
  node.heard_ago = std::max(now - milliseconds(word->hello->heard_ms), milliseconds(0));
  if (word->is_silent) {
    constexpr std::size_t kLongestVerdict = 40;
    node.told_before = printable(word->verdict, kLongestVerdict);
  } else {
    say(node, told, word->verdict, word->file);
  }
}

void count_rails(OtherNode& node, const ToldHere& told) {
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

std::vector<OtherNode> other_nodes(const ToldHere& told, const std::set<std::string>& names,
                                   milliseconds now) {
  std::vector<OtherNode> nodes;
  for (const auto& name : names) {
    if (name == told.own.node) continue;
    OtherNode node{.name = name};
    take_last_word(node, told, now);
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
