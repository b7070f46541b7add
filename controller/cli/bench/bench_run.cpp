#include "cli/bench/bench_run.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"

namespace spark::cli {
namespace {

using protocol::BenchEnd;
using protocol::BenchEnded;
using protocol::BenchProgress;
using protocol::BenchTask;
using protocol::PeerOperation;
using protocol::PeerReport;
using state::BenchFigure;
using Links = std::vector<std::string>;

constexpr double kGiga = 1e9;
constexpr std::size_t kLongestReason = 300;

/// One number, and what each end does for it.
struct Measurement {
  PeerOperation ours;
  PeerOperation theirs;
  std::string_view operation;
  std::string_view direction;
};

/// A READ brings the bytes to who reads.
constexpr std::array kOfEachScope{
    Measurement{PeerOperation::kWrite, PeerOperation::kNone, "write", "to"},
    Measurement{PeerOperation::kNone, PeerOperation::kWrite, "write", "from"},
    Measurement{PeerOperation::kNone, PeerOperation::kRead, "read", "to"},
    Measurement{PeerOperation::kRead, PeerOperation::kNone, "read", "from"}};
constexpr Measurement kBothWays{PeerOperation::kWrite, PeerOperation::kWrite, "write", "both"};

/// Each rail alone, then all of them.
std::vector<Links> scopes_of(const Links& links) {
  std::vector<Links> scopes;
  for (const auto& link : links) scopes.push_back({link});
  if (links.size() > 1) scopes.push_back(links);
  return scopes;
}

/// What an end said that failed; empty: nothing did.
std::string reason_in(const std::optional<PeerReport>& report) {
  if (!report || !report->failed) return {};
  return printable(fmt::format("{}: {}", *report->failed, report->why), kLongestReason);
}

/// Why the numbers of that rail cannot be taken; empty: they can.
std::string reason_in(const BenchEnded& ended, const std::string& peer) {
  // The other end's own words where this one only saw it go.
  const auto theirs = reason_in(ended.theirs);
  auto ours = reason_in(ended.ours);
  const bool ours_is_echo = ended.ours && ended.ours->failed == "other end";
  if (!theirs.empty() && (ours.empty() || ours_is_echo)) return fmt::format("{}: {}", peer, theirs);
  if (!ours.empty()) return ours;
  if (ended.ours && ended.theirs) return {};
  return ended.why.empty() ? "one end did not report" : printable(ended.why, kLongestReason);
}

class Run {
 public:
  Run(BenchPlan plan, const RunBenchTask& run, const OnBenchText& show)
      : plan_(std::move(plan)), run_(run), show_(show), count_(bench_count(plan_.routes.size())) {}

  BenchOutcome go() && {
    const auto links = verified();
    if (!links) {
      return {.result = std::move(plan_.result), .failed = links.error().what, .is_busy = false};
    }
    if (links->empty()) {
      return {.result = std::move(plan_.result), .failed = failed_text(), .is_busy = is_busy_};
    }
    Links all;
    for (const auto& route : plan_.routes) all.push_back(route.link);
    for (const auto& scope : scopes_of(all)) {
      for (const auto& measurement : kOfEachScope) measure(measurement, scope);
    }
    measure(kBothWays, all);
    return {.result = std::move(plan_.result), .is_busy = false};
  }

 private:
  /// The links over which RDMA passes, with their latency and path MTU in the result.
  Result<Links> verified() {
    ++number_;
    show_(fmt::format("latency and path MTU with {} (1 of {})", plan_.result.peer, count_));
    const auto ended = run_(task(PeerOperation::kVerify, PeerOperation::kVerify, {}), nullptr);
    if (!ended) return std::unexpected(ended.error());
    Links links;
    for (const auto& one : *ended) {
      is_busy_ |= one.is_busy;
      auto reason = reason_in(one, plan_.result.peer);
      if (!reason.empty()) {
        failed_[one.link] = std::move(reason);
        continue;
      }
      const auto rail = std::ranges::find(plan_.result.rails, one.link, &state::BenchRail::link);
      rail->path_mtu = one.ours->path_mtu;
      rail->latency_p50_us = one.ours->latency_p50_us;
      rail->latency_p99_us = one.ours->latency_p99_us;
      links.push_back(one.link);
    }
    return links;
  }

