#include "cluster/told.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.hpp"

namespace spark::cluster {
namespace {

/// The first word of each node that spark-peers asks. Who took it over may have written of
/// thousands, which others compare with each other.
std::vector<protocol::ToldDetails> told_by_expected(
    std::vector<protocol::ToldDetails> told, const std::vector<protocol::ExpectedPeer>& expected) {
  std::set<std::string_view> names;
  for (const auto& peer : expected) names.insert(peer.node);
  std::vector<protocol::ToldDetails> kept;
  for (auto& one : told) {
    if (names.erase(one.details.node) == 0) continue;
    auto& problems = one.details.problems;
    problems.resize(std::min(problems.size(), protocol::kMostProblems));
    kept.push_back(std::move(one));
  }
  return kept;
}

}  // namespace

Told told_of(protocol::PeersOrder order, protocol::PeersReport report) {
  // The daemon leaves it to spark-peers to make that of /etc/machine-id.
  order.own.machine = std::move(report.machine);
  auto told = told_by_expected(std::move(report.told), order.peers);
  return {
      .own = std::move(order.own),
      .peers = std::move(told),
      .expected = std::move(order.peers),
      .heard = std::move(report.heard),
      .rdma = std::move(report.rdma),
      .refused = std::move(report.refused),
      .is_enabled = order.enabled,
      .failed = report.failed.empty() ? std::move(report.key_failed) : std::move(report.failed)};
}

namespace {

LastWord own_word(const protocol::HeardHello& last) {
  return {.is_silent = last.is_silent,
          .verdict = last.hello.verdict,
          .file = last.hello.file,
          .candidate = last.hello.candidate,
          .hello = &last};
}

/// Of neighbours that are heard, one that hears the node; else the first that tells that it is
/// silent.
std::optional<LastWord> passed_on_word(std::string_view node, const Told& told) {
  std::optional<LastWord> found;
  for (const auto& peer : told.peers) {
    const auto* hello = protocol::last_hello(told.heard, peer.details.node);
    if (hello == nullptr || hello->is_silent) continue;
    for (const auto& passed : peer.details.heard) {
      if (passed.node != node || (found && passed.is_silent)) continue;
      found = {.is_silent = passed.is_silent,
               .verdict = passed.verdict,
               .file = passed.file,
               .candidate = passed.candidate,
               .hello = hello,
               .by = &peer.details};
      if (!passed.is_silent) return found;
    }
  }
  return found;
}

}  // namespace

std::optional<LastWord> last_word_of(std::string_view node, const Told& told) {
  const auto* own = protocol::last_hello(told.heard, node);
  if (own != nullptr && !own->is_silent) return own_word(*own);
  const auto passed = passed_on_word(node, told);
  return own != nullptr && (!passed || passed->is_silent) ? own_word(*own) : passed;
}

std::string candidate_of(std::string_view node, const Told& told) {
  const auto word = last_word_of(node, told);
  return word ? printable(word->candidate, protocol::kShortDigest) : std::string();
}

}  // namespace spark::cluster
