#include "man/reference_pages.hpp"

#include <algorithm>
#include <cctype>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "cli/explain/page_text.hpp"
#include "cli/explain/vocabularies.hpp"
#include "cli/input/exit_codes.hpp"
#include "cli/input/verb_manual.hpp"
#include "config/yaml/job_variables.hpp"
#include "daemon/alerts/alert_rules.hpp"
#include "gate/gate.hpp"
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

std::string option_table(std::span<const cli::OptionRow> options) {
  std::string table = "| option | |\n|---|---|\n";
  std::string last;  // an option that sets two members has two rows
  for (const auto& option : options) {
    const auto row = fmt::format("| {} | {} |\n", cell(tag_of(option)), cell(about_option(option)));
    if (row != last) table += row;
    last = row;
  }
  return table + "\n";
}

std::string verb_section(const cli::VerbSpec& verb) {
  const auto manual = cli::manual_of(verb);
  auto text = fmt::format("## {}\n\n{}\n\n{}\n\n", verb.name, synopsis(verb), manual.text);
  if (!verb.alias.empty()) {
    text += fmt::format("`{}` is another name of this verb.\n\n", verb.alias);
  }
  if (!verb.options.rows.empty()) text += option_table(verb.options.rows);
  text += "| exit code | |\n|---|---|\n";
  for (const auto& [code, meaning] : manual.exits) {
    const auto words = meaning.empty() ? cli::meaning_of(code) : meaning;
    text += fmt::format("| {} | {} |\n", static_cast<int>(code), cell(words));
  }
  text += '\n';
  for (const auto& [about, commands] : manual.examples) {
    text += fmt::format("{}\n\n```sh\n{}\n```\n\n", about, commands);
  }
  return text;
}

std::string cluster_file_ids() {
  std::string table =
      "## Errors and warnings about the cluster file\n\n"
      "A file with an error is refused as a whole, exit code 5. From SR-SPEC-201 on: a warning, "
      "and the file loads.\n\n| id | about | why | what to do |\n|---|---|---|---|\n";
  for (const auto& id : cli::id_words()) {
    if (!id.starts_with("SR-SPEC-")) continue;
    const auto entry = *cli::explain_id(id);  // "Cause" and "Do"
    table += fmt::format("| {} | {} | {} | {} |\n", id, cell(entry.title),
                         cell(entry.parts.front().text), cell(entry.parts.back().text));
  }
  return table + "\n";
}

std::string git_ids() {
  std::string table =
      "## What is not taken from git\n\nThe last good file stays in force. "
      "[git.md](../howto/git.md#what-is-refused-and-the-way-out) has what happens when.\n\n"
      "| id | about | why | what to do |\n|---|---|---|---|\n";
  for (const auto& entry : protocol::git_ids()) {
    table += fmt::format("| {} | {} | {} | {} |\n", entry.id, cell(entry.title), cell(entry.cause),
                         cell(entry.fix));
  }
  return table + "\n";
}

std::string gate_ids() {
  std::string table =
      "## Facts of the gate\n\nThe gate prints what it measured and what to do. "
      "[gate.md](../explain/gate.md#the-facts) says what each fact proves, and what it does "
      "not.\n\n| id | fact |\n|---|---|\n";
  auto kinds = gate::fact_kinds();
  std::ranges::sort(kinds, {}, &gate::FactKind::id);
  for (const auto& kind : kinds) {
    table += fmt::format("| {} | {} |\n", kind.id, kind.name);
  }
  return table + "\n";
}

std::string alert_ids() {
  std::string table =
      "## Alerts\n\nSR-ALERT-010 ([SparkDaemonStale](alerts.md#sr-alert-010-sparkdaemonstale)) and "
      "those of a cluster (SR-ALERT-020 to 024, from [SparkMatrixIncomplete]"
      "(alerts.md#sr-alert-020-sparkmatrixincomplete) on) are raised from outside, by Prometheus. "
      "The alert itself may say more of what to do.\n\n"
      "| id | alert | what to do |\n|---|---|---|\n";
  const auto all = daemon::alert_rules();
  std::vector<daemon::AlertRule> rules(all.begin(), all.end());
  std::ranges::sort(rules, {}, &daemon::AlertRule::id);
  for (const auto& rule : rules) {
    const auto heading = fmt::format("{}: {}", rule.id, rule.name);
    table += fmt::format("| {} | [{}](alerts.md#{}) | {} |\n", rule.id, rule.name,
                         cli::anchor_of(heading), cell(rule.remedy));
  }
  return table + "\n";
}