  void measure(const Measurement& measurement, const Links& links) {
    ++number_;
    BenchFigure figure{.operation = std::string(measurement.operation),
                       .direction = std::string(measurement.direction),
                       .links = links};
    for (const auto& link : links) {
      if (const auto failed = failed_.find(link); failed != failed_.end()) {
        figure.failed = fmt::format("{}: {}", link, failed->second);
      }
    }
    if (figure.failed.empty()) take(measurement, figure);
    plan_.result.figures.push_back(std::move(figure));
  }

  void take(const Measurement& measurement, BenchFigure& figure) {
    std::map<std::pair<std::string, BenchEnd>, double> now;  // bits a second
    const auto show = [&] {
      double sum = 0;
      for (const auto& [end, bits] : now) sum += bits;
      show_(fmt::format("{} {} {} {}: {:.1f} Gb/s ({} of {})", scope_text(figure.links),
                        figure.operation == "write" ? "WRITE" : "READ",
                        figure.direction == "both" ? "to and from" : figure.direction,
                        plan_.result.peer, sum / kGiga, number_, count_));
    };
    show();
    const auto ended = run_(task(measurement.ours, measurement.theirs, figure.links),
                            [&](const BenchProgress& progress) {
                              now[{progress.link, progress.end}] = progress.bits_per_second;
                              show();
                            });
    if (!ended) {
      figure.failed = ended.error().what;
      return;
    }
    for (const auto& one : *ended) {
      if (auto reason = reason_in(one, plan_.result.peer); !reason.empty()) {
        figure.failed = fmt::format("{}: {}", one.link, reason);
        figure.bits_per_second = 0;
        return;
      }
      figure.bits_per_second += one.ours->bits_per_second + one.theirs->bits_per_second;
    }
  }

  /// `links` empty: over all of them.
  [[nodiscard]] BenchTask task(PeerOperation ours, PeerOperation theirs, const Links& links) const {
    BenchTask task{.node = plan_.result.node,
                   .peer = plan_.result.peer,
                   .run = plan_.run,
                   .ours = ours,
                   .theirs = theirs,
                   .seconds = plan_.result.seconds,
                   .queue_pairs = plan_.result.queue_pairs,
                   .beside_jobs = plan_.beside_jobs,
                   .is_last = number_ == count_,
                   .key_file = plan_.key_file};
    std::ranges::copy_if(plan_.routes, std::back_inserter(task.routes), [&](const auto& route) {
      return links.empty() || std::ranges::find(links, route.link) != links.end();
    });
    return task;
  }

  [[nodiscard]] std::string scope_text(const Links& links) const {
    if (links.size() > 1) return fmt::format("{} rails", links.size());
    const auto rail = std::ranges::find(plan_.result.rails, links.front(), &state::BenchRail::link);
    return fmt::format("rail {} ({})", rail->rail, rail->link);
  }

  /// Each reason once, with the links that have it.
  [[nodiscard]] std::string failed_text() const {
    std::map<std::string, std::string> links;  // by reason
    for (const auto& [link, reason] : failed_) {
      auto& named = links[reason];
      named += (named.empty() ? "" : ", ") + link;
    }
    std::string text;
    for (const auto& [reason, named] : links) {
      text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", named, reason);
    }
    return text;
  }

  BenchPlan plan_;
  const RunBenchTask& run_;
  const OnBenchText& show_;
  std::size_t count_;
  std::size_t number_ = 0;
  std::map<std::string, std::string> failed_;  ///< why RDMA does not pass, by link
  bool is_busy_ = false;
};

}  // namespace

std::size_t bench_count(std::size_t rails) {
  const auto scopes = rails > 1 ? rails + 1 : 1;
  return 1 + (scopes * kOfEachScope.size()) + 1;
}

BenchOutcome bench_peer(BenchPlan plan, const RunBenchTask& run, const OnBenchText& show) {
  return Run(std::move(plan), run, show).go();
}

}  // namespace spark::cli
