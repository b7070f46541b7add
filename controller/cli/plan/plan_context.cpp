#include "cli/plan/plan_context.hpp"

#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "base/json_document.hpp"
#include "base/result.hpp"
#include "base/text.hpp"
#include "cli/input/cluster_file.hpp"
#include "cli/input/named_nodes.hpp"
#include "host/process/helper_program.hpp"
#include "host/view.hpp"
#include "plan/refusals.hpp"
#include "plan/release.hpp"
#include "protocol/paths.hpp"
#include "state/history.hpp"
#include "state/journal.hpp"
#include "state/node_record.hpp"

namespace spark::cli {
namespace {

/// The node to release, and the file that was applied to it last.
struct PastNode {
  ClusterFile file;
  state::Selection selection;
};

/// The file that was applied to the node last; empty: none is kept, or it can no longer be read.
std::optional<ClusterFile> file_in_force(host::Files& files, const std::string& node) {
  const auto history = state::read_history(files, node);
  const auto generation = history ? state::in_force(*history) : std::nullopt;
  const auto text = generation ? state::read_generation(files, node, generation->digest)
                               : Result<std::optional<std::string>>(std::nullopt);
  if (!text || !*text) return std::nullopt;
  auto file = parse_cluster_text(generation->file, **text);
  return file.valid() ? std::optional(std::move(file)) : std::nullopt;
}

/// Needs no current file: the ledger has the values to restore, and the node's last file names its
/// management link. Takes the node that -n names, else the node that this machine was last.
/// Errors: kNotFound when it was none; kInvalid when another machine wrote the node's state.
Result<PastNode> find_past_node(const Command& command, host::View& view) {
  const auto& named = command.arguments.node;
  const auto node = named.empty() ? state::remembered_node(view) : named;
  if (node.empty()) {
    return fail(ErrorCode::kNotFound,
                "nothing was applied here, as far as is known, so there is nothing to hand back; "
                "if there is, name the node with -n");
  }
  if (auto owned = state::check_owner(view, node); !owned) return std::unexpected(owned.error());
  if (auto file = file_in_force(command.host.files, node)) {
    if (auto selection = state::select(file->parsed.cluster, node, view)) {
      selection->matched = node;
      return PastNode{std::move(*file), std::move(*selection)};
    }
  }
  return PastNode{{.name = state::ledger_path(node)}, {.node = {.name = node}, .matched = node}};
}

constexpr std::size_t kLargestFacts = 8UL * 1024 * 1024;

/// Why the file cannot say which node is released; empty: it can.
std::optional<std::string> why_file_is_of_no_use(const Result<ClusterFile>& file,
                                                 const Arguments& arguments, host::View& view) {
  const bool is_usual = arguments.file.empty();
  if (!file) {
    return file.error().code == ErrorCode::kNotFound && is_usual
               ? fmt::format("there is no {}", protocol::kDefaultFile)
               : file.error().what;
  }
  if (!file->valid()) return fmt::format("'{}' is not valid", file->name);
  const auto selection = state::select(file->parsed.cluster, arguments.node, view);
  return selection ? std::nullopt : std::optional(selection.error().what);
}

/// What the plan comes to, and for -vv each resource that is not in sync.
void log_plan(const plan::Plan& plan, const Log& log) {
  for (const auto& step : plan.steps) {
    log.debug(fmt::format("differs: {}: {} → {}", step.name(), or_absent(step.before),
                          or_absent(step.after)));
  }
  for (const auto& item : plan.skipped) {
    log.debug(fmt::format("{}: {} {}: {} [{}]", kinds::name_of(item.skipped.why), item.kind,
                          item.key, item.skipped.reason, item.skipped.id));
  }
  for (const auto& item : plan.left_unchanged) {
    log.debug(fmt::format("left unchanged: {}: {}", item.what, item.reason));
  }
  for (const auto& refusal : plan.refusals) {
    log.debug(fmt::format("refused: {} [{}]", refusal.what, refusal.id));
  }
  log.info(fmt::format("{}, {} in sync, {} skipped, {} refused", counted(plan.steps.size(), "step"),
                       plan.in_sync, plan.skipped.size(), plan.refusals.size()));
}

/// `note` is what should be said beside the result.
Result<PlanContext> plan_for(const Command& command, ClusterFile file, host::View view,
                             state::Selection selection, std::string& note) {
  auto& node = selection.node;
  command.log.info(fmt::format("node {} of cluster {}: '{}', digest {:.12}", node.name,
                               node.cluster, file.name, node.digest));
  auto ledger = state::known_ledger(view, node.name);
  const auto unread = ledger ? std::nullopt : std::optional(ledger.error().code);
  if (unread == ErrorCode::kPermission || unread == ErrorCode::kUnsupported) {
    // The ledger is root's, and facts taken without a file lack it. Without it only what the kernel
    // marks as ours is known as such.
    note += fmt::format(
        "note: {}; what was adopted or changed by an earlier apply is not known, so removals may "
        "be missing below\n",
        ledger.error().what);
    ledger = kinds::Ledger{};
  }
  if (!ledger) return std::unexpected(ledger.error());
  std::optional<config::Node> before_release;
  if (command.arguments.release) {
    before_release = node;
    node = plan::released(node, *ledger);
  }
  auto plan = plan::make_plan(node, view, *ledger);
  plan::add_refusals(plan, node, view, *ledger);
  if (command.arguments.facts.empty()) {
    std::ranges::move(plan::find_missing_helpers(plan, host::check_helper),
                      std::back_inserter(plan.refusals));
  }
  // Of another machine nobody knows what runs there now.
  auto uses = command.arguments.facts.empty()
                  ? plan::used_rails(plan, before_release.value_or(node), view)
                  : plan::RailUses{};
  log_plan(plan, command.log);
  return PlanContext{std::move(file),    std::move(view), std::move(selection),
                     std::move(*ledger), std::move(plan), std::move(before_release),
                     std::move(uses)};
}

std::expected<PlanContext, ExitCode> reported(const Command& command, Result<PlanContext> context) {
  if (!context) return std::unexpected(report_error(command, context.error()));
  return *std::move(context);
}

/// Beside a result for people.
void complain(const Command& command, const std::string& note) {
  if (!command.arguments.json && !command.arguments.quiet) command.terminal.complain(note);
}

std::expected<PlanContext, ExitCode> context_past_node(const Command& command, host::View view,
                                                       const std::string& why, std::string& note) {
  auto past = find_past_node(command, view);
  if (!past) {
    return std::unexpected(
        report_error(command, {past.error().code, fmt::format("{} ({})", past.error().what, why)}));
  }
  note += fmt::format("note: {}; node '{}' gets back what was there before its first apply\n", why,
                      past->selection.node.name);
  return reported(command, plan_for(command, std::move(past->file), std::move(view),
                                    std::move(past->selection), note));
}

std::expected<PlanContext, ExitCode> context_of_file(const Command& command, ClusterFile file,
                                                     host::View view, std::string& note) {
  if (const auto code = report_findings(command, file); code != ExitCode::kDone) {
    return std::unexpected(code);
  }
  return reported(command, plan_context(command, std::move(file), std::move(view), note));
}

}  // namespace

Result<host::View> view_for(const Command& command) {
  if (command.arguments.facts.empty()) return host::View(command.host);
  const auto text = read_named_file(command.arguments.facts, kLargestFacts, FileUse::kLook);
  if (!text) return std::unexpected(text.error());
  auto view = host::View::from_json(*text);
  // What the JSON parser says of any other file helps nobody.
  if (!view && !parse_json(*text)) {
    return fail(
        ErrorCode::kInvalid,
        fmt::format("{} is not what `spark-reconcile facts` prints: `ssh {} spark-reconcile "
                    "facts > facts.json` takes those of another machine",
                    in_quotes(command.arguments.facts),
                    command.arguments.node.empty() ? "spark1" : command.arguments.node));
  }
  return view;
}

Result<PlanContext> plan_context(const Command& command, ClusterFile file, host::View view,
                                 std::string& note) {
  if (const auto none = no_such_node(file, command.arguments)) return std::unexpected(*none);
  auto selection = state::select(file.parsed.cluster, command.arguments.node, view);
  if (!selection) return std::unexpected(selection.error());
  return plan_for(command, std::move(file), std::move(view), std::move(*selection), note);
}

std::expected<PlanContext, ExitCode> reported_context(const Command& command, ClusterFile file,
                                                      host::View view) {
  std::string note;
  auto context = context_of_file(command, std::move(file), std::move(view), note);
  complain(command, note);
  return context;
}

std::expected<PlanContext, ExitCode> context_here(const Command& command, std::string& note) {
  auto file = read_cluster_file(command.arguments, command.host.files);
  const bool needs_file = !command.arguments.release;
  if (!file && needs_file) return std::unexpected(report_error(command, file.error()));
  auto view = view_for(command);
  if (!view) return std::unexpected(report_error(command, view.error()));
  const auto why =
      needs_file ? std::nullopt : why_file_is_of_no_use(file, command.arguments, *view);
  if (why) return context_past_node(command, std::move(*view), *why, note);
  return context_of_file(command, std::move(*file), std::move(*view), note);
}

std::expected<PlanContext, ExitCode> reported_context(const Command& command) {
  std::string note;
  auto context = context_here(command, note);
  complain(command, note);
  return context;
}

}  // namespace spark::cli
