#include "cluster/told.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/fields.hpp"
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

/// The reasons of that verdict alone: others are older than its hello.
std::vector<std::string> reasons_of(std::string_view node, std::string_view verdict,
                                    const Told& told) {
  constexpr std::size_t kMostOfReason = 200;
  std::vector<std::string> reasons;
  const auto* details = protocol::told_by(told.peers, node);
  if (details == nullptr || details->details.verdict != verdict) return reasons;
  for (const auto& reason : details->details.reasons) {
    reasons.push_back(printable(reason, kMostOfReason));
  }
  return reasons;
}

/// `said`: a hello of the node, or what a neighbour passes on; `hello`: that, or the neighbour's.
LatestReport report_of(const auto& said, bool is_silent, const protocol::HeardHello& hello,
                       std::string_view by) {
  constexpr std::size_t kLongestVerdict = 40;
  LatestReport report{.is_heard = !is_silent,
                      .is_silent = is_silent,
                      .said = printable(said.verdict, kLongestVerdict),
                      .verdict = enum_named<protocol::Verdict>(said.verdict),
                      .file = printable(said.file, protocol::kShortDigest),
                      .candidate = printable(said.candidate, protocol::kShortDigest),
                      .by = printable(by),
                      .heard_at = {},
                      .reasons = {}};
  if (!is_silent || by.empty()) report.heard_at = std::chrono::milliseconds(hello.heard_ms);
  return report;
}

/// Of neighbours that are heard, one that hears the node; else the first that tells that it is
/// silent.
std::optional<LatestReport> passed_on_report(std::string_view node, const Told& told) {
  std::optional<LatestReport> found;
  for (const auto& peer : told.peers) {
    const auto* hello = protocol::last_hello(told.heard, peer.details.node);
    if (hello == nullptr || hello->is_silent) continue;
    for (const auto& passed : peer.details.heard) {
      if (passed.node != node || (found && passed.is_silent)) continue;
      found = report_of(passed, passed.is_silent, *hello, peer.details.node);
      if (passed.is_silent) continue;
      found->reasons = reasons_of(node, passed.verdict, told);
      return found;
    }
  }
  return found;
}

}  // namespace

LatestReport latest_report(std::string_view node, const Told& told) {
  const auto* own = protocol::last_hello(told.heard, node);
  const bool is_heard = own != nullptr && !own->is_silent;
  const auto passed = is_heard ? std::nullopt : passed_on_report(node, told);
  if (own == nullptr || (passed && passed->is_heard)) return passed.value_or(LatestReport{});
  auto report = report_of(own->hello, own->is_silent, *own, "");
  if (is_heard) report.reasons = reasons_of(node, own->hello.verdict, told);
  return report;
}

}  // namespace spark::cluster
