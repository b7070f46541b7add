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
#include "base/text.hpp"
#include "cli/doctor/cluster_check.hpp"
#include "cli/doctor/versions_check.hpp"
#include "cluster/problems.hpp"
#include "cluster/view_words.hpp"

namespace spark::cli {
namespace {

using protocol::NodeDetails;

constexpr std::size_t kLongest = 200;
constexpr std::size_t kLongestWord = 40;
constexpr std::string_view kUntold = ", and has not told why";

std::string doctor_there(const std::string& node) {
  return fmt::format("`sudo spark-reconcile doctor` on {}", node);
}

Finding never_told_finding(const std::string& node) {
  return {"told", Severity::kLook, fmt::format("{} has told nothing in this boot", in_quotes(node)),
          "`spark-reconcile status` shows which nodes are heard"};
}

Finding age_finding(const protocol::ToldDetails& told, std::chrono::nanoseconds boot) {
  const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(boot) -
                   std::chrono::milliseconds(told.told_ms);
  auto what = fmt::format("{} told this {} ago", printable(told.details.node),
                          duration_text(std::max(age, std::chrono::milliseconds(0))));
  if (told.failed.empty()) return {"told", Severity::kGood, std::move(what), ""};
  return {"told", Severity::kLook,
          fmt::format("{}, and has not answered since: {}", what, printable(told.failed, kLongest)),
          doctor_there(printable(told.details.node))};
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
      "heard", Severity::kPrevents, what,
      fmt::format("is {0} on, and are its cables plugged in? Then `sudo spark-reconcile doctor` on "
                  "{0}",
                  name)};
}

bool says_ready(std::string_view verdict) {
  return protocol::verdict_named(verdict) == protocol::Verdict::kReady;
}

/// What it told with another verdict is older than its hello.
Finding verdict_finding(const NodeDetails& told, const std::string& node,
                        std::string_view verdict) {
  if (says_ready(verdict)) return {"gate", Severity::kGood, std::string(verdict), ""};
  std::string why(kUntold);
  if (told.verdict == verdict && !told.reasons.empty()) {
    std::vector<std::string> reasons;
    std::ranges::transform(told.reasons, std::back_inserter(reasons),
                           [](const std::string& reason) { return printable(reason, kLongest); });
    why = fmt::format(": {}", fmt::join(reasons, "; "));
  }
  return {"gate", Severity::kPrevents, fmt::format("{}{}", printable(verdict, kLongestWord), why),
          doctor_there(node)};
}

/// `file`: the beginning of its digest, or all of it.
Finding file_finding(const NodeDetails& own, const std::string& node, std::string_view file,
                     bool has_rollout) {
  if (file.empty()) {
    return {"file", Severity::kPrevents, "it has no file in force",
            fmt::format("`sudo spark-reconcile apply` on {}", node)};
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
  return {"file", Severity::kLook,
          fmt::format("another file than this node's is in force: digest {:.12}, here {:.12}",
                      printable(file), own.file.empty() ? "none" : printable(own.file)),
          "put one file on all nodes, or follow one repository"};
}

void add_rails(const NodeDetails& peer, Findings& findings) {
  for (const auto& rail : peer.rails) {
    // What its gate says already is one cause.
    const bool is_said = std::ranges::find(peer.reasons, rail.fault) != peer.reasons.end();
    if (rail.fault.empty() || rail.waits || is_said) continue;
    findings.push_back(
        {"rail", Severity::kPrevents,
         fmt::format("{}: {}", printable(rail.link, 20), printable(rail.fault, kLongest)),
         fmt::format("`sudo spark-reconcile gate` on {}", printable(peer.node))});
  }
}

/// A plug of it is in the wrong cage: that is why it does not answer, and has not told why it is
/// not ready.
void name_the_plug_once(const std::vector<diagnosis::Root>& roots, Findings& findings) {
  const bool is_there = std::ranges::any_of(findings, [&](const Finding& finding) {
    return finding.name == kNodesFinding && std::ranges::any_of(roots, [&](const auto& root) {
             return rank_of(root.problem) == diagnosis::Rank::kCable &&
                    finding.what.starts_with(sentence_of(root.problem));
           });
  });
  if (!is_there) return;
  for (auto& finding : findings) {
    const bool has_no_answer = finding.name == "told" && finding.severity != Severity::kGood;
    const bool is_untold = finding.name == "gate" && finding.what.ends_with(kUntold);
    if (has_no_answer || is_untold) finding.follows_from = kNodesFinding;
  }
}

/// What this node finds of it, and it has not told itself: a plug of it in the wrong cage.
void add_roots(const std::vector<diagnosis::Root>& roots, bool is_ready, Findings& findings) {
  for (const auto& root : roots) {
    const auto& cause = root.problem;
    const auto rank = rank_of(cause);
    const bool is_said = std::ranges::any_of(findings, [&](const Finding& finding) {
      return finding.what.find(sentence_of(cause)) != std::string::npos;
    });
    const bool is_silence =
        rank == diagnosis::Rank::kSilent && cause.found.detail == protocol::Detail::kNoAnswer;
    const bool has_a_row =
        is_silence || rank == diagnosis::Rank::kFile || cluster::is_of_versions(cause, cause.node);
    if (is_said || has_a_row) continue;
    const bool is_this_command = cause.remedy.command.starts_with("spark-reconcile doctor");
    findings.push_back({kNodesFinding, is_ready ? Severity::kLook : Severity::kPrevents,
                        text_of(cause),
                        is_this_command ? doctor_there(cause.node) : text_of(cause.remedy)});
  }
}

}  // namespace

Findings findings_of_peer(const ToldHere& told, const std::string& node,
                          std::chrono::nanoseconds boot, const NodeInCluster& known,
                          const host::KernelReleases& releases) {
  const auto report = cluster::latest_report(node, told);
  if (known.is_away) {
    return {{"heard", Severity::kGood, printable(node) + " is away, as the file says", ""}};
  }
  Findings findings;
  if (auto silence = silence_finding(report, node, boot)) {
    findings.push_back(*std::move(silence));
    add_roots(known.roots, false, findings);
    return findings;
  }
  const auto* peer = protocol::told_by(told.peers, node);
  findings.push_back(peer == nullptr ? never_told_finding(node) : age_finding(*peer, boot));
  const NodeDetails nothing;
  const auto& details = peer == nullptr ? nothing : peer->details;
  // The hello is newer than what it told.
  const auto& verdict = report.is_heard ? report.said : details.verdict;
  if (report.is_heard || peer != nullptr) {
    findings.push_back(verdict_finding(details, printable(node), verdict));
    findings.push_back(file_finding(told.own, printable(node),
                                    report.is_heard ? report.file : details.file,
                                    known.has_rollout));
  }
  add_rails(details, findings);
  add_roots(known.roots, says_ready(verdict), findings);
  name_the_plug_once(known.roots, findings);
  if (peer != nullptr) {
    std::ranges::move(findings_of_versions(told.own, told.peers, node, releases),
                      std::back_inserter(findings));
  }
  return findings;
}

}  // namespace spark::cli
