#include "cli/explain/resource.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/explain/set_by.hpp"
#include "cli/explain/words.hpp"
#include "cli/plan/plan_context.hpp"
#include "plan/plan.hpp"
#include "plan/wanted.hpp"
#include "state/journal.hpp"

namespace spark::cli {
namespace {

/// Keys have blanks, which a shell would take apart: both forms are the same word.
std::string with_slashes(std::string text) {
  std::ranges::replace(text, ' ', '/');
  return text;
}

std::string resource_word(std::string_view kind, std::string_view key) {
  return with_slashes(fmt::format("{}/{}", kind, key));
}

struct NamedResource {
  std::string kind;
  std::string key;
  const plan::WantedResource* wanted = nullptr;  ///< null: no line asks for it
};

/// What is wanted, what goes, and what is only remembered.
std::vector<NamedResource> all_resources(const PlanContext& context,
                                         const std::vector<plan::WantedResource>& wanted) {
  std::vector<NamedResource> all;
  const auto add = [&all](std::string_view kind, const std::string& key,
                          const plan::WantedResource* asked) {
    const bool is_new = std::ranges::none_of(
        all, [&](const NamedResource& one) { return one.kind == kind && one.key == key; });
    if (is_new) all.push_back({std::string(kind), key, asked});
  };
  for (const auto& resource : wanted) add(resource.kind, resource.key, &resource);
  for (const auto& step : context.plan.steps) add(step.kind, step.key, nullptr);
  for (const auto& [kind, entries] : context.ledger) {
    for (const auto& [key, entry] : entries) add(kind, key, nullptr);
  }
  return all;
}

std::string resource_value(const std::optional<std::string>& value) {
  return printable(or_absent(value));
}

/// The line that asks, with its place: "/etc/…/cluster.yaml:17: mtu: 9000".
std::string asking_line(const ClusterFile& file, config::Where where) {
  if (where.line == 0) return "no line of the file";
  const auto line = fold_blanks(line_of(file.text, where.line));
  return fmt::format("{}:{}: {}", printable(file.name), where.line, printable(line));
}

/// The state, and what is there where the plan knows it.
void add_resource_state(ResourceExplanation& resource, const plan::Plan& plan) {
  const auto is_it = [&](const auto& item) {
    return item.kind == resource.kind && item.key == resource.key;
  };
  const auto step = std::ranges::find_if(plan.steps, is_it);
  const auto skipped = std::ranges::find_if(plan.skipped, is_it);
  const bool is_step = step != plan.steps.end();
  const bool is_skipped = skipped != plan.skipped.end();
  if (is_step) {
    resource.have = step->before;
    resource.state = step->after ? "differs" : "removed";
    if (resource.where.line == 0) resource.where = step->where;
  } else if (!is_skipped) {
    resource.have = resource.want;
    resource.state = resource.want ? "in_sync" : "not_managed";
  }
  if (is_skipped) resource.state = kinds::name_of(skipped->skipped.why);
  auto& explanation = resource.explanation;
  // Of a skipped resource the reason says what is there, as far as that is known.
  if (is_step || !is_skipped) {
    const bool is_only_remembered = resource.state == "not_managed";
    add_part(
        explanation, "Have",
        is_only_remembered ? "not looked at: no line asks for it" : resource_value(resource.have));
  }
  add_part(explanation, "State", in_words(resource.state));
  add_part(explanation, "Asked by", asking_line(resource.file, resource.where));
  if (is_skipped) {
    add_part(
        explanation, "Cause",
        fmt::format("{} [{}]", printable(skipped->skipped.reason_here()), skipped->skipped.id));
    add_part(explanation, "Do", fmt::format("`spark-reconcile explain {}`", skipped->skipped.id));
  }
}

/// A refusal stops every change; one about the same line is about this resource.
void add_refusals(ResourceExplanation& resource, const plan::Plan& plan) {
  std::size_t others = 0;
  for (const auto& refusal : plan.refusals) {
    const bool is_here = resource.where.line > 0 && refusal.where.line == resource.where.line;
    others += is_here ? 0 : 1;
    if (is_here) {
      add_part(resource.explanation, "Refused",
               fmt::format("{} [{}]", printable(refusal.what), refusal.id));
    }
  }
  if (others > 0) {
    add_part(resource.explanation, "Refused",
             fmt::format("apply would change nothing, for {}: `spark-reconcile plan`",
                         counted(others, "other reason")));
  }
}

void add_next_step(ResourceExplanation& resource, const Arguments& arguments) {
  if (resource.state != "differs" && resource.state != "removed") return;
  add_part(resource.explanation, "Do", fmt::format("`{}`", command_line_for("apply", arguments)));
}

}  // namespace

std::string_view kind_in(std::string_view word) {
  const auto slash = word.find('/');
  if (slash == std::string_view::npos) return {};
  const auto names = plan::kind_names();
  const auto found = std::ranges::find(names, word.substr(0, slash));
  return found == names.end() ? std::string_view() : *found;
}

std::expected<ResourceExplanation, ExitCode> explain_resource(const Command& command,
                                                              std::string_view word) {
  auto context = reported_context(command);
  if (!context) return std::unexpected(context.error());
  const auto wanted =
      plan::wanted_resources(context->selection.node, context->view, context->ledger);
  const auto all = all_resources(*context, wanted);
  const auto found = std::ranges::find_if(all, [&](const NamedResource& one) {
    return resource_word(one.kind, one.key) == with_slashes(std::string(word));
  });
  if (found == all.end()) {
    std::vector<std::string> words;
    words.reserve(all.size());
    for (const auto& one : all) words.push_back(resource_word(one.kind, one.key));
    return std::unexpected(
        report_error(command, {ErrorCode::kInvalid, unknown_word(word, words)}, ExitCode::kUsage));
  }
  ResourceExplanation resource{
      .file = context->file,
      .node = context->selection.node.name,
      .explanation = {.kind = WordKind::kResource, .word = resource_word(found->kind, found->key)},
      .kind = found->kind,
      .key = found->key,
      .state = {}};
  auto& explanation = resource.explanation;
  explanation.title = fmt::format("a resource of {}", resource.node);
  if (found->wanted != nullptr) {
    resource.want = found->wanted->value;
    resource.where = found->wanted->where;
  }
  add_part(explanation, "Want", resource_value(resource.want));
  add_resource_state(resource, context->plan);
  add_refusals(resource, context->plan);
  add_next_step(resource, command.arguments);
  add_who_set_it(explanation, command, *context, resource.kind, resource.key);
  return resource;
}

std::vector<std::string> resource_words(const Arguments& arguments, host::Host& host) {
  if (arguments.file == "-") return {};
  const auto file = read_cluster_file(arguments, host.files);
  if (!file || !file->valid()) return {};
  host::View view(host);
  const auto selection = state::select(file->parsed.cluster, arguments.node, view);
  if (!selection) return {};
  // Others than root cannot read the ledger; what it has beside the file is then not offered.
  const auto ledger = state::known_ledger(view, selection->node.name).value_or(kinds::Ledger{});
  std::vector<std::string> words;
  for (const auto& resource : plan::wanted_resources(selection->node, view, ledger)) {
    words.push_back(resource_word(resource.kind, resource.key));
  }
  return words;
}

}  // namespace spark::cli
