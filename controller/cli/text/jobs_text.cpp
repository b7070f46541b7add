#include "cli/text/jobs_text.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/columns.hpp"
#include "base/duration_text.hpp"
#include "base/text.hpp"
#include "cli/text/layout.hpp"

namespace spark::cli {
namespace {

constexpr std::size_t kCellColumns = 8;
constexpr std::string_view kNotKnown = "–";

/// Gb/s, without the unit.
std::string rate_text(std::uint64_t bits) {
  constexpr double kGigabit = 1e9;
  return fmt::format("{:.1f}", static_cast<double>(bits) / kGigabit);
}

std::string or_not_known(std::optional<std::string> text) {
  return std::move(text).value_or(std::string(kNotKnown));
}

std::string a_second(const std::optional<double>& events) {
  return events ? fmt::format("{:.0f}", *events) : std::string(kNotKnown);
}

std::string right_cells(const std::vector<std::string>& cells) {
  std::string line;
  for (const auto& cell : cells) {
    const auto used = columns(cell);
    line += std::string(used < kCellColumns ? kCellColumns - used : 1, ' ') + cell;
  }
  return line;
}

/// "cage 0 rail 1  enP2p1s0f0np0".
std::string head_of(const jobs::RailTraffic& rail) {
  return rail.rail ? fmt::format("{}  {}", jobs::short_name(rail), printable(rail.link))
                   : printable(rail.link);
}

std::string rates_of_rail(const jobs::RailTraffic& rail) {
  if (!rail.has_carrier) return "  no carrier";
  const auto& carried = rail.carried;
  const auto& beside = rail.beside_rdma;
  return right_cells({
      or_not_known(carried ? std::optional(rate_text(carried->received)) : std::nullopt),
      or_not_known(carried ? std::optional(rate_text(carried->sent)) : std::nullopt),
      or_not_known(rail.limit ? std::optional(rate_text(*rail.limit)) : std::nullopt),
      or_not_known(beside ? std::optional(rate_text(beside->larger())) : std::nullopt),
      a_second(rail.sent_again),
      a_second(rail.congestion),
  });
}

std::string rail_rows(const std::vector<jobs::RailTraffic>& rails, const Terminal& terminal) {
  if (rails.empty()) return "No link with an RDMA device is here.\n";
  constexpr std::string_view kHead = "RAIL, Gb/s";
  auto width = columns(kHead);
  for (const auto& rail : rails) width = std::max(width, columns(head_of(rail)));
  auto text = terminal.paint(Tone::kFaint,
                             padded(kHead, width) +
                                 right_cells({"IN", "OUT", "OF", "TCP", "AGAIN/s", "CNP/s"})) +
              "\n";
  bool counts_all = true;
  for (const auto& rail : rails) {
    text += padded(head_of(rail), width) + rates_of_rail(rail) + "\n";
    counts_all = counts_all && (rail.counts_rdma || !rail.carried);
  }
  if (!counts_all) {
    text += fitting(
        "Where TCP is –, in and out are all of the link: its driver counts no RDMA alone.\n",
        terminal);
  }
  std::set<std::string> unknown;
  for (const auto& rail : rails) {
    if (!rail.unknown.empty()) unknown.insert(rail.unknown);
  }
  for (const auto& why : unknown) {
    text +=
        fitting(fmt::format("Who has queue pairs cannot be read: {}\n", printable(why)), terminal);
  }
  return text;
}

/// "cage 0 rail 0  8 queue pairs  95.1 in, 94.9 out": its own where no other job is there.
std::string job_rail_text(const jobs::JobRail& own, const std::vector<jobs::RailTraffic>& rails,
                          const Terminal& terminal) {
  const auto rail = std::ranges::find(rails, own.link, &jobs::RailTraffic::link);
  if (rail == rails.end()) return {};
  std::string carries(kNotKnown);
  if (own.is_shared) {
    carries = "shared";
  } else if (rail->carried) {
    carries = fmt::format("{} in, {} out", rate_text(rail->carried->received),
                          rate_text(rail->carried->sent));
  }
  return pieces(
      "  ", {printable(jobs::short_name(*rail)), counted(own.queue_pairs, "queue pair"), carries},
      terminal.width().value_or(80));
}

std::string job_text(const jobs::Job& job, const JobsShown& shown, const Terminal& terminal) {
  auto head = printable(host::text_of(job.process));
  if (job.pids.size() > 1) head += fmt::format(", {} processes", job.pids.size());
  if (job.began && *job.began <= shown.at) {
    head += fmt::format(", runs for {}", duration_text(shown.at - *job.began));
  }
  auto text = fitting(head + "\n", terminal);
  for (const auto& rail : job.rails) text += job_rail_text(rail, shown.rails, terminal);
  return text;
}

std::vector<jobs::RailTraffic> traffic_of(const protocol::RailsTold& told) {
  std::vector<jobs::RailTraffic> rails;
  for (const auto& rail : told.rails) {
    auto& traffic = rails.emplace_back();
    traffic.link = rail.link;
    if (rail.cage && rail.rail) traffic.rail = {.cage = *rail.cage, .rail = *rail.rail};
    traffic.has_carrier = rail.has_carrier;
    traffic.limit = rail.limit;
    traffic.counts_rdma = rail.counts_rdma;
    if (rail.received && rail.sent)
      traffic.carried = {.received = *rail.received, .sent = *rail.sent};
    traffic.sent_again = rail.sent_again;
  }
  return rails;
}

}  // namespace

std::string finding_text(const jobs::Finding& finding, const Terminal& terminal) {
  const auto head = terminal.paint(finding.is_alert ? Tone::kBad : Tone::kChange,
                                   finding.is_alert ? "alert" : "note");
  return fitting(fmt::format("{}: {} [{}]\n", head, printable(finding.what), finding.id),
                 terminal) +
         fitting(fmt::format("  {}\n", finding.remedy), terminal);
}

std::string jobs_text(const JobsShown& shown, const Terminal& terminal) {
  const auto title =
      fmt::format("{}measured for {}", shown.node.empty() ? "" : printable(shown.node) + ", ",
                  duration_text(shown.measured));
  auto text =
      terminal.paint(Tone::kStrong, title) + "\n\n" + rail_rows(shown.rails, terminal) + "\n";
  for (const auto& job : shown.jobs) text += job_text(job, shown, terminal);
  if (!shown.jobs.empty()) text += "\n";
  for (const auto& finding : shown.findings) text += finding_text(finding, terminal);
  if (!shown.findings.empty()) text += "\n";
  return text;
}

std::string told_text(const std::string& node, const protocol::RailsTold& told,
                      std::chrono::milliseconds ago, const Terminal& terminal) {
  const auto title = fmt::format("{}, as its daemon saw it {} ago", node, duration_text(ago));
  return terminal.paint(Tone::kStrong, title) + "\n\n" + rail_rows(traffic_of(told), terminal) +
         "\n";
}

std::string told_line(const protocol::RailsTold& told) {
  if (!told.running) return "whether a job has queue pairs there is not known\n";
  return *told.running == 0
             ? "no job has queue pairs there\n"
             : fmt::format("{} there; names stay on their node\n", counted(*told.running, "job"));
}

std::string jobs_line(const JobsShown& shown) {
  const auto is_known = std::ranges::all_of(
      shown.rails, [](const jobs::RailTraffic& rail) { return rail.unknown.empty(); });
  if (shown.jobs.empty()) {
    return is_known ? "no job has queue pairs here\n"
                    : "whether a job has queue pairs is not known\n";
  }
  std::set<std::string> rails;
  for (const auto& job : shown.jobs) {
    for (const auto& rail : job.rails) rails.insert(rail.link);
  }
  auto line =
      fmt::format("{} on {}", counted(shown.jobs.size(), "job"), counted(rails.size(), "rail"));
  const auto alerts = std::ranges::count_if(shown.findings, &jobs::Finding::is_alert);
  const auto notes = std::ssize(shown.findings) - alerts;
  if (alerts > 0) line += ", " + counted(static_cast<std::size_t>(alerts), "alert");
  if (notes > 0) line += ", " + counted(static_cast<std::size_t>(notes), "note");
  return line + "\n";
}

}  // namespace spark::cli
