// The verb `jobs`: what each rail carries, and which jobs have queue pairs on it.

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/duration_text.hpp"
#include "base/json_document.hpp"
#include "base/moment.hpp"
#include "cli/command.hpp"
#include "cli/input/verb.hpp"
#include "cli/json_output.hpp"
#include "cli/live_screen.hpp"
#include "cli/state_here/status_watch.hpp"
#include "cli/text/jobs_text.hpp"
#include "cli/text/layout.hpp"
#include "jobs/look.hpp"
#include "state/select.hpp"

namespace spark::cli {
namespace {

struct JobsArguments {
  bool watch = false;
};

/// Long enough that a driver reads its counters again (`lifespan`).
constexpr std::chrono::milliseconds kMeasure{1000};

/// Which node this is, as far as a file says it.
struct NodeByFile {
  std::optional<config::Node> node;
  config::Cluster cluster;
};

/// Without a file the links with RDMA devices are looked at.
std::expected<NodeByFile, ExitCode> node_by_file(const Command& command) {
  auto file = read_cluster_file(command.arguments, command.host.files);
  const bool is_named = !command.arguments.file.empty();
  if (!file && !is_named && file.error().code == ErrorCode::kNotFound) return NodeByFile{};
  if (!file) return std::unexpected(report_error(command, file.error()));
  if (const auto code = report_findings(command, *file); code != ExitCode::kDone) {
    return std::unexpected(code);
  }
  host::View view(command.host);
  auto selection = state::select(file->parsed.cluster, command.arguments.node, view);
  if (!selection) return std::unexpected(report_error(command, selection.error()));
  return NodeByFile{.node = std::move(selection->node), .cluster = std::move(file->parsed.cluster)};
}

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

ExitCode jobs_of_here(const Command& command) {
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

constexpr auto kJobsOptions = std::to_array<OptionRow>({
    {"-w,--watch", &Value::kNone, in<&JobsArguments::watch>(),
     "show it until you press Ctrl-C, measured each second (on a terminal)"},
});

std::string contradiction_of_jobs(const Arguments& arguments, const TypedLine& /*line*/) {
  return arguments.json && own_options<JobsArguments>(arguments).watch
             ? "--watch never ends by itself: leave out --json"
             : "";
}

}  // namespace

extern const VerbSpec kJobsVerb{
    .name = "jobs",
    .group = VerbGroup::kJobs,
    .about = "show which jobs use which rails, and what each rail carries now",
    .options = own_rows<JobsArguments>(kJobsOptions),
    .check = contradiction_of_jobs,
    .run = jobs_of_here};

}  // namespace spark::cli
