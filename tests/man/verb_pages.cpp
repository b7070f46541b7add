// The page of the program and those of the verbs.

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/input/help_text.hpp"
#include "man/pages.hpp"
#include "man/roff.hpp"

namespace spark::test::man {
namespace {

using cli::OptionRow;

std::string about_option(const OptionRow& option) {
  auto text = sentence(option.about);
  if (option.required) text += " Required.";
  if (option.value == &cli::Value::kDuration) {
    text += " A duration is a whole number and `ms`, `s`, `m` or `h`.";
  }
  return text;
}

/// "`spark-reconcile plan` [`--detailed-exitcode`] [`--out` `FILE`] [`OPTION` ...]".
std::string synopsis(const cli::VerbSpec& verb) {
  std::string line = fmt::format("`spark-reconcile {}`", verb.name);
  for (const auto& option : verb.options.rows) {
    if (option.is_argument()) continue;
    const auto value = option.value->name;
    const auto words = fmt::format("`{}`{}", names_in(option).back(),
                                   value.empty() ? "" : fmt::format(" `{}`", value));
    line += option.required ? " " + words : fmt::format(" [{}]", words);
  }
  line += " [`OPTION` ...]";
  for (const auto& option : verb.options.rows) {
    if (option.is_argument()) line += fmt::format(" [`{}`]", option.names);
  }
  return line;
}

void add_options(Page& page, std::span<const OptionRow> options) {
  for (const auto& option : options) page.item(tag_of(option), about_option(option));
}

void add_references(Page& page, const std::vector<std::string>& pages) {
  page.heading("SEE ALSO");
  std::string line;
  for (const auto& name : pages) {
    line += (line.empty() ? "" : ", ") + reference(name);
  }
  page.prose(line);
}

void add_files(Page& page, const std::vector<cli::UsedFile>& files) {
  page.heading("FILES");
  for (const auto& [path, about] : files) {
    page.item(fmt::format("`{}`", path), sentence(about));
  }
}

void add_exits(Page& page, const cli::VerbManual& manual) {
  page.heading("EXIT STATUS");
  const auto add = [&](ExitCode code, std::string_view meaning) {
    page.item(fmt::format("`{}`", static_cast<int>(code)),
              sentence(meaning.empty() ? cli::meaning_of(code) : meaning));
  };
  for (const auto& [code, meaning] : manual.exits) add(code, meaning);
  add(ExitCode::kUsage, "");
  if (manual.exits.size() > 2) {
    page.prose("If several apply, the most severe is returned.");
  }
}

bool reads_cluster_file(std::string_view verb) {
  constexpr std::array<std::string_view, 5> kOthers{"version", "wait", "events", "pause",
                                                    "confirm"};
  return std::ranges::find(kOthers, verb) == kOthers.end();
}

void add_verbs(Page& page) {
  const cli::VerbSpec* last = nullptr;
  for (const auto* verb : cli::verbs()) {
    if (last == nullptr || verb->group != last->group) {
      page.subheading(title_of(verb->group));
    }
    last = verb;
    const auto alias = verb->alias.empty() ? "" : fmt::format(", `{}`", verb->alias);
    page.item(fmt::format("`{}`{}", verb->name, alias),
              fmt::format("{} See {}.", sentence(verb->about), reference(verb->name)));
  }
  page.item(fmt::format("`{}` [`VERB`]", cli::kHelpVerb), sentence(cli::kHelpAbout));
}

constexpr std::string_view kAbout =
    "One file, `cluster.yaml(5)`, describes a cluster of NVIDIA DGX Spark machines. On each "
    "machine, `spark-reconcile` compares that file with the actual state of the kernel, changes "
    "only what differs, and reads back every change.\n"
    "\n"
    "A converged `apply` touches nothing: when the machine matches the file, it sends the kernel "
    "no change, writes no file but its lock, and causes no event. You can run it while a training "
    "job runs.\n"
    "\n"
    "A Spark has two cages (QSFP ports). Each shows up as two network devices, the rails. The file "
    "says which cable joins which cages; addresses, MTUs and link states of the rails follow from "
    "it.\n"
    "\n"
    "The daemon, see `spark-reconcile.service(8)`, keeps the node so at every boot and after "
    "drift. Every verb works beside the daemon and without it.\n"
    "\n"
    "Each verb has a page of its own: `man spark-reconcile-plan`, or `man spark-reconcile plan`.";

constexpr std::string_view kIds =
    "An error or a refusal ends with an id, such as SR-GUARD-001. Ids never change their meaning. "
    "`spark-reconcile explain SR-GUARD-001` says why it comes and what to do.";

std::vector<cli::UsedFile> files_of_program() {
  return {cli::cluster_file_used(),
          {"/etc/spark-reconcile/agent.yaml", "settings of the daemon; see `agent.yaml(5)`"},
          {"/var/lib/spark-reconcile/",
           "what is remembered across reboots: the ownership ledger (what the program set, and "
           "what was there before), an open journal, the history; root's alone"},
          {"/run/spark-reconcile/", "locks, and what the daemon reports, for all to read"},
          {"/run/spark-reconcile/nccl.env", "the environment of jobs, where the file asks for it"}};
}

}  // namespace

std::string tag_of(const OptionRow& option) {
  if (option.is_argument()) return fmt::format("`{}`", option.names);
  std::string tag;
  for (const auto name : names_in(option)) {
    tag += fmt::format("{}`{}`", tag.empty() ? "" : ", ", name);
  }
  const auto value = option.value->name;
  return value.empty() ? tag : fmt::format("{} `{}`", tag, value);
}

std::string sentence(std::string_view clause) {
  std::string text(clause);
  if (!text.ends_with('.')) text += '.';
  if (is_ascii_lower(text.front())) text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text;
}

std::string reference(std::string_view page) {
  return page.ends_with(')') ? fmt::format("`{}`", page)
                             : fmt::format("`spark-reconcile-{}(1)`", page);
}

std::string verb_page(const cli::VerbSpec& verb) {
  const auto manual = cli::manual_of(verb);
  Page page(fmt::format("spark-reconcile-{}", verb.name), 1, verb.about);
  page.heading("SYNOPSIS");
  page.prose(synopsis(verb));
  page.heading("DESCRIPTION");
  page.prose(manual.text);
  if (!verb.alias.empty()) {
    page.prose(fmt::format("`{}` is another name of this verb.", verb.alias));
  }
  page.heading("OPTIONS");
  add_options(page, verb.options.rows);
  if (!verb.options.rows.empty()) page.subheading("Of every verb");
  add_options(page, cli::common_options(verb));
  add_exits(page, manual);
  page.heading("EXAMPLES");
  for (const auto& [about, commands] : manual.examples) {
    page.prose(about);
    page.verbatim(commands);
  }
  auto files = manual.files;
  if (reads_cluster_file(verb.name)) files.insert(files.begin(), cli::cluster_file_used());
  if (!files.empty()) add_files(page, files);
  auto pages = manual.see_also;
  pages.insert(pages.begin(), "spark-reconcile(1)");
  add_references(page, pages);
  return page.text();
}

std::string program_page() {
  Page page("spark-reconcile", 1, "make DGX Spark machines match one cluster.yaml");
  page.heading("SYNOPSIS");
  page.prose("`spark-reconcile VERB` [`OPTION` ...]\n\n`spark-reconcile help` [`VERB`]");
  page.heading("DESCRIPTION");
  page.prose(kAbout);
  page.heading("VERBS");
  add_verbs(page);
  page.heading("OPTIONS");
  page.prose("Every verb has these. Its own are on its page.");
  add_options(page, cli::common_options());
  page.heading("EXIT STATUS");
  page.prose(
      "The page of a verb says which of these it can have, and what they mean there. If "
      "several apply, the most severe is returned.");
  for (const auto& row : cli::exit_codes()) {
    page.item(fmt::format("`{}`", static_cast<int>(row.code)), sentence(row.meaning));
  }
  page.heading("ENVIRONMENT");
  page.item("`NO_COLOR`", "Set to anything, it means `--color never`, unless `--color` is given.");
  page.item("`SSH_CONNECTION`",
            "The connection of this session, which no change may cut off unless you confirm it.");
  page.item("`SUDO_USER`", "The user whom the history names, where root runs the program.");
  add_files(page, files_of_program());
  page.heading("EXAMPLES");
  page.prose("The first steps on a machine:");
  page.verbatim(
      "spark-reconcile validate -f cluster.yaml     # is the file right?\n"
      "spark-reconcile plan -f cluster.yaml         # what would change here?\n"
      "sudo spark-reconcile apply -f cluster.yaml   # make it so\n"
      "sudo spark-reconcile gate -f cluster.yaml    # is the node ready for RDMA?");
  page.prose("So that it stays, at every boot too:");
  page.verbatim(
      "sudo install -D -m 644 cluster.yaml /etc/spark-reconcile/cluster.yaml\n"
      "sudo systemctl enable --now spark-reconcile");
  page.heading("DIAGNOSTICS");
  page.prose(kIds);
  std::vector<std::string> pages;
  for (const auto* verb : cli::verbs()) pages.emplace_back(verb->name);
  pages.insert(pages.end(), {"cluster.yaml(5)", "agent.yaml(5)", "spark-reconcile.service(8)"});
  add_references(page, pages);
  return page.text();
}

std::map<std::string, std::string> all_pages(const Sources& sources) {
  std::map<std::string, std::string> pages{
      {"spark-reconcile.1", program_page()},
      {"cluster.yaml.5", cluster_file_page(sources)},
      {"agent.yaml.5", agent_file_page(sources)},
      {"spark-reconcile.service.8", service_page(sources)},
  };
  for (const auto* verb : cli::verbs()) {
    pages[fmt::format("spark-reconcile-{}.1", verb->name)] = verb_page(*verb);
  }
  return pages;
}

}  // namespace spark::test::man
