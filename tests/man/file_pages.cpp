// The pages of cluster.yaml and agent.yaml: every key of the schema, by its path.

#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/explain/schema_keys.hpp"
#include "man/pages.hpp"
#include "man/roff.hpp"

namespace spark::test::man {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kClusterAbout =
    "One file describes a whole cluster: its machines, their cables, and the settings of each "
    "machine. The same file lies on every node as `/etc/spark-reconcile/cluster.yaml`; each node "
    "takes its own part. What the file does not mention is left unchanged.\n"
    "\n"
    "The file must be root's, and nobody else may be able to write it. The daemon follows it as "
    "soon as it is replaced. `spark-reconcile-validate(1)` reports every error of a file at once, "
    "on any machine.";

constexpr std::string_view kAgentAbout =
    "The settings of the daemon on one machine alone: who may connect to it, and where its alerts "
    "go. The file is no part of `cluster.yaml(5)`, which cannot change it. It may be absent; then "
    "everything has its default. The daemon reads it when it starts.\n"
    "\n"
    "Secrets do not belong in this file: `authorization_file` and `token_file` name the files that "
    "have one.";

constexpr std::string_view kYaml =
    "UTF-8 text of at most 256 KiB, 16 levels deep. Anchors, aliases, merge keys, tags, "
    "directives, second documents and duplicate keys are refused. So each value stands once, in "
    "the place where it applies.\n"
    "\n"
    "The type of a value comes from its place, never from its looks. A number is written as "
    "`9000`, not as `\"9000\"` or `0x2328`; yes and no as `true` and `false`. A text that some "
    "reader could take for something else needs quotes; the error shows them. A key without a "
    "value is refused: write `{}` or `[]`, or leave the key out.";

constexpr std::string_view kPaths =
    "A dot leads into a map, `[]` into each item of a list, and a word in capitals stands for a "
    "key "
    "that you choose. Keys without `required` may be left out.";

/// The lines of an example, without those for editors.
std::string for_page(std::string_view example) {
  std::string lines;
  for (const auto line : lines_of(example)) {
    const bool is_for_editors = line.starts_with("# yaml-language-server");
    if (!is_for_editors && (line != "#" || !lines.empty())) lines += std::string(line) + "\n";
  }
  return lines;
}

void add_keys(Page& page, const Json& schema) {
  page.heading("SYNTAX");
  page.prose(kYaml);
  page.heading("KEYS");
  page.prose(kPaths);
  page.subheading("Top level");
  for (const auto& key : cli::keys_of(schema)) {
    if (key.opens_group) page.subheading(fmt::format("`{}`", key.path));
    page.item(fmt::format("`{}`", key.path), text_of(key));
  }
  page.heading("VALUES");
  for (const auto& [word, meaning] : cli::values_of(schema)) page.item(word, meaning);
}

}  // namespace

std::string cluster_file_page(const Sources& sources) {
  Page page("cluster.yaml", 5, "what a cluster of DGX Spark machines should look like");
  page.heading("DESCRIPTION");
  page.prose(kClusterAbout);
  add_keys(page, sources.cluster_schema);
  page.heading("EXAMPLES");
  page.prose("Three machines in a ring:");
  page.verbatim(for_page(sources.cluster_example));
  page.heading("FILES");
  page.item("`/etc/spark-reconcile/cluster.yaml`", "The file that every verb reads without `-f`.");
  page.heading("SEE ALSO");
  page.prose(
      "`spark-reconcile(1)`, `spark-reconcile-validate(1)`, `spark-reconcile-plan(1)`, "
      "`agent.yaml(5)`, `spark-reconcile.service(8)`");
  return page.text();
}

std::string agent_file_page(const Sources& sources) {
  Page page("agent.yaml", 5, "settings of the spark-reconcile daemon on one machine");
  page.heading("DESCRIPTION");
  page.prose(kAgentAbout);
  add_keys(page, sources.agent_schema);
  page.heading("EXAMPLES");
  page.prose("An Alertmanager on this machine:");
  page.verbatim(for_page(sources.agent_example));
  page.heading("FILES");
  page.item("`/etc/spark-reconcile/agent.yaml`", "The file itself.");
  page.item("`/etc/spark-reconcile/hooks.d/`", "Programs that run for each alert.");
  page.item("`/etc/spark-reconcile/ask.d/`",
            "Programs that say whether a change of a new file may disturb a rail now.");
  page.heading("SEE ALSO");
  page.prose("`spark-reconcile-daemon(1)`, `cluster.yaml(5)`, `spark-reconcile.service(8)`");
  return page.text();
}

}  // namespace spark::test::man