/// "## SR-LINK-001: no device" of errors.md.
std::string other_ids(const std::string& errors) {
  std::string table =
      "## What is skipped or refused\n\nEach has its symptom, its cause and what to do in "
      "[errors.md](errors.md).\n\n"
      "| id | about |\n|---|---|\n";
  for (const auto line : lines_of(errors)) {
    const auto colon = line.find(": ");
    constexpr std::string_view kHeading = "## SR-";
    if (!line.starts_with(kHeading) || colon == std::string_view::npos) continue;
    const auto heading = line.substr(3);
    if (std::isdigit(static_cast<unsigned char>(line[colon - 1])) == 0) continue;
    table += fmt::format("| {} | [{}](errors.md#{}) |\n", line.substr(3, colon - 3),
                         cell(line.substr(colon + 2)), cli::anchor_of(heading));
  }
  return table + "\n";
}

std::string variable_row(const config::JobVariable& variable) {
  return fmt::format("| `{}` | {} | `{}` | {} |\n", variable.name,
                     cell(config::values_of(variable)), config::example_of(variable),
                     cell(variable.note));
}

std::string without_last_line_break(std::string text) {
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

}  // namespace

std::string verbs_page() {
  auto page = fmt::format("# The verbs\n\n{}", kMade);
  page += "The same, verb by verb, is in the manual pages: `man spark-reconcile-plan`.\n\n";
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
      "own counts: `events -f` follows.\n\n";
  page += option_table(cli::common_options());
  page +=
      "`--json` prints one JSON object; its schemas are in "
      "[schema/output/](../../schema/output).\n\n";
  for (const auto* verb : cli::verbs()) page += verb_section(*verb);
  return without_last_line_break(page);
}

std::string messages_page(const std::string& errors) {
  return without_last_line_break(fmt::format(
      "# Messages by id\n\n{}Every message that needs you ends with an id. An id never "
      "changes its meaning. `spark-reconcile explain SR-GATE-016` says on a node what stands here. "
      "[troubleshoot.md](../howto/troubleshoot.md) starts from "
      "what you see instead.\n\n{}{}{}{}{}",
      kMade, other_ids(errors), gate_ids(), git_ids(), alert_ids(), cluster_file_ids()));
}

std::string variables_page() {
  auto page = fmt::format("# Variables of jobs\n\n{}", kMade);
  page +=
      "What [`variables` and `nccl.variables`](cluster-yaml.md#environment) take. "
      "[environment.md](environment.md#what-is-in-it) has those that the environment sets without "
      "being asked, and why.\n\n"
      "Another name of the same libraries stands under `extra`: it is passed on unchecked, and the "
      "file loads with a warning (SR-SPEC-218). A name of this page under `extra`, and another one "
      "under `variables`, is refused (SR-SPEC-142), and so is a value that is not in the second "
      "column (SR-SPEC-143). None of them takes a path. `y` needs quotes in YAML.\n\n"
      "| variable | takes | example | what it sets |\n|---|---|---|---|\n";
  for (const auto& variable : config::job_variables()) page += variable_row(variable);
  page +=
      "\n## Never\n\nIn no map: variables that say where programs, libraries or files lie, that "
      "start a program, or that hold a secret. Set them in the service or container of the job. "
      "Such are `LD_…` and `…PATH` (SR-SPEC-011), and of all names that are not above those that "
      "begin with `OMPI_MCA_mca_` or end with one of these, in capitals or not (SR-SPEC-131): ";
  page += fmt::format("`{}`.\n\n", fmt::join(config::code_endings(), "`, `"));
  page += "These do nothing (SR-SPEC-130):\n\n| variable | instead |\n|---|---|\n";
  for (const auto& [name, advice] : config::dead_variables()) {
    page += fmt::format("| `{}` | {} |\n", name, cell(advice));
  }
  return page;
}

std::map<std::string, std::string> reference_pages(const std::string& errors) {
  return {{"verbs.md", verbs_page()},
          {"messages.md", messages_page(errors)},
          {"variables.md", variables_page()}};
}

}  // namespace spark::test::man
