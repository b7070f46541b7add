// The verb `bench`: how many bits a second RDMA moves between this node and its peers, and what
// that means.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/moment.hpp"
#include "base/random.hpp"
#include "cli/bench/bench_run.hpp"
#include "cli/bench/bench_text.hpp"
#include "cli/bench/verdict.hpp"
#include "cli/command.hpp"
#include "cli/init/new_file.hpp"
#include "cli/input/typed_line.hpp"
#include "cli/json_output.hpp"
#include "cli/text/layout.hpp"
#include "cli/version.hpp"
#include "host/view.hpp"
#include "plan/rail_use.hpp"
#include "protocol/discover.hpp"
#include "protocol/peer_ask.hpp"
#include "state/bench_results.hpp"
#include "state/select.hpp"

namespace spark::cli {
namespace {

/// bench --rail. A cage has two.
enum class WhichRail : std::uint8_t { kRail0, kRail1, kAll };

constexpr std::array kRailWords{Word{"0", ""}, Word{"1", ""}};
constexpr Value kRailValue{"N", kRailWords, "", "", false};

struct BenchArguments {
  std::string peer;        ///< empty: the only one
  bool all_peers = false;  ///< --all
  WhichRail rail = WhichRail::kAll;
  std::optional<std::uint64_t> seconds;  ///< of each number
  std::optional<std::uint64_t> minimum;  ///< Gb/s
  std::string report;                    ///< path of the page
  bool beside_jobs = false;
};

using Names = std::vector<std::string>;

constexpr std::uint32_t kSeconds = 2;
/// So many reach what a ConnectX can carry; one does not.
constexpr std::uint32_t kQueuePairs = 4;
constexpr double kGiga = 1e9;

/// What is known before the first measurement.
struct Context {
  const Command& command;
  const config::Node& node;
  host::View& view;
};

/// The nodes that this one shares a cable or a switch with, in the order of the file.
Names peers_of(const config::Node& node) {
  Names names;
  for (const auto& peer : node.peers) {
    if (!peer.external && std::ranges::find(names, peer.node) == names.end()) {
      names.push_back(peer.node);
    }
  }
  return names;
}

/// Whom the command line names. Errors: kInvalid, with the names to choose from.
Result<Names> chosen(const Context& context) {
  const auto& own = own_options<BenchArguments>(context.command);
  const auto& wanted = own.peer;
  auto names = peers_of(context.node);
  if (names.empty()) {
    return fail(
        ErrorCode::kInvalid,
        fmt::format("the file names no peer of {}: nobody is at the other end", context.node.name));
  }
  if (own.all_peers) return names;
  if (wanted.empty() && names.size() == 1) return names;
  if (std::ranges::find(names, wanted) != names.end()) return Names{wanted};
  const auto line = line_to_type({"bench", names.front()});
  if (wanted.empty()) {
    return fail(ErrorCode::kInvalid,
                fmt::format("name a peer ({}), or give --all, as {}", listed(names), line));
  }
  return fail(
      ErrorCode::kInvalid,
      fmt::format("'{}' is {}; its peers are {}: {}", wanted,
                  wanted == context.node.name ? std::string("this machine")
                                              : fmt::format("no peer of {}", context.node.name),
                  listed(names), line));
}

/// One of this node's rails to that peer, into the plan. Errors: it cannot be measured.
Result<> add_rail(const Context& context, const config::Peer& peer, BenchPlan& plan) {
  const auto* link = context.view.link(peer.link);
  const auto* port = link == nullptr ? nullptr : context.view.rdma_port(*link);
  if (port == nullptr) {
    return fail(ErrorCode::kNotFound,
                fmt::format("{} {}: `spark-reconcile gate` says why", peer.link,
                            link == nullptr ? "is not there" : "has no RDMA device"));
  }
  state::BenchRail rail{.link = peer.link};
  if (const auto wanted = context.node.links.find(peer.link);
      wanted != context.node.links.end() && wanted->second.rail) {
    rail.cage = wanted->second.rail->cage;
    rail.rail = wanted->second.rail->rail;
  }
  if (const auto* hardware = context.view.hardware_of(peer.link)) {
    rail.driver = hardware->driver;
    rail.speed = hardware->speed.value_or(0);
    rail.pcie_lanes = hardware->pcie ? hardware->pcie->width : 0;
  }
  plan.result.rails.push_back(std::move(rail));
  plan.routes.push_back({.link = peer.link,
                         .local = peer.local,
                         .device = port->device,
                         .port = port->port,
                         .ip = peer.ip});
  return {};
}

/// Errors: kBusy: a job, by its name; kNotFound: there is no such rail, or it cannot be measured.
Result<BenchPlan> plan_for(const Context& context, const std::string& name) {
  const auto& own = own_options<BenchArguments>(context.command);
  BenchPlan plan{.result = {.at = utc_text(now().wall),
                            .version = std::string(version_number()),
                            .node = context.node.name,
                            .peer = name,
                            .seconds = static_cast<std::uint32_t>(own.seconds.value_or(kSeconds)),
                            .queue_pairs = kQueuePairs},
                 .run = random_hex(8).value_or("run"),
                 .beside_jobs = own.beside_jobs,
                 .key_file = context.node.ready.key_file ? context.node.ready.key_file->value : ""};
  Names jobs;
  for (const auto& peer : context.node.peers) {
    const bool is_other = own.rail != WhichRail::kAll && peer.rail != static_cast<int>(own.rail);
    const bool is_known =
        std::ranges::find(plan.routes, peer.link, &protocol::RailRoute::link) != plan.routes.end();
    if (peer.node != name || is_other || is_known) continue;
    if (auto added = add_rail(context, peer, plan); !added) return std::unexpected(added.error());
    const auto use = plan::use_of_rail(peer.link, context.node, context.view);
    std::ranges::move(plan::texts_of(use), std::back_inserter(jobs));
    // The result is kept and shown to others.
    if (use.is_used()) plan.result.jobs.push_back(plan::text_of(plan::without_names(use)));
  }
  if (plan.routes.empty()) {
    return fail(ErrorCode::kNotFound,
                fmt::format("no rail {} leads to {}", static_cast<int>(own.rail), name));
  }
  if (!jobs.empty() && !own.beside_jobs) {
    return fail(ErrorCode::kBusy,
                fmt::format("{}: it would be slowed down. Wait for it, or measure beside it by "
                            "--beside-jobs",
                            listed(jobs)));
  }
  return plan;
}

/// The last run with the same peer.
std::optional<state::BenchResult> last_with(host::Files& files, const std::string& peer) {
  const auto kept = state::read_bench_results(files);
  if (!kept) return std::nullopt;
  std::optional<state::BenchResult> last;
  for (const auto& result : *kept) {
    if (result.peer == peer) last = result;
  }
  return last;
}

nlohmann::json json_of(const BenchOutcome& outcome) {
  auto body = TextJsonWriter::write(outcome.result);
  body["failed"] = outcome.failed;
  auto verdicts = nlohmann::json::array();
  if (outcome.failed.empty()) {
    for (const auto& verdict : bench_verdicts(outcome.result)) {
      verdicts.push_back({{"name", verdict.name},
                          {"good", verdict.good},
                          {"what", verdict.what},
                          {"remedy", verdict.remedy}});
    }
  }
  body["verdicts"] = std::move(verdicts);
  Names links;
  for (const auto& rail : outcome.result.rails) links.push_back(rail.link);
  const auto ceiling = bench_ceiling(outcome.result, links);
  body["ceiling_bits_per_second"] = ceiling ? nlohmann::json(*ceiling) : nlohmann::json();
  return body;
}

/// Measured and shown. Not kept where this user may not write there.
BenchOutcome measure(const Context& context, const std::string& name) {
  const auto& terminal = context.command.terminal;
  const bool shows = !context.command.arguments.json;
  auto plan = plan_for(context, name);
  if (!plan) {
    BenchOutcome outcome{.result = {.node = context.node.name, .peer = name},
                         .failed = plan.error().what,
                         .is_busy = plan.error().code == ErrorCode::kBusy};
    return outcome;
  }
  const auto show = [&](const std::string& text) {
    if (shows) terminal.show_passing(text);
  };
  auto outcome = bench_peer(std::move(*plan), run_bench_task, show);
  if (!outcome.failed.empty()) return outcome;
  const auto before = last_with(context.command.host.files, name);
  if (const auto kept = state::keep_bench_result(context.command.host.files, outcome.result);
      !kept) {
    context.command.log.info("not kept: " + kept.error().what);
  }
  if (!shows) return outcome;
  terminal.print_always(bench_text(outcome.result, terminal));
  const auto change = before ? bench_change(*before, outcome.result) : std::string();
  if (!change.empty()) terminal.print_always(change + "\n");
  return outcome;
}

/// What the command line makes of it.
ExitCode code_of(const Command& command, const BenchOutcome& outcome) {
  if (!outcome.failed.empty()) return outcome.is_busy ? ExitCode::kBusy : ExitCode::kError;
  const auto total = bench_total(outcome.result);
  if (!total) return ExitCode::kError;
  const auto& minimum = own_options<BenchArguments>(command).minimum;
  return minimum && *total < static_cast<double>(*minimum) * kGiga ? ExitCode::kDifferences
                                                                   : ExitCode::kDone;
}

/// Why it is not well, for people.
void complain_about(const Command& command, const BenchOutcome& outcome, ExitCode code) {
  const auto& peer = outcome.result.peer;
  std::string text;
  if (!outcome.failed.empty()) {
    text = fmt::format("{} was not measured: {}", peer, outcome.failed);
  } else if (code == ExitCode::kDifferences) {
    text = fmt::format("{}: {:.1f} Gb/s, less than --minimum {}", peer,
                       bench_total(outcome.result).value_or(0) / kGiga,
                       own_options<BenchArguments>(command).minimum.value_or(0));
  } else {
    text = peer + ": nothing was measured over all rails together";
  }
  command.terminal.complain(
      in_lines("spark-reconcile: " + text + "\n", command.terminal.error_width()));
}

ExitCode bench(const Command& command) {
  const auto& arguments = command.arguments;
  const auto& report = own_options<BenchArguments>(command).report;
  const auto file = read_cluster_file(arguments, command.host.files);
  if (!file) return report_error(command, file.error());
  if (const auto code = report_findings(command, *file); code != ExitCode::kDone) return code;
  host::View view(command.host);
  const auto selection = state::select(file->parsed.cluster, arguments.node, view);
  if (!selection) return report_error(command, selection.error());
  const Context context{.command = command, .node = selection->node, .view = view};
  const auto names = chosen(context);
  if (!names) return report_error(command, names.error());
  // Nobody waits for a page that cannot be written.
  if (!report.empty()) {
    if (const auto free = check_new_file(report, "--report"); !free) {
      return report_error(command, free.error());
    }
  }

  auto code = ExitCode::kDone;
  auto peers = nlohmann::json::array();
  std::vector<state::BenchResult> measured;
  for (const auto& name : *names) {
    const auto outcome = measure(context, name);
    const auto own = code_of(command, outcome);
    if (own != ExitCode::kDone && !arguments.json) complain_about(command, outcome, own);
    code = worse(code, own);
    if (arguments.json) peers.push_back(json_of(outcome));
    if (outcome.failed.empty()) measured.push_back(outcome.result);
  }
  std::string page;
  if (!report.empty() && !measured.empty()) {
    page = bench_page(measured);
    if (const auto written = write_new_file(report, page, "--report"); !written) {
      return report_error(command, written.error());
    }
  }
  if (arguments.json) {
    nlohmann::json body{{"peers", std::move(peers)}};
    if (!page.empty()) add_artifact(body, report, kHtmlType, page);
    print_json(command.terminal, verb_of(command), *file, selection->node.name, code,
               std::move(body));
  } else if (report.empty() && !measured.empty()) {
    print_next(command.terminal, arguments, "A page to show to others",
               fmt::format("spark-reconcile bench {} --report bench.html",
                           names->size() == 1 ? names->front() : "--all"));
  }
  return code;
}

constexpr auto kBenchOptions = std::to_array<OptionRow>({
    {"PEER", &Value::kNode, in<&BenchArguments::peer>(),
     "the node at the other end (default: the only one)"},
    {"--all", &Value::kNone, in<&BenchArguments::all_peers>(),
     "all nodes that this one shares a cable or a switch with, one after the other"},
    {"--rail", &kRailValue, in<&BenchArguments::rail>(),
     "this rail alone: 0 or 1 (default: each, and all together)"},
    {"--seconds", &Value::kCount, in<&BenchArguments::seconds>(),
     "for each number (1 to 30, default 2)"},
    {"--minimum", &Value::kCount, in<&BenchArguments::minimum>(),
     "exit with 2 where all rails together move fewer Gb/s in a direction"},
    {"--report", &Value::kFile, in<&BenchArguments::report>(),
     "write a page for others into this new file (HTML, needs nothing else)"},
    {"--beside-jobs", &Value::kNone, in<&BenchArguments::beside_jobs>(),
     "also where a job uses the rail: both are slower meanwhile"},
});

/// A word that names another node: one peer is measured, or all.
std::string advise_bench(const ExtraWord& extra) {
  return protocol::is_host_name(extra.argument.text)
             ? "it measures one peer, or all: " +
                   line_to_type(verb_and(*extra.line.verb, {"--all"}))
             : "";
}

std::string contradiction_of_bench(const Arguments& arguments, const TypedLine& /*line*/) {
  const auto& own = own_options<BenchArguments>(arguments);
  if (own.all_peers && !own.peer.empty()) {
    return "--all is every peer: leave out the one that is named";
  }
  if (own.seconds && (*own.seconds == 0 || *own.seconds > protocol::kMostBenchSeconds)) {
    return fmt::format("--seconds takes 1 to {}", protocol::kMostBenchSeconds);
  }
  return {};
}

}  // namespace

extern const VerbSpec kBenchVerb{
    .name = "bench",
    .group = VerbGroup::kLook,
    .about = "measure RDMA to a peer over each rail in Gb/s, and say what that means",
    .first_week = 7,
    .node = VerbSpec::OfNode::kNone,
    .options = own_rows<BenchArguments>(kBenchOptions),
    .advise_last = advise_bench,
    .check = contradiction_of_bench,
    .run = bench};

}  // namespace spark::cli
