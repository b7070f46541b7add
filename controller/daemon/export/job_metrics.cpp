#include "daemon/export/job_metrics.hpp"

#include <ranges>
#include <string>

namespace spark::daemon {
namespace {

// A Spark has four rails.
constexpr std::size_t kMostRails = 4;
constexpr std::size_t kMostFindings = 3;
static_assert(1 + 3 * kMostRails + kMostFindings <= kMostJobSeries);

constexpr double kBitsOfByte = 8;

struct RailLabels {
  std::string link;
  std::string cage;
  std::string rail;
};

RailLabels labels_of(const jobs::RailTraffic& rail) {
  return {.link = rail.link,
          .cage = rail.rail ? std::to_string(rail.rail->cage) : "",
          .rail = rail.rail ? std::to_string(rail.rail->rail) : ""};
}

}  // namespace

void tell_jobs(Exposition& out, const jobs::Followed& jobs) {
  out.gauge("job_running", "Jobs that have queue pairs on this node, by the last look.");
  if (jobs.running) out.sample(static_cast<double>(*jobs.running));
  const auto rails = jobs.rails | std::views::take(kMostRails);
  out.counter("job_bytes_total",
              "Bytes that the rail carried both ways since the daemon started, of RDMA where the "
              "driver counts that.");
  for (const auto& rail : rails) {
    const auto octets = jobs.octets.find(rail.link);
    if (octets == jobs.octets.end()) continue;
    const auto [link, cage, number] = labels_of(rail);
    out.sample(static_cast<double>(octets->second),
               {{"link", link}, {"cage", cage}, {"rail", number}});
  }
  out.gauge("job_rail_bytes_per_second",
            "What the rail carried between the last two looks, of RDMA where the driver counts "
            "that; every 10 s while a job has queue pairs.");
  for (const auto& rail : rails) {
    if (!rail.carried) continue;
    const auto [link, cage, number] = labels_of(rail);
    const auto tell = [&](std::string_view direction, std::uint64_t bits) {
      out.sample(static_cast<double>(bits) / kBitsOfByte,
                 {{"link", link}, {"cage", cage}, {"rail", number}, {"direction", direction}});
    };
    tell("received", rail.carried->received);
    tell("sent", rail.carried->sent);
  }
  out.gauge("job_finding", "A finding about rails that jobs use: 1 it is an alert, 0 a note.");
  for (const auto& finding : jobs.findings | std::views::take(kMostFindings)) {
    out.sample(finding.is_alert ? 1 : 0, {{"id", finding.id}, {"link", finding.link}});
  }
}

}  // namespace spark::daemon
