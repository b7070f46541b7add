#include "cli/verbs/job_records.hpp"

#include <algorithm>
#include <chrono>
#include <expected>
#include <optional>
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

/// A daemon that looks sees within that time that a job has no queue pair any more.
constexpr std::chrono::minutes kUntilSeen{1};

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
  if (asked.empty() || asked == own) return own;
  const auto file = node_by_file(command);
  if (!file) return std::unexpected(file.error());
  if (file->node && file->other.empty()) return asked;
  return std::unexpected(report_error(
      command, {ErrorCode::kInvalid, fmt::format("what jobs of {} did is recorded there alone: {}",
                                                 in_quotes(asked), line_on(asked, "jobs"))}));
}

std::expected<jobs::JobLog, ExitCode> log_here(const Command& command) {
  auto log = jobs::read_job_log(command.host.files);
  if (!log) return std::unexpected(report_error(command, unreadable_log(log.error())));
  return *std::move(log);
}

std::string since_text(jobs::Time from) { return fmt::format("since {}", utc_text(from)); }

/// That what is listed may lack what was since.
void complain_of_daemon(const Command& command) {
  const auto here = node_here(command.host).value_or(std::nullopt);
  if (!here) {
    command.terminal.complain(
        fmt::format("no daemon runs here now, so no job is recorded. To start it: {}\n",
                    typed("systemctl enable --now spark-reconcile", command.terminal)));
  } else if (!here->hangs.empty()) {
    command.terminal.complain(fmt::format("no job is recorded now: {}\n", here->why));
  }
}

/// Why there is none: nobody looked, or nobody looked for so long.
void print_none(const Command& command, jobs::Time from) {
  const auto& terminal = command.terminal;
  const auto record = jobs::read_record(command.host.files).value_or(std::nullopt);
  if (!record || record->covered.empty()) {
    terminal.print_always(
        fitting(fmt::format("no daemon has recorded any job here. To start it: {}\n",
                            typed("systemctl enable --now spark-reconcile", terminal)),
                terminal));
    return;
  }
  const auto first = std::ranges::min(record->covered, {}, &jobs::Span::from).from;
  terminal.print_always(
      fitting(fmt::format("no job is recorded {}{}\n", since_text(std::max(from, first)),
                          first > from ? ", when the record begins" : ""),
              terminal));
  complain_of_daemon(command);
}

void print_closing(const Command& command, const std::deque<JobRecord>& shown) {
  const auto open =
      std::ranges::count_if(shown, [](const JobRecord& record) { return !record.ended; });
  command.terminal.print_always(fmt::format("{}{}\n", counted(shown.size(), "job"),
                                            open == 0 ? "" : fmt::format(", {} not ended", open)));
  complain_of_daemon(command);
  // Without an end they are less than all that have one.
  const auto last = std::ranges::max_element(shown, {}, &JobRecord::ended);
  if (last->ended) {
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

/// Empty: its end is not recorded. Reports errors; the error is the exit code.
std::expected<std::optional<NetworkAnswer>, ExitCode> answer_about(const Command& command,
                                                                   const JobRecord& record) {
  const auto question = question_about(record);
  if (!question) return std::nullopt;
  const auto file = node_by_file(command);
  if (!file) return std::unexpected(file.error());
  if (!file->node) {
    return std::unexpected(report_error(
        command, {ErrorCode::kNotFound,
                  "without a file nothing is known of the rails of this node, so whether it was "
                  "the network cannot be told"}));
  }
  return network_answer(command, file->cluster, *file->node, *question);
}

void print_record_json(const Command& command, const std::string& node, const JobRecord& record,
                       const std::optional<NetworkAnswer>& answer) {
  auto body = answer ? answer_json(*answer) : nlohmann::json{{"answer", nullptr}};
  body["record"] = job_record_json(record);
  print_json(command.terminal, "jobs", config::Cluster{}, node, ExitCode::kDone, body);
}

/// The answer first.
void print_record(const Command& command, const JobRecord& record,
                  const std::optional<NetworkAnswer>& answer) {
  const auto& terminal = command.terminal;
  const auto present = now().wall;
  const auto whole = "\n" + job_record_text(record, present, terminal);
  if (answer) {
    terminal.print_always(answer_text(*answer, terminal));
    terminal.print(whole + lines_text(*answer, terminal));
    return;
  }
  terminal.print_always(fitting(fmt::format("Its end is not recorded: it had queue pairs at {}.\n",
                                            utc_text(record.last_seen)),
                                terminal));
  terminal.print(whole);
  auto here = command.arguments;
  here.file.clear();  // -f of `events` follows
  const auto at = utc_text(std::min(present, record.last_seen + kUntilSeen));
  print_next(terminal, here, "Was it the network?",
             command_line_for(fmt::format("events --all --at {}", at), here));
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
    print_none(command, from);
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
  const auto answer = answer_about(command, *record);
  if (command.arguments.json) {
    if (answer) print_record_json(command, *own, *record, *answer);
  } else if (answer) {
    print_record(command, *record, *answer);
  } else {
    command.terminal.print(job_record_text(*record, now().wall, command.terminal));
  }
  return answer ? ExitCode::kDone : answer.error();
}

}  // namespace spark::cli
