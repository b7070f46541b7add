// The verb `jobs`: what each rail carries, and which jobs have queue pairs on it; what jobs did,
// and the rails of a peer.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/duration_text.hpp"
#include "base/json_document.hpp"
#include "base/moment.hpp"
#include "base/units.hpp"
#include "cli/command.hpp"
#include "cli/input/typed_line.hpp"
#include "cli/input/verb.hpp"
#include "cli/input/wrong_line.hpp"
#include "cli/json_output.hpp"
#include "cli/live_screen.hpp"
#include "cli/plan/node_by_file.hpp"
#include "cli/state_here/peer_records.hpp"
#include "cli/state_here/status_watch.hpp"
#include "cli/text/jobs_text.hpp"
#include "cli/text/layout.hpp"
#include "cli/verbs/job_records.hpp"
#include "jobs/look.hpp"

namespace spark::cli {
namespace {

struct JobsArguments {
  bool watch = false;
  std::chrono::milliseconds since{0};   ///< 0: what is so now
  std::optional<std::uint64_t> number;  ///< of a job that was recorded
};

constexpr Value kJobNumber{"N", {}, "the number of a recorded job", "7"};

/// Long enough that a driver reads its counters again (`lifespan`).
constexpr std::chrono::milliseconds kMeasure{1000};

/// Looks again and again, and knows what the look before saw.
class Meter {
 public:
  Meter(const Command& command, const NodeByFile& file)
      : host_(command.host),
        node_(file.node ? &*file.node : nullptr),
        peers_(jobs::peers_by_link(node_)) {
    if (node_ != nullptr) shown_.node = node_->name;
  }

  /// Errors: those of a look.
  Result<JobsShown> measure(const StatusWatch& clock) {
    if (!last_) {
      auto first = jobs::look_now(host_, node_);
      if (!first) return std::unexpected(first.error());
      last_ = *std::move(first);
    }
    const auto end = std::chrono::steady_clock::now() + kMeasure;
    while (std::chrono::steady_clock::now() < end) clock.wait(end);
    auto look = jobs::look_now(host_, node_);
    if (!look) return std::unexpected(look.error());
    shown_.measured = look->at - last_->at;
    shown_.at = look->at;
    shown_.rails = jobs::rates_between(*last_, *look);
    shown_.jobs = jobs::jobs_of(look->rails, jobs::processes_of(*look, host_.processes));
    one_rail_ = jobs::one_rail_for(one_rail_, shown_.rails, shown_.jobs, shown_.measured);
    shown_.findings = jobs::findings(shown_.rails, shown_.jobs, one_rail_, peers_);
    last_ = *std::move(look);
    return shown_;
  }

