// The verb `plan`: what would change, and nothing else.

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/input/typed_line.hpp"
#include "cli/json_output.hpp"
#include "cli/plan/plan_context.hpp"
#include "cli/plan/plan_file.hpp"
#include "cli/text/cable_text.hpp"
#include "cli/text/layout.hpp"
#include "cli/text/plan_screen.hpp"
#include "cli/text/plan_text.hpp"
#include "cli/text/rollout_text.hpp"
#include "cli/verbs/all_nodes.hpp"
#include "cli/workflow_commands.hpp"
#include "plan/release.hpp"
#include "plan/routes_over_links.hpp"

namespace spark::cli {
namespace {

struct PlanArguments {
  bool detailed_exitcode = false;
  std::string out;  ///< path of the saved plan
};

ExitCode exit_code(const plan::Plan& plan, bool is_detailed) {
  const auto status = plan.status();
  const bool objected = status == ExitCode::kError || status == ExitCode::kRefused;
  return objected || is_detailed ? status : ExitCode::kDone;
}

/// How a plan ends: what is so, or the command that comes next.
struct Closing {
  std::string note;
  std::string next;  ///< empty: the note says it
};

Closing closing_of(const PlanContext& context, const Command& command) {
  const auto& plan = context.plan;
  if (!plan.refusals.empty()) return {"Refused: apply would change nothing.", ""};
  if (plan.steps.empty()) {
    const auto is_unknown = [](const auto& item) {
      return item.skipped.why == kinds::Skipped::Why::kUnknown;
    };
    return {plan.skipped.empty()                            ? "In sync: nothing to do."
            : std::ranges::any_of(plan.skipped, is_unknown) ? "Nothing that apply could do now: "
                                                              "see what is unknown."
                                                            : "Nothing to do now.",
            ""};
  }
  const auto& arguments = command.arguments;
  if (!arguments.facts.empty()) {
    return {fmt::format("Planned from '{}'.", printable(arguments.facts)), ""};
  }
  const auto& node = context.selection.node;
  const auto& matched = context.selection.matched;
  if (!matched.empty() && matched != node.name) {
    return {fmt::format("This machine is '{}': apply belongs on '{}'. {}", matched, node.name,
                        line_on(node.name, "apply")),
            ""};
  }
  // Applied here, this machine would become that node.
  if (matched.empty() && !arguments.node.empty()) {
    return {
        fmt::format("This machine is no node of the file: apply belongs on '{}'. If this is to be "
                    "'{}': `{}`",
                    node.name, node.name, command_line_for("apply", arguments)),
        ""};
  }
  if (plan::is_released(context.ledger) && !arguments.release) {
    return {
        fmt::format("This node is released, and nothing of that is made until `{}` or `{}`.",
                    command_line_for("apply", arguments), command_line_for("resume", arguments)),
        ""};
  }
  const auto& out = own_options<PlanArguments>(command).out;
  const auto next = out.empty() ? arguments : Arguments{.root = arguments.root, .plan_file = out};
  return {"", command_line_for(arguments.release ? "release" : "apply", next)};
}

/// The one closing line: counts, and the command that comes next.
std::string closing_line(const plan::Plan& plan, const Closing& closing, const Terminal& terminal) {
  return fmt::format("{}. {}\n", counts_text(plan),
                     closing.next.empty() ? typed_in(closing.note, terminal)
                                          : "Next: " + typed(closing.next, terminal));
}

/// What stands below the screen of a plan. Where nothing differs, what comes next is another look.
std::string screen_closing(const PlanContext& context, const Closing& closing,
                           const Command& command) {
  const auto& arguments = command.arguments;
  const auto& plan = context.plan;
  if (!closing.next.empty()) {
    return next_line(arguments.release ? "Release it" : "Apply it",
                     typed(closing.next, command.terminal));
  }
  const bool is_here = arguments.facts.empty() && !arguments.release;
  if (plan.refusals.empty() && plan.steps.empty() && is_here) {
    return next_line("Is it ready?", command_line_for("gate", arguments));
  }
  return hanging("", typed_in(closing.note, command.terminal),
                 command.terminal.width().value_or(80));
}

std::string plan_title(const PlanContext& context, const Terminal& terminal) {
  const auto& node = context.selection.node;
  const auto text = fmt::format("{} of cluster '{}' ({}, digest {:.12})", node.name, node.cluster,
                                printable(context.file.name), node.digest);
  return terminal.paint(Tone::kStrong, text) + "\n";
}

/// The refusals at their lines, and one notice with the whole plan.
void print_as_annotations(const PlanContext& context, const Closing& closing,
                          const Terminal& terminal) {
  const auto& plan = context.plan;
  const Terminal plain(nullptr, nullptr, Color::kNever, false);
  const auto text = plan_text(plan, context.file.name, plain);
  terminal.print_always(commands_of_refusals(plan, context.file));
  terminal.print_always(
      workflow_command({.level = Annotation::Level::kNotice,
                        .file = {},
                        .title = fmt::format("{}: {}", plan.node, counts_text(plan)),
                        .message = text + closing_line(plan, closing, plain)}));
}

ExitCode show_plan(const Command& command) {
  if (command.arguments.all) {
    return offer_named_file(command, AllNodesUse::kPlan,
                            own_options<PlanArguments>(command).detailed_exitcode);
  }
  auto context = reported_context(command);
  if (!context) return context.error();
  const auto& arguments = command.arguments;
  const auto& own = own_options<PlanArguments>(command);
  if (!arguments.release) {
    std::ranges::move(plan::left_on_links(context->selection.node, context->view),
                      std::back_inserter(context->plan.left_unchanged));
  }
  const auto& plan = context->plan;
  const auto code = exit_code(plan, own.detailed_exitcode);
  std::string saved;
  if (!own.out.empty()) {
    saved = plan_file_text(
        PlanFile{plan.node, context->file.name, context->file.text, plan::fingerprint(plan)});
    if (auto written = write_plan_file(own.out, saved); !written) {
      return report_error(command, written.error());
    }
  }
  if (arguments.json) {
    auto body = to_json(plan);
    if (!saved.empty()) add_artifact(body, own.out, kPlanFileSchema, saved);
    body["rollout"] = to_json(rollout_of(context->file.parsed.cluster, command.host.files));
    print_json(command.terminal, "plan", context->file, plan.node, code, std::move(body));
    return code;
  }
  const auto& terminal = command.terminal;
  const auto closing = closing_of(*context, command);
  if (arguments.report_format == ReportFormat::kGithub) {
    print_as_annotations(*context, closing, terminal);
    return code;
  }
  const auto hints = fitting(cable_hints_text(*context, terminal), terminal);
  const auto rollout =
      plan.steps.empty() || arguments.release
          ? std::string()
          : rollout_text(rollout_of(context->file.parsed.cluster, command.host.files));
  if (shows_screen(command) && !arguments.quiet) {
    terminal.print(plan_screen(*context, "plan: nothing is changed", terminal, hints));
    terminal.print(fitting(rollout, terminal));
    terminal.print_always(screen_closing(*context, closing, command));
    return code;
  }
  const auto text =
      hints + plan_text(plan, context->file.name, terminal) + users_text(context->uses, terminal);
  terminal.print(plan_title(*context, terminal));
  terminal.print(text.empty() ? std::string("\n") : "\n" + text + "\n");
  terminal.print(fitting(rollout, terminal));
  terminal.print_always(closing_line(plan, closing, terminal));
  return code;
}

constexpr auto kPlanOptions = std::to_array<OptionRow>({
    {"--detailed-exitcode", &Value::kNone, in<&PlanArguments::detailed_exitcode>(),
     "0 in sync, 2 differences, 3 waiting, 4 unknown or not enforced"},
    {"--release", &Value::kNone, in<&Arguments::release>(), "plan what `release` would restore"},
    {"--out", &Value::kFile, in<&PlanArguments::out>(), "save the plan, for `apply FILE`"},
    {.names = "--all",
     .value = &Value::kNone,
     .member = in<&Arguments::all>(),
     .about = "what `apply --all` would change on each node",
     .for_root = true},
    kExceptOption,
    {"--facts",
     &Value::kFile,
     in<&Arguments::facts>(),
     "plan for what `facts` printed, not for this machine",
     {},
     "facts.json"},
    {"--format", &Value::kReportFormat, in<&Arguments::report_format>(),
     "print text (default), json, or github (annotations in a pull request)"},
});

constexpr auto kPlanMeant = std::to_array<Meaning>({
    {"--dry-run,--dryrun,--noop,--check,--diff,--simulate",
     "it changes nothing anyway: `spark-reconcile plan`"},
});

/// "diff old.yaml new.yaml", by the other name of the verb.
std::string advise_plan(const ExtraWord& extra) {
  const bool compares =
      extra.line.words[extra.line.verb_at] == "diff" && extra.typed.arguments.size() == 2;
  return compares && extra.argument.text != "-"
             ? "two files are compared by validate: " +
                   line_to_type({"validate", "-f", extra.typed.arguments[1].text, "--against",
                                 extra.argument.text})
             : "";
}

std::string contradiction_of_plan(const Arguments& arguments, const TypedLine& line) {
  return contradiction_of_all(arguments, line,
                              !own_options<PlanArguments>(arguments).out.empty() ||
                                  !arguments.facts.empty() ||
                                  arguments.report_format == ReportFormat::kGithub);
}

}  // namespace

extern const VerbSpec kPlanVerb{.name = "plan",
                                .alias = "diff",
                                .group = VerbGroup::kStart,
                                .about = "show what apply would change, and why",
                                .names_unfinished = true,
                                .file = VerbSpec::OfFile::kAsItIs,
                                .node = VerbSpec::OfNode::kAny,
                                .options = own_rows<PlanArguments>(kPlanOptions),
                                .meant = kPlanMeant,
                                .is_for_root = [](const Arguments& asked) { return asked.all; },
                                .complete = complete_all,
                                .advise = advise_plan,
                                .check = contradiction_of_plan,
                                .run = show_plan};

}  // namespace spark::cli
