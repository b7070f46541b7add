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
#include "cli/doctor/versions_check.hpp"

namespace spark::cli {
namespace {

using protocol::NodeDetails;

Finding age_finding(const protocol::ToldDetails& told, std::chrono::nanoseconds boot) {
  const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(boot) -
                   std::chrono::milliseconds(told.told_ms);
  auto what = fmt::format("{} told this {} ago", printable(told.details.node),
                          duration_text(std::max(age, std::chrono::milliseconds(0))));
  if (told.failed.empty()) return {"told", Severity::kGood, std::move(what), ""};
  return {"told", Severity::kLook,
          fmt::format("{}, and has not answered since: {}", what, printable(told.failed, 200)),
          fmt::format("`sudo spark-reconcile doctor` on {}", printable(told.details.node))};
}

/// No hello of it comes any more over any rail, so what it told before is no news. Empty: it is
/// heard, or no cable leads there.
std::optional<Finding> silence_finding(const ToldHere& told, const std::string& node,
                                       std::chrono::nanoseconds boot) {
  const auto* last = protocol::last_hello(told.heard, node);
  if (last == nullptr || !last->is_silent) return std::nullopt;
  const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(boot) -
                   std::chrono::milliseconds(last->heard_ms);
  const auto name = printable(node);
  return Finding{
      "heard", Severity::kPrevents,
      fmt::format("{} is silent for {}; last heard {}", name,
                  duration_text(std::max(age, std::chrono::milliseconds(0))),
                  printable(last->hello.verdict, 40)),
      fmt::format("is {0} on, and are its cables plugged in? Then `sudo spark-reconcile doctor` on "
                  "{0}",
                  name)};
}

Finding verdict_finding(const NodeDetails& peer) {
  if (peer.verdict == "ready") return {"gate", Severity::kGood, "ready", ""};
  std::vector<std::string> reasons;
  std::ranges::transform(peer.reasons, std::back_inserter(reasons),
                         [](const std::string& reason) { return printable(reason, 200); });
  return {"gate", Severity::kPrevents,
          fmt::format("{}{}{}", printable(peer.verdict, 40), reasons.empty() ? "" : ": ",
                      fmt::join(reasons, "; ")),
          fmt::format("`sudo spark-reconcile doctor` on {}", printable(peer.node))};
}

Finding file_finding(const NodeDetails& own, const NodeDetails& peer) {
  if (peer.file.empty()) {
    return {"file", Severity::kPrevents, "it has no file in force",
            fmt::format("`sudo spark-reconcile apply` on {}", printable(peer.node))};
  }
  if (peer.file == own.file) return {"file", Severity::kGood, "the file of this node", ""};
  return {"file", Severity::kLook,
          fmt::format("another file than this node's is in force: digest {:.12}, here {:.12}",
                      printable(peer.file), own.file.empty() ? "none" : printable(own.file)),
          "put one file on both, or follow one repository"};
}

void add_rails(const NodeDetails& peer, Findings& findings) {
  for (const auto& rail : peer.rails) {
    // What its gate says already is one cause.
    const bool is_said = std::ranges::find(peer.reasons, rail.fault) != peer.reasons.end();
    if (rail.fault.empty() || rail.waits || is_said) continue;
    findings.push_back({"rail", Severity::kPrevents,
                        fmt::format("{}: {}", printable(rail.link, 20), printable(rail.fault, 200)),
                        fmt::format("`sudo spark-reconcile gate` on {}", printable(peer.node))});
  }
}

}  // namespace

Findings findings_of_peer(const ToldHere& told, const std::string& node,
                          std::chrono::nanoseconds boot) {
  if (auto silence = silence_finding(told, node, boot)) return {*std::move(silence)};
  const auto* peer = protocol::told_by(told.peers, node);
  if (peer == nullptr) {
    return {{"told", Severity::kLook,
             fmt::format("{} has told nothing in this boot", in_quotes(node)),
             "`spark-reconcile status` shows which nodes are heard"}};
  }
  Findings findings{age_finding(*peer, boot), verdict_finding(peer->details),
                    file_finding(told.own, peer->details)};
  add_rails(peer->details, findings);
  std::ranges::move(findings_of_versions(told.own, {*peer}), std::back_inserter(findings));
  return findings;
}

}  // namespace spark::cli