 private:
  host::Host& host_;
  const config::Node* node_;
  std::map<std::string, std::vector<std::string>> peers_;
  std::optional<jobs::Snapshot> last_;
  jobs::OneRailFor one_rail_;
  JobsShown shown_;
};

nlohmann::json job_json(const jobs::Job& job, const Moment& now) {
  auto shown = TextJsonWriter::write(job.process);
  shown["pids"] = job.pids;
  shown["began_at"] = job.began ? nlohmann::json(utc_text(now.wall - (now.boot - *job.began)))
                                : nlohmann::json(nullptr);
  shown["rails"] = TextJsonWriter::write(job.rails);
  return shown;
}

void print_jobs_json(const Command& command, const NodeByFile& file, const JobsShown& shown) {
  auto all = nlohmann::json::array();
  for (const auto& job : shown.jobs) all.push_back(job_json(job, now()));
  print_json(command.terminal, "jobs", file.cluster, shown.node, ExitCode::kDone,
             {{"measured_ms", shown.measured.count()},
              {"rails", TextJsonWriter::write(shown.rails)},
              {"jobs", std::move(all)},
              {"job_findings", TextJsonWriter::write(shown.findings)}});
}

void print_measured(const JobsShown& shown, const Terminal& terminal) {
  terminal.print(jobs_text(shown, terminal));
  terminal.print_always(jobs_line(shown));
}

/// Until nobody takes it any more, or a look fails.
ExitCode watch_jobs(const Command& command, Meter& meter, const StatusWatch& clock) {
  LiveScreen screen(command.terminal);
  while (true) {
    const auto shown = meter.measure(clock);
    if (!shown) return report_error(command, shown.error());
    if (!screen.draw([&](const Terminal& drawn) { print_measured(*shown, drawn); })) {
      return ExitCode::kDone;
    }
  }
}

/// What the daemon of the peer saw at its last look. Its jobs have no names here.
ExitCode show_rails_of(const Command& command, const NodeByFile& file) {
  const auto& [node, cluster, peer] = file;
  if (std::ranges::find(node->peers, peer, &config::Peer::node) == node->peers.end()) {
    return report_error(command, {ErrorCode::kNotFound,
                                  fmt::format("{} is at no other end of a cable or switch of {}: "
                                              "{} shows its rails",
                                              peer, node->name, line_on(peer, "jobs"))});
  }
  if (geteuid() != 0 && node->ready.key_file) {
    return report_error(command, {ErrorCode::kPermission,
                                  "a peer is asked with the key of the cluster, which is root's"});
  }
  const auto& terminal = command.terminal;
  if (!command.arguments.json) terminal.show_passing(fmt::format("  asking {} …", peer));
  const auto records = ask_peer_records(command.host, *node, std::nullopt, peer);
  if (!records) return report_error(command, records.error());
  const auto taken = std::ranges::find(*records, peer, &PeerRecord::node);
  const auto why = taken == records->end() ? fmt::format("{} was not asked", peer)
                   : !taken->why.empty()   ? taken->why
                   : !taken->rails         ? fmt::format("{} has not looked at its rails yet", peer)
                                           : std::string();
  if (!why.empty()) return report_error(command, {ErrorCode::kNotFound, why});
  const auto ago = std::max(now().wall - (taken->rails->looked - taken->signs.ahead.value_or(
                                                                     std::chrono::milliseconds(0))),
                            std::chrono::milliseconds(0));
  if (command.arguments.json) {
    const auto& running = taken->rails->running;
    print_json(terminal, "jobs", cluster, peer, ExitCode::kDone,
               {{"told",
                 {{"looked_ms_ago", ago.count()},
                  {"running", running ? nlohmann::json(*running) : nlohmann::json(nullptr)},
                  {"rails", TextJsonWriter::write(taken->rails->rails)}}}});
    return ExitCode::kDone;
  }
  terminal.print(told_text(peer, *taken->rails, ago, terminal));
  terminal.print_always(told_line(*taken->rails));
  print_next(terminal, command.arguments, "Which jobs",
             fmt::format("ssh -t {} sudo spark-reconcile jobs", shell_word(peer)));
  return ExitCode::kDone;
}

ExitCode show_present(const Command& command) {
  const auto& terminal = command.terminal;
  const bool watches = own_options<JobsArguments>(command).watch;
  if (watches && !terminal.width()) {
    return report_error(command,
                        {ErrorCode::kInvalid,
                         "--watch draws on a terminal, and stdout is none: `spark-reconcile jobs "
                         "--json` is for programs"},
                        ExitCode::kUsage);
  }
  const auto file = node_by_file(command);
  if (!file) return file.error();
  if (!file->other.empty()) return show_rails_of(command, *file);
  const StatusWatch clock(command.arguments.root);
  Meter meter(command, *file);
  if (watches) return watch_jobs(command, meter, clock);
  if (!command.arguments.json) {
    terminal.show_passing(fmt::format("  measuring for {} …", duration_text(kMeasure)));
  }
  const auto shown = meter.measure(clock);
  if (!shown) return report_error(command, shown.error());
  if (command.arguments.json) {
    print_jobs_json(command, *file, *shown);
    return ExitCode::kDone;
  }
  print_measured(*shown, terminal);
  const bool is_clear = shown->findings.empty();
  print_next(terminal, command.arguments, is_clear ? "Follow it" : "What it means",
             is_clear ? command_line_for("jobs -w", command.arguments)
                      : fmt::format("spark-reconcile explain {}", shown->findings.front().id));
  return ExitCode::kDone;
}

ExitCode jobs_of_here(const Command& command) {
  const auto& own = own_options<JobsArguments>(command);
  if (own.number) return show_job_record(command, *own.number);
  return own.since.count() > 0 ? show_job_records(command, own.since) : show_present(command);
}

constexpr auto kJobsOptions = std::to_array<OptionRow>({
    {"-w,--watch", &Value::kNone, in<&JobsArguments::watch>(),
     "show it until you press Ctrl-C, measured each second (on a terminal)"},
    {.names = "--since",
     .value = &Value::kDuration,
     .member = in<&JobsArguments::since>(),
     .about = "the jobs that had queue pairs in the last 24h, or as long as you say",
     .range = {"", "", "h", false},
     .sample = "24h",
     .for_root = true},
    {.names = "N",
     .value = &kJobNumber,
     .member = in<&JobsArguments::number>(),
     .about = "one of them whole, and whether the network ended it",
     .for_root = true},
});

constexpr auto kJobsMeant = std::to_array<Meaning>({
    {"--all,-a,--history,--list", "those that ran: `sudo spark-reconcile jobs --since 24h`"},
});

/// What jobs did has names.
bool jobs_is_for_root(const Arguments& arguments) {
  const auto& own = own_options<JobsArguments>(arguments);
  return own.number || own.since.count() > 0;
}

/// "jobs spark2", "jobs 24h".
std::string advise_jobs(const ExtraWord& extra) {
  const auto& [at, word] = extra.argument;
  if (parse_duration(word)) {
    return fmt::format("how long ago is said by --since: {}",
                       line_with(extra.line, at, {"--since", word}));
  }
  return may_be_node(word) ? fmt::format("the rails of a node are shown by -n: {}",
                                         line_with(extra.line, at, {"-n", word}))
                           : "";
}

std::string contradiction_of_jobs(const Arguments& arguments, const TypedLine& /*line*/) {
  const auto& own = own_options<JobsArguments>(arguments);
  if (own.watch && arguments.json) return "--watch never ends by itself: leave out --json";
  if (own.number && own.since.count() > 0) {
    return "a number is one of the jobs that --since lists: leave out one of them";
  }
  if (own.watch && jobs_is_for_root(arguments)) {
    return "--watch shows what is so now, and not what jobs did: leave out --watch";
  }
  if (parse_decimal(arguments.node)) {
    return fmt::format(
        "-n names a node, and a recorded job has its number alone: `sudo spark-reconcile jobs {}`",
        arguments.node);
  }
  return "";
}

}  // namespace

extern const VerbSpec kJobsVerb{
    .name = "jobs",
    .group = VerbGroup::kJobs,
    .about = "show which jobs use which rails, and whether the network ended one",
    .options = own_rows<JobsArguments>(kJobsOptions),
    .meant = kJobsMeant,
    .is_for_root = jobs_is_for_root,
    .advise = advise_jobs,
    .check = contradiction_of_jobs,
    .run = jobs_of_here};

}  // namespace spark::cli
