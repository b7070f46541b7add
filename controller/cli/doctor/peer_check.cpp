#include "cli/doctor/peer_check.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/duration_text.hpp"
#include "base/fields.hpp"
#include "base/text.hpp"
#include "cli/doctor/causes.hpp"
#include "cli/doctor/versions_check.hpp"
#include "diagnosis/kinds.hpp"
#include "gate/common/facts.hpp"

namespace spark::cli {
namespace {

using protocol::NodeDetails;

constexpr std::size_t kLongest = 200;
constexpr std::size_t kLongestWord = 40;
std::string doctor_there(const std::string& node) {
  return fmt::format("`sudo spark-reconcile doctor` on {}", node);
}

diagnosis::Problem of_peer(const std::string& node, diagnosis::Problem problem) {
  problem.node = node;
  return problem;
}

/// It has no answer: why it is not ready is not known then.
Finding told_finding(const std::string& node, std::string what, std::string remedy) {
  return {.name = "told",
          .severity = Severity::kLook,
          .what = std::move(what),
          .remedy = std::move(remedy),
          .problems = {of_peer(node, problem_named(diagnosis::kUntold))},
          .repeats = true};
}

Finding never_told_finding(const std::string& node) {
  return told_finding(node, fmt::format("{} has told nothing in this boot", in_quotes(node)),
                      "`spark-reconcile status` shows which nodes are heard");
}

Finding age_finding(const protocol::ToldDetails& told, std::chrono::nanoseconds boot) {
  const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(boot) -
                   std::chrono::milliseconds(told.told_ms);
  auto what = fmt::format("{} told this {} ago", printable(told.details.node),
                          duration_text(std::max(age, std::chrono::milliseconds(0))));
  if (told.failed.empty()) return {"told", Severity::kGood, std::move(what), ""};
  return told_finding(
      told.details.node,
      fmt::format("{}, and has not answered since: {}", what, printable(told.failed, kLongest)),
      doctor_there(printable(told.details.node)));
}

/// Nobody hears it any more, so what it told before is no news. Empty: it is heard, or nobody
/// speaks of it.
std::optional<Finding> silence_finding(const cluster::LatestReport& report, const std::string& node,
                                       std::chrono::nanoseconds boot) {
  if (!report.is_silent) return std::nullopt;
  const auto name = printable(node);
  const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(boot) -
                   report.heard_at.value_or(std::chrono::milliseconds(0));
  const auto what =
      report.by.empty()
          ? fmt::format("{} has been silent for {}; last heard {}", name,
                        duration_text(std::max(age, std::chrono::milliseconds(0))), report.said)
          : fmt::format("{} is silent, as {} tells", name, report.by);
  return Finding{
      "heard",
      Severity::kPrevents,
      what,
      fmt::format("is {0} on, and are its cables plugged in? Then `sudo spark-reconcile doctor` on "
                  "{0}",
                  name),
      {of_peer(node, problem_named(diagnosis::kSilent, protocol::Detail::kNoAnswer))}};
}

bool says_ready(std::string_view verdict) {
  return enum_named<protocol::Verdict>(verdict) == protocol::Verdict::kReady;
}

/// What it told with another verdict is older than its hello.
Finding verdict_finding(const NodeDetails& told, const std::string& node,
                        std::string_view verdict) {
  if (says_ready(verdict)) return {"gate", Severity::kGood, std::string(verdict), ""};
  std::string why = ", and has not told why";
  std::vector<diagnosis::Problem> problems;
  if (told.verdict == verdict && !told.reasons.empty()) {
    std::vector<std::string> reasons;
    std::ranges::transform(told.reasons, std::back_inserter(reasons),
                           [](const std::string& reason) { return printable(reason, kLongest); });
    why = fmt::format(": {}", fmt::join(reasons, "; "));
    for (const auto& found : told.problems) problems.push_back({.node = node, .found = found});
    if (problems.empty()) problems.push_back(of_peer(node, problem_named(diagnosis::kSaid)));
  } else {
    problems.push_back(of_peer(node, problem_named(diagnosis::kUntold)));
  }
  return {"gate", Severity::kPrevents, fmt::format("{}{}", printable(verdict, kLongestWord), why),
          doctor_there(printable(node)), std::move(problems)};
}

/// `file`: the beginning of its digest, or all of it.
Finding file_finding(const NodeDetails& own, const std::string& node, std::string_view file,
                     bool has_rollout) {
  if (file.empty()) {
    return {"file", Severity::kPrevents, "it has no file in force",
            fmt::format("`sudo spark-reconcile apply` on {}", printable(node))};
  }
  if (protocol::short_digest(file) == protocol::short_digest(own.file)) {
    return {"file", Severity::kGood, "the file of this node", ""};
  }
  if (has_rollout) {
    return {"file", Severity::kGood,
            fmt::format("digest {:.12}, here {:.12}: a roll-out goes on", printable(file),
                        own.file.empty() ? "none" : printable(own.file)),
            ""};
  }
  return {"file",
          Severity::kLook,
          fmt::format("another file than this node's is in force: digest {:.12}, here {:.12}",
                      printable(file), own.file.empty() ? "none" : printable(own.file)),
          std::string(gate::kRemedyOfOtherFile),
          {of_peer(node, problem_named(diagnosis::kOtherFile))}};
}

/// What has no row yet: a plug of it in the wrong cage, an end without RDMA.
void add_roots(const cluster::ClusterView& view, const std::string& node, bool is_ready,
               Examination& examination) {
  for (const auto& root : view.roots) {
    const auto& cause = root.problem;
    const bool has_a_row =
        is_of_versions(cause) || cause.found.name == diagnosis::kOtherFile || cause.node != node;
    if (has_a_row || has_row(cause, examination)) continue;
    auto finding =
        nodes_finding(root, is_ready ? Severity::kLook : Severity::kPrevents, std::string());
    if (cause.remedy.examine == node) finding.remedy = doctor_there(printable(node));
    findings_in(Section::kCluster, examination).push_back(std::move(finding));
  }
}

/// What it told. True: it is ready.
bool add_told(const cluster::Told& told, const std::string& node, std::chrono::nanoseconds boot,
              bool has_rollout, Findings& findings) {
  const auto report = cluster::latest_report(node, told);
  const auto* peer = protocol::told_by(told.peers, node);
  findings.push_back(peer == nullptr ? never_told_finding(node) : age_finding(*peer, boot));
  const NodeDetails nothing;
  const auto& details = peer == nullptr ? nothing : peer->details;
  // The hello is newer than what it told.
  const auto& verdict = report.is_heard ? report.said : details.verdict;
  if (report.is_heard || peer != nullptr) {
    findings.push_back(verdict_finding(details, node, verdict));
    findings.push_back(
        file_finding(told.own, node, report.is_heard ? report.file : details.file, has_rollout));
  }
  return says_ready(verdict);
}

}  // namespace

Examination examine_peer(const cluster::Told& told, const std::string& node,
                         std::chrono::nanoseconds boot, const std::optional<ClusterHere>& here,
                         const host::KernelReleases& releases) {
  Examination examination;
  auto& findings = findings_in(Section::kCluster, examination);
  const auto* const view = here ? &here->view : nullptr;
  const bool is_away = view != nullptr && std::ranges::any_of(view->nodes, [&](const auto& other) {
                         return other.name == node && other.is_away;
                       });
  if (is_away) {
    findings.push_back(
        {"heard", Severity::kGood, printable(node) + " is away, as the file says", ""});
    return examination;
  }
  if (here) add_problems(*here, examination);
  auto silence = silence_finding(cluster::latest_report(node, told), node, boot);
  const bool is_silent = silence.has_value();
  const bool has_rollout = view != nullptr && view->rollout && is_under_way(*view->rollout);
  if (is_silent) findings.push_back(*std::move(silence));
  const bool is_ready = !is_silent && add_told(told, node, boot, has_rollout, findings);
  if (!is_silent && protocol::told_by(told.peers, node) != nullptr) {
    std::ranges::move(findings_of_versions(told.own, told.peers, node, releases),
                      std::back_inserter(findings));
  }
  if (view != nullptr) add_roots(*view, node, is_ready, examination);
  return examination;
}

}  // namespace spark::cli
