#include "cli/text/job_records_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/columns.hpp"
#include "base/duration_text.hpp"
#include "base/json_document.hpp"
#include "base/moment.hpp"
#include "cli/text/jobs_text.hpp"
#include "cli/text/layout.hpp"
#include "jobs/job_follower.hpp"

namespace spark::cli {
namespace {

using jobs::JobRailRecord;
using jobs::JobRecord;
using jobs::Time;

constexpr std::size_t kToMinute = sizeof "02:00" - 1;
constexpr std::size_t kToSecond = sizeof "02:00:10" - 1;

/// "02:00", or "2026-11-28 02:00" where that is another day than the one of `reference`.
std::string time_text(Time at, Time reference, std::size_t precision) {
  const auto text = utc_text(at);
  const auto end = text.find('T');
  const auto clock = text.substr(end + 1, precision);
  const auto day = text.substr(0, end);
  return utc_text(reference).starts_with(day) ? clock : fmt::format("{} {}", day, clock);
}

/// "1.21 TB".
std::string amount_text(std::uint64_t octets) {
  constexpr double kStep = 1000;
  constexpr std::array kUnits{"B", "kB", "MB", "GB", "TB", "PB"};
  constexpr double kTen = 10;
  constexpr double kHundred = 100;
  auto amount = static_cast<double>(octets);
  std::size_t unit = 0;
  for (; amount >= kStep && unit + 1 < kUnits.size(); ++unit) amount /= kStep;
  const int decimals = unit == 0 || amount >= kHundred ? 0 : (amount >= kTen ? 1 : 2);
  return fmt::format("{:.{}f} {}", amount, decimals, kUnits.at(unit));
}

std::string in_and_out_text(const JobRailRecord& rail) {
  return rail.octets ? fmt::format("{} in, {} out", amount_text(rail.octets->received),
                                   amount_text(rail.octets->sent))
                     : "how much is not known";
}

std::string rail_name(const JobRailRecord& rail, bool with_cage) {
  if (!rail.rail) return printable(rail.link);
  return with_cage ? fmt::format("cage {} rail {}", rail.rail->cage, rail.rail->rail)
                   : fmt::format("rail {}", rail.rail->rail);
}

/// "rail 0 1.21 TB, rail 1 0 B, 0 sent again".
std::string rails_line(const JobRecord& record) {
  const auto is_of_another_cage = [&](const JobRailRecord& rail) {
    const auto& first = record.rails.front().rail;
    return rail.rail && first && rail.rail->cage != first->cage;
  };
  const bool with_cage = std::ranges::any_of(record.rails, is_of_another_cage);
  std::vector<std::string> parts;
  std::optional<std::uint64_t> again;
  for (const auto& rail : record.rails) {
    const auto amount = rail.octets ? amount_text(rail.octets->received + rail.octets->sent)
                                    : std::string("not known");
    parts.push_back(fmt::format("{} {}{}", rail_name(rail, with_cage), amount,
                                rail.is_shared ? " (shared)" : ""));
    if (rail.sent_again) again = again.value_or(0) + *rail.sent_again;
  }
  if (again) parts.push_back(fmt::format("{} sent again", *again));
  for (const auto& finding : record.findings) {
    parts.push_back(fmt::format("{} [{}]", finding.is_alert ? "alert" : "note", finding.id));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// "vllm (alice, docker a1b2)".
std::string who_text(const JobRecord& record) {
  std::vector<std::string> more;
  for (const auto& part : {record.user, record.container}) {
    if (!part.empty()) more.push_back(printable(part));
  }
  return (record.name.empty() ? "a job" : printable(record.name)) +
         (more.empty() ? "" : fmt::format(" ({})", fmt::join(more, ", ")));
}

/// Somebody has looked at it until now.
bool is_followed(const JobRecord& record, Time now) {
  return !record.ended && now - record.last_seen <= jobs::kRest + 2 * jobs::kLookEvery;
}

/// "02:00 to 05:12, 3 h 12 min".
std::string when_text(const JobRecord& record, Time now) {
  const auto began = time_text(record.seen, now, kToMinute);
  const auto last = time_text(record.last_seen, record.seen, kToMinute);
  const auto lasted = duration_text(record.ended.value_or(now) - record.seen);
  if (is_followed(record, now)) return fmt::format("since {}, {}", began, lasted);
  if (!record.ended) return fmt::format("since {}, last seen {}", began, last);
  const auto ended = time_text(*record.ended, record.seen, kToMinute);
  if (record.is_end_unseen) {
    return fmt::format("from {}, ended unseen between {} and {}", began, last, ended);
  }
  return fmt::format("{} to {}, {}", began, ended, lasted);
}

/// The same, and what of it is not known.
std::string span_text(const JobRecord& record, Time now) {
  const auto began =
      fmt::format("it began between {} and {}", time_text(record.not_before, now, kToSecond),
                  time_text(record.seen, now, kToSecond));
  const auto last = time_text(record.last_seen, now, kToSecond);
  if (!record.ended) {
    return fmt::format("{}, and {}", began,
                       is_followed(record, now)
                           ? "still runs"
                           : fmt::format("was last seen {}: nobody has looked since", last));
  }
  return fmt::format("{}, and ended between {} and {}{}", began, last,
                     time_text(*record.ended, now, kToSecond),
                     record.is_end_unseen ? ", while the daemon was down" : "");
}

std::string rail_row(const JobRailRecord& rail, const Terminal& terminal) {
  std::vector<std::string> parts{rail_name(rail, true)};
  if (rail.rail) parts.push_back(printable(rail.link));
  parts.push_back(in_and_out_text(rail));
  if (rail.sent_again) parts.push_back(fmt::format("{} sent again", *rail.sent_again));
  if (rail.is_shared) parts.emplace_back("shared with another job");
  if (!rail.counts_rdma) parts.emplace_back("all of the link");
  constexpr std::size_t kNoScreen = 1000;
  return pieces("  ", parts, terminal.width().value_or(kNoScreen));
}

}  // namespace

std::string job_records_text(const std::deque<JobRecord>& records, Time now,
                             const Terminal& terminal) {
  std::string text;
  for (const auto& record : records) {
    const auto head = fmt::format("{:>4}  ", record.number);
    const auto first = fmt::format("{}: {}", who_text(record), when_text(record, now));
    const auto rails = rails_line(record);
    const auto width = terminal.width();
    text += width ? hanging(head, first, *width) + hanging("      ", rails, *width)
                  : fmt::format("{}{}; {}\n", head, first, rails);
  }
  return text;
}

std::string job_record_text(const JobRecord& record, Time now, const Terminal& terminal) {
  const auto who = record.name.empty() ? std::string("a job, whose name is not kept")
                                       : printable(host::text_of({.pid = record.pid,
                                                                  .name = record.name,
                                                                  .user = record.user,
                                                                  .container = record.container,
                                                                  .unit = record.unit}));
  auto text = fitting(terminal.paint(Tone::kStrong, fmt::format("{}: {}", record.number, who)) +
                          "\n" + when_text(record, now) + ": " + span_text(record, now) + "\n",
                      terminal);
  for (const auto& rail : record.rails) text += rail_row(rail, terminal);
  for (const auto& finding : record.findings) text += finding_text(finding, terminal);
  return text;
}

nlohmann::json job_record_json(const JobRecord& record) {
  auto shown = TextJsonWriter::write(record);
  for (const auto* name : {"not_before", "seen", "last_seen", "ended"}) {
    shown.erase(fmt::format("{}_ms", name));
  }
  shown["not_before"] = utc_text(record.not_before);
  shown["seen"] = utc_text(record.seen);
  shown["last_seen"] = utc_text(record.last_seen);
  shown["ended"] = record.ended ? nlohmann::json(utc_text(*record.ended)) : nlohmann::json(nullptr);
  return shown;
}

}  // namespace spark::cli
