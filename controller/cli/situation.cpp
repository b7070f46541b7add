#include "cli/situation.hpp"

#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/paths.hpp"
#include "cli/log.hpp"
#include "reconcile/history.hpp"
#include "reconcile/journal.hpp"
#include "reconcile/objections.hpp"
#include "reconcile/release.hpp"

namespace spark {
namespace {

constexpr std::size_t kLargestFacts = 8UL * 1024 * 1024;

/// The node whose state is on this machine. Errors: kNotFound when there is none, or several.
Result<std::string> node_with_state(Files& files) {
  const auto names = files.list(kStateDirectory);
  if (!names) return std::unexpected(names.error());
  std::vector<std::string> nodes;
  for (const auto& name : *names) {
    for (const auto& path : {ledger_path(name), journal_paths(name).back()}) {
      const auto text = files.read(path);
      if (text && *text && (nodes.empty() || nodes.back() != name)) {
        nodes.push_back(name);
      }
    }
  }
  if (nodes.size() == 1) {
    return nodes.front();
  }
  return fail(ErrorCode::kNotFound,
              nodes.empty()
                  ? "nothing was applied here, so there is nothing to give back"
                  : fmt::format("name the node to give back with -n: {}", fmt::join(nodes, ", ")));
}

/// The file that was applied to the node last; empty: none is kept, or it can no longer be read.
std::optional<ClusterFile> file_in_force(Files& files, const std::string& node) {
  const auto history = read_history(files, node);
  const auto generation = history ? in_force(*history) : std::nullopt;
  const auto text = generation ? read_generation(files, node, generation->digest)
                               : Result<std::optional<std::string>>(std::nullopt);
  if (!text || !*text) {
    return std::nullopt;
  }
  auto file = parse_cluster_text(generation->file, **text);
  return file.valid() ? std::optional(std::move(file)) : std::nullopt;
}

/// The file and node of a release. What is given back stands in the ledger, and the node's last
/// file names its management link: no file of today is needed.
struct Released {
  ClusterFile file;
  Selection selection;
};

Result<Released> released_without_file(const Command& command, View& view) {
  auto& files = command.host.files;
  const auto& named = command.arguments.node;
  const auto node = named.empty() ? node_with_state(files) : Result<std::string>(named);
  if (!node) return std::unexpected(node.error());
  if (auto file = file_in_force(files, *node)) {
    if (auto selection = select(file->parsed.cluster, *node, view)) {
      selection->matched = *node;
      return Released{std::move(*file), std::move(*selection)};
    }
  }
  return Released{{.name = ledger_path(*node)}, {.node = {.name = *node}, .matched = *node}};
}

/// Why the file cannot say which node is given back; empty: it can.
std::optional<std::string> why_file_is_of_no_use(const Result<ClusterFile>& file,
                                                 const std::string& node, View& view) {
  if (!file) {
    return file.error().what;
  }
  if (!file->valid()) {
    return fmt::format("'{}' is not valid", file->name);
  }
  const auto selection = select(file->parsed.cluster, node, view);
  return selection ? std::nullopt : std::optional(selection.error().what);
}

std::expected<Situation, ExitCode> plan_for(const Command& command, ClusterFile file, View view,
                                            Selection selection);

std::expected<Situation, ExitCode> take_in_without_file(const Command& command, View view,
                                                        const std::string& why) {
  auto released = released_without_file(command, view);
  if (!released) {
    return std::unexpected(report_error(
        command, {released.error().code, fmt::format("{}; {}", why, released.error().what)}));
  }
  if (!command.arguments.json && !command.arguments.quiet) {
    command.terminal.complain(
        fmt::format("note: {}; what is remembered of node '{}' is given back\n", why,
                    released->selection.node.name));
  }
  return plan_for(command, std::move(released->file), std::move(view),
                  std::move(released->selection));
}

}  // namespace

Result<View> view_for(const Command& command) {
  if (command.arguments.facts.empty()) {
    return View(command.host);
  }
  const auto text = read_named_file(command.arguments.facts, kLargestFacts);
  if (!text) return std::unexpected(text.error());
  return View::from_json(*text);
}

std::expected<Situation, ExitCode> take_in(const Command& command, ClusterFile file, View view) {
  if (const auto code = report_findings(command, file); code != ExitCode::kDone) {
    return std::unexpected(code);
  }
  auto selection = select(file.parsed.cluster, command.arguments.node, view);
  if (!selection) return std::unexpected(report_error(command, selection.error()));
  return plan_for(command, std::move(file), std::move(view), std::move(*selection));
}

namespace {

std::expected<Situation, ExitCode> plan_for(const Command& command, ClusterFile file, View view,
                                            Selection selection) {
  auto& node = selection.node;
  log_info(fmt::format("node {} of cluster {}", node.name, node.cluster));
  auto ledger = read_ledger(view, node.name);
  const auto unread = ledger ? std::nullopt : std::optional(ledger.error().code);
  if (unread == ErrorCode::kPermission || unread == ErrorCode::kUnsupported) {
    // The ledger is root's, and facts taken without a file lack it. Without it only what the kernel
    // marks as ours is known as such.
    if (!command.arguments.json && !command.arguments.quiet) {
      command.terminal.complain(
          fmt::format("note: {}; what was adopted or changed by an earlier apply is not known, so "
                      "removals may be missing below\n",
                      ledger.error().what));
    }
    ledger = Ledger{};
  }
  if (!ledger) return std::unexpected(report_error(command, ledger.error()));
  if (command.arguments.release) {
    node = released(node, *ledger);
  }
  auto plan = make_plan(node, view, *ledger);
  log_info(fmt::format("{} steps, {} in sync", plan.steps.size(), plan.in_sync));
  add_objections(plan, node, view);
  return Situation{std::move(file), std::move(view), std::move(selection), std::move(*ledger),
                   std::move(plan)};
}

}  // namespace

std::expected<Situation, ExitCode> take_in(const Command& command) {
  auto file = read_cluster_file(command.arguments, command.host.files);
  const bool needs_file = !command.arguments.release;
  if (!file && needs_file) return std::unexpected(report_error(command, file.error()));
  auto view = view_for(command);
  if (!view) return std::unexpected(report_error(command, view.error()));
  const auto why =
      needs_file ? std::nullopt : why_file_is_of_no_use(file, command.arguments.node, *view);
  if (why) {
    return take_in_without_file(command, std::move(*view), *why);
  }
  return take_in(command, std::move(*file), std::move(*view));
}

}  // namespace spark
