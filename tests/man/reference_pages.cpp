#include "man/reference_pages.hpp"

#include <span>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/explain/words.hpp"
#include "cli/input/help_text.hpp"
#include "config/yaml/job_variables.hpp"
#include "man/pages.hpp"
#include "protocol/source_ids.hpp"

namespace spark::test::man {
namespace {

constexpr std::string_view kMade =
    "<!-- Made from the tables of the program: SPARK_UPDATE_GOLDEN=1 build/dev/tests/man_tests "
    "writes it again. -->\n\n";

/// A `|` would end the cell.
std::string cell(std::string_view text) {
  std::string escaped;
  for (const char character : text) {
    if (character == '|') escaped += '\\';
    escaped += character == '\n' ? ' ' : character;
  }
  return escaped;
}

std::string exit_list(const cli::VerbManual& manual) {
  std::string list;
  for (const auto& exit : manual.exits) {
    list += fmt::format("{}{}", list.empty() ? "" : ", ", static_cast<int>(exit.code));
  }
  return list;
}

std::string option_list(std::span<const cli::OptionRow> options) {
  std::string list;
  std::string last;  // an option that sets two members has two rows
  for (const auto& option : options) {
    const auto about = sentence(option.about) + (option.required ? " Required." : "");
    const auto row = fmt::format("- {}: {}\n", tag_of(option), about);
    if (row != last) list += row;
    last = row;
  }
  return list + "\n";
}

std::string verb_section(const cli::VerbSpec& verb) {
  auto text =
      fmt::format("## {}\n\n[Manual](../../controller/cli/manuals/{}.txt)", verb.name, verb.name);
  if (!verb.alias.empty())
    text += fmt::format("\n\n`{}` is another name of this verb.", verb.alias);
  text += "\n\n";
  return verb.options.rows.empty() ? text : text + option_list(verb.options.rows);
}

std::string id_item(std::string_view id, std::string_view title, std::string_view cause,
                    std::string_view fix) {
  return fmt::format("- {}: {}. {} {}\n", id, title, cause, fix);
}

std::string cluster_file_ids() {
  std::string list =
      "## Errors and warnings about the cluster file\n\n"
      "A file with an error is refused as a whole, exit code 5. From SR-SPEC-201 on: a warning, "
      "and the file loads.\n\n";
  for (const auto& id : cli::id_words()) {
    if (!id.starts_with("SR-SPEC-")) continue;
    const auto entry = *cli::explain_id(id);  // "Cause" and "Do"
    list += id_item(id, entry.title, entry.parts.front().text, entry.parts.back().text);
  }
  return list + "\n";
}

std::string git_ids() {
  std::string list =
      "## What is not taken from git\n\nThe last good file stays in force. "
      "[git.md](../howto/git.md#what-is-refused-and-the-way-out) has what happens when.\n\n";
  for (const auto& entry : protocol::git_ids()) {
    list += id_item(entry.id, entry.title, entry.cause, entry.fix);
  }
  return list + "\n";
}

std::string variable_item(const config::JobVariable& variable) {
  return fmt::format("- `{}`: {}. Takes {}.\n", variable.name, variable.note,
                     config::values_of(variable));
}

std::string without_last_line_break(std::string text) {
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

}  // namespace

std::string verbs_page() {
  auto page = fmt::format("# The verbs\n\n{}", kMade);
  page +=
      "The manual of each verb (`man spark-reconcile-plan`, `spark-reconcile help plan`) says what "
      "it does and what its exit codes mean there. This page has its options.\n\n";
  page += "| verb | does | exit codes |\n|---|---|---|\n";
  for (const auto* verb : cli::verbs()) {
    page += fmt::format("| [{0}](#{0}) | {1} | {2} |\n", verb->name, cell(verb->about),
                        exit_list(cli::manual_of(*verb)));
  }
  page += fmt::format("| {} | {} | 0 |\n\n", cli::kHelpVerb, cli::kHelpAbout);
  page += "## Exit codes\n\nIf several apply, the most severe is returned.\n\n";
  page += "| code | meaning |\n|---|---|\n";
  for (const auto& row : cli::exit_codes()) {
    page += fmt::format("| {} | {} |\n", static_cast<int>(row.code), cell(row.meaning));
  }
  page +=
      "\n## Options of every verb\n\nWhere a verb has an option of the same short name, its "
      "own counts: `events -f` follows. A duration is a whole number and `ms`, `s`, `m` or "
      "`h`.\n\n";
  page += option_list(cli::common_options());
  page +=
      "`--json` prints one JSON object; its schemas are in "
      "[schema/output/](../../schema/output).\n\n";
  for (const auto* verb : cli::verbs()) page += verb_section(*verb);
  return without_last_line_break(page);
}

std::string messages_page() {
  return without_last_line_break(fmt::format(
      "# Messages by id\n\n{}Every message that needs you ends with an id. An id never "
      "changes its meaning. `spark-reconcile explain SR-GATE-016` says on a node what the pages "
      "say. [troubleshoot.md](../howto/troubleshoot.md) starts from the symptom.\n\n"
      "| id | page |\n|---|---|\n"
      "| SR-GATE-NNN | [the facts of the gate](../explain/gate.md#the-facts) |\n"
      "| SR-ALERT-NNN | [the alerts](alerts.md#the-alerts) |\n"
      "| SR-GIT-NNN, SR-SPEC-NNN | below |\n"
      "| others | [what is skipped or refused](errors.md) |\n\n{}{}",
      kMade, git_ids(), cluster_file_ids()));
}

std::string variables_page() {
  auto page = fmt::format("# Variables of jobs\n\n{}", kMade);
  page +=
      "What [`variables` and `nccl.variables`](cluster-yaml.md#environment) take. "
      "[environment.md](environment.md#what-is-in-it) has those that are set by default.\n\n"
      "Other names of the same libraries go under `extra`: they are passed on unchecked, with a "
      "warning (SR-SPEC-218). A name in the wrong map (SR-SPEC-142) or another value "
      "(SR-SPEC-143) is refused. None of them takes a path. `spark-reconcile explain NAME` has an "
      "example. `y` needs quotes in YAML.\n\n";
  for (const auto& variable : config::job_variables()) page += variable_item(variable);
  page +=
      "\n## Never\n\nNo map takes variables that say where programs, libraries or files lie, that "
      "start a program, or that hold a secret: `LD_…` and `…PATH` (SR-SPEC-011), and other names "
      "that begin with `OMPI_MCA_mca_` or end with one of these, in capitals or not "
      "(SR-SPEC-131). Set them in the service or container of the job. The endings: ";
  page += fmt::format("`{}`.\n\n", fmt::join(config::code_endings(), "`, `"));
  page += "These do nothing (SR-SPEC-130):\n\n";
  for (const auto& [name, advice] : config::dead_variables()) {
    page += fmt::format("- `{}`: {}\n", name, advice);
  }
  return page;
}

std::map<std::string, std::string> reference_pages() {
  return {{"verbs.md", verbs_page()},
          {"messages.md", messages_page()},
          {"variables.md", variables_page()}};
}

}  // namespace spark::test::man
