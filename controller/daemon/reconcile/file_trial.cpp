#include "daemon/reconcile/file_trial.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "base/json_document.hpp"
#include "gate/checks/cabling_check.hpp"
#include "gate/checks/link_check.hpp"
#include "gate/checks/rdma_check.hpp"
#include "gate/checks/storage_check.hpp"
#include "protocol/paths.hpp"

namespace spark::daemon {

template <EitherConst<TrialRecord> T, class Visit>
void each_field(T& record, Visit visit) {
  visit("digest", record.digest);
  visit("held", record.held);
  visit("settle_ms", record.settle);
}

namespace {

/// The other end has a part in them: a cable that is pulled there takes the carrier here.
bool reaches_beyond(std::string_view id) {
  const std::array beyond{gate::kPeersFact.id,    gate::kCablingFact.id, gate::kOneHostFact.id,
                          gate::kPeerRdmaFact.id, gate::kPeerMtuFact.id, gate::kLinkFact.id};
  return std::ranges::find(beyond, id) != beyond.end();
}

/// Links that are down or without a carrier: a cable that is pulled at its other end does that.
std::set<std::string> links_without_carrier(const gate::GateReport& report) {
  std::set<std::string> links;
  for (const auto& rail : report.rails) {
    const auto* link = rail.find(gate::kLinkFact.id);
    if (link != nullptr && link->verdict != gate::Verdict::kReady) links.insert(rail.link);
  }
  return links;
}

/// What goes with the carrier: the RDMA port follows its link, and a target is reached over rails.
bool goes_with_carrier(const gate::Fact& fact, const std::string& link,
                       const std::set<std::string>& without) {
  const std::array storage{gate::kNvmeFact.id, gate::kMountFact.id, gate::kVolumeFact.id};
  if (fact.id == gate::kPortFact.id) return without.contains(link);
  return std::ranges::find(storage, fact.id) != storage.end() && !without.empty();
}

std::string key_of(const gate::Fact& fact, std::string_view link) {
  return link.empty() ? fact.id : fmt::format("{} {}", fact.id, link);
}

/// Calls `visit(fact, link)` for each fact of the report, but for that of one file on all nodes:
/// while a change goes from node to node the files differ, and the next node may wait for this
/// trial.
void each_fact(const gate::GateReport& report, const auto& visit) {
  for (const auto& rail : report.rails) {
    for (const auto& fact : rail.facts) visit(fact, rail.link);
  }
  for (const auto& fact : report.node) {
    if (fact.id != gate::kSameFileFact.id) visit(fact, std::string());
  }
}

}  // namespace

void FileTrial::begin(const std::string& digest, const std::optional<gate::GateReport>& before,
                      std::chrono::milliseconds settle) {
  rest();
  if (record_) {
    record_->digest = digest;
    record_->settle = settle;
    return;
  }
  record_ = TrialRecord{.digest = digest, .held = {}, .settle = settle};
  if (!before) return;
  each_fact(*before, [&](const gate::Fact& fact, const std::string& link) {
    if (fact.verdict == gate::Verdict::kReady) record_->held.push_back(key_of(fact, link));
  });
}

void FileTrial::resume(std::optional<TrialRecord> record) {
  rest();
  record_ = std::move(record);
}

void FileTrial::rest() {
  good_since_.reset();
  bad_since_.reset();
  why_open_.clear();
}

FileTrial::Verdict FileTrial::judge(const gate::GateReport& report, const Moment& now) {
  if (!record_) return Verdict::kOpen;
  std::string worse;
  std::string waits;
  std::set<std::string> missing(record_->held.begin(), record_->held.end());
  missing.erase(std::string(gate::kSameFileFact.id));  // a trial of an earlier version has it
  const auto held = missing;
  const auto without = links_without_carrier(report);
  std::set<std::string> failing;  // links with a fact that does not hold
  each_fact(report, [&](const gate::Fact& fact, const std::string& link) {
    const auto key = key_of(fact, link);
    if (fact.verdict != gate::Verdict::kReady) failing.insert(link);
    if (!held.contains(key)) return;
    missing.erase(key);
    if (fact.verdict == gate::Verdict::kReady) return;
    const bool is_ours = fact.verdict == gate::Verdict::kNotReady && fact.counts &&
                         !reaches_beyond(fact.id) && !goes_with_carrier(fact, link, without);
    auto& reason = is_ours ? worse : waits;
    if (reason.empty()) reason = gate::reason_text(fact, link);
  });
  // A fact is left out where one that it needs does not hold. One that nobody asks for any more, as
  // of a rail that left the file, is no part of the trial.
  for (const auto& key : missing) {
    const auto blank = key.find(' ');
    const auto link = blank == std::string::npos ? "" : key.substr(blank + 1);
    if (waits.empty() && failing.contains(link)) waits = fmt::format("{} is not seen", key);
  }
  why_open_ = !worse.empty() ? worse : waits;
  if (worse.empty()) {
    bad_since_.reset();
  } else if (!bad_since_) {
    bad_since_ = now.boot;
  }
  if (!why_open_.empty()) {
    good_since_.reset();
  } else if (!good_since_) {
    good_since_ = now.boot;
  }
  if (bad_since_ && now.boot - *bad_since_ >= record_->settle) return Verdict::kBad;
  if (good_since_ && now.boot - *good_since_ >= record_->settle) return Verdict::kGood;
  return Verdict::kOpen;
}

void FileTrial::restore(host::Files& files) {
  const auto text = files.read(protocol::kTrialFile);
  if (!text || !*text) return;
  if (auto record = value_from_text<TrialRecord>(**text)) record_ = std::move(*record);
}

Result<> FileTrial::keep(host::Files& files) const {
  if (!record_) return files.remove_durably(protocol::kTrialFile);
  constexpr unsigned kMode = 0600;
  return files.write_durably(protocol::kTrialFile,
                             json_text(TextJsonWriter::write(*record_), 2) + "\n", kMode);
}

}  // namespace spark::daemon
