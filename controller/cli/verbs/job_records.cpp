#include "cli/verbs/job_records.hpp"

#include <algorithm>
#include <expected>
#include <iterator>
#include <optional>
#include <ranges>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/moment.hpp"
#include "cli/input/typed_line.hpp"
#include "cli/json_output.hpp"
#include "cli/plan/node_by_file.hpp"
#include "cli/state_here/node_here.hpp"
#include "cli/text/job_records_text.hpp"
#include "cli/text/layout.hpp"
#include "cli/verbs/network_answer.hpp"
#include "jobs/job_log.hpp"
#include "jobs/sign_log.hpp"
#include "state/node_record.hpp"

namespace spark::cli {
namespace {

using jobs::JobRecord;

Error unreadable_log(const Error& error) {
  return error.code == ErrorCode::kPermission
             ? Error{error.code,
                     "what jobs did is root's alone: `sudo spark-reconcile jobs --since 24h`"}
             : error;
}

/// Empty: nothing says which node this machine is, and what it recorded is shown all the same.
std::expected<std::string, ExitCode> node_that_recorded(const Command& command) {
  host::View view(command.host);
  auto own = state::remembered_node(view);
  const auto& asked = command.arguments.node;
  if (!asked.empty() && !own.empty() && asked != own) {
    return std::unexpected(report_error(
        command,
        {ErrorCode::kInvalid, fmt::format("what jobs of {} did is recorded there alone: {}",
                                          in_quotes(asked), line_on(asked, "jobs"))}));
  }
  return own;
}

std::expected<jobs::JobLog, ExitCode> log_here(const Command& command) {
  auto log = jobs::read_job_log(command.host.files);
  if (!log) return std::unexpected(report_error(command, unreadable_log(log.error())));
  return *std::move(log);
}

std::string since_text(jobs::Time from) { return fmt::format("since {}", utc_text(from)); }

/// Why there is none: nobody looked, or nobody looked for so long.
std::string none_text(const Command& command, jobs::Time from) {
  const auto record = jobs::read_record(command.host.files).value_or(std::nullopt);
  if (!record || record->covered.empty()) {
    return fmt::format("no daemon has recorded any job here. To start it: {}\n",
                       typed("systemctl enable --now spark-reconcile", command.terminal));
  }
  const auto first = std::ranges::min(record->covered, {}, &jobs::Span::from).from;
  return fmt::format("no job had queue pairs {}{}\n", since_text(std::max(from, first)),
                     first > from ? ", when the record begins" : "");
}

void print_closing(const Command& command, const std::deque<JobRecord>& shown) {
  const auto has_ended = [](const JobRecord& record) { return record.ended.has_value(); };
  const auto open = std::ssize(shown) - std::ranges::count_if(shown, has_ended);
  command.terminal.print_always(fmt::format("{}{}\n", counted(shown.size(), "job"),
                                            open == 0 ? "" : fmt::format(", {} not ended", open)));
  if (!node_here(command.host).value_or(std::nullopt)) {
    command.terminal.complain(
        fmt::format("no daemon runs here now, so no job is recorded. To start it: {}\n",
                    typed("systemctl enable --now spark-reconcile", command.terminal)));
  }
  const auto newest_first = shown | std::views::reverse;
  if (const auto last = std::ranges::find_if(newest_first, has_ended); last != newest_first.end()) {
    print_next(command.terminal, command.arguments, "Was it the network?",
               command_line_for(fmt::format("jobs {}", last->number), command.arguments));
  }
}

/// Errors: there is none of that number, or none any more.
Result<JobRecord> record_of(const jobs::JobLog& log, std::uint64_t number) {
  if (const auto* const found = log.job(number)) return *found;
  const auto& kept = log.jobs();
  if (kept.empty()) {
    return fail(ErrorCode::kNotFound,
                fmt::format("there is no job {}: none is recorded here", number));
  }
  return fail(ErrorCode::kNotFound,
              fmt::format("there is no job {}: {} to {} are kept; `sudo spark-reconcile jobs "
                          "--since 720h` lists them",
                          number, kept.front().number, kept.back().number));
}

/// Empty: it has not ended.
std::optional<NetworkQuestion> question_about(const JobRecord& record) {
  if (!record.ended) return std::nullopt;
  jobs::JobSpan span{.began = record.not_before,
                     .last_seen = record.last_seen,
                     .ended = *record.ended,
                     .links = {}};
  for (const auto& rail : record.rails) span.links.push_back(rail.link);
  return NetworkQuestion{.at = *record.ended, .job = std::move(span), .asks_peers = true};
}

}  // namespace

ExitCode show_job_records(const Command& command, std::chrono::milliseconds since) {
  const auto node = node_that_recorded(command);
  if (!node) return node.error();
  const auto log = log_here(command);
  if (!log) return log.error();
  const auto at = now().wall;
  const auto from = at - since;
  auto shown = log->jobs();
  std::erase_if(shown, [&](const JobRecord& record) { return record.ended.value_or(at) < from; });
  if (command.arguments.json) {
    auto records = nlohmann::json::array();
    for (const auto& record : shown) records.push_back(job_record_json(record));
    print_json(command.terminal, "jobs", config::Cluster{}, *node, ExitCode::kDone,
               {{"records", std::move(records)}});
  } else if (shown.empty()) {
    command.terminal.print_always(fitting(none_text(command, from), command.terminal));
  } else {
    command.terminal.print(job_records_text(shown, at, command.terminal));
    print_closing(command, shown);
  }
  return ExitCode::kDone;
}

ExitCode show_job_record(const Command& command, std::uint64_t number) {
  const auto own = node_that_recorded(command);
  if (!own) return own.error();
  const auto log = log_here(command);
  if (!log) return log.error();
  const auto record = record_of(*log, number);
  if (!record) return report_error(command, record.error());
  const auto& terminal = command.terminal;
  const bool is_json = command.arguments.json;
  if (!is_json) terminal.print(job_record_text(*record, now().wall, terminal) + "\n");
  const auto question = question_about(*record);
  std::optional<NetworkAnswer> answer;
  if (question) {
    const auto file = node_by_file(command);
    if (!file) return file.error();
    if (!file->node) {
      return report_error(command, {ErrorCode::kNotFound,
                                    "without a file nothing is known of the rails of this node, "
                                    "so whether it was the network cannot be told"});
    }
    answer = network_answer(command, file->cluster, *file->node, *question);
  }
  if (is_json) {
    auto body = answer ? answer_json(*answer) : nlohmann::json{{"answer", nullptr}};
    body["record"] = job_record_json(*record);
    print_json(terminal, "jobs", config::Cluster{}, *own, ExitCode::kDone, body);
  } else {
    terminal.print_always(answer ? answer_text(*answer, terminal)
                                 : "It has not ended: there is no answer yet.\n");
  }
  return ExitCode::kDone;
}

}  // namespace spark::cli
