// The verb `facts`: everything that is observed, as JSON; `plan --facts` plans from it elsewhere.

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/init/new_file.hpp"
#include "cli/input/verb.hpp"
#include "cli/json_output.hpp"
#include "cli/plan/plan_context.hpp"
#include "cli/question.hpp"
#include "cli/share/shared_report.hpp"
#include "cli/state_here/node_here.hpp"
#include "cli/text/layout.hpp"
#include "gate/checklist.hpp"

namespace spark::cli {
namespace {

struct FactsArguments {
  bool discover = false;
  bool share = false;
  std::string out;
};

/// The tables that are worth having even where no file asks for them.
void read_tables(host::View& view) {
  static_cast<void>(view.identity());
  static_cast<void>(view.links());
  static_cast<void>(view.addresses());
  static_cast<void>(view.routes());
  static_cast<void>(view.rules());
  static_cast<void>(view.ssh_addresses());
  static_cast<void>(view.hardware());
  if (const auto& ports = view.rdma_ports()) {
    for (const auto& port : *ports) {
      static_cast<void>(view.rdma_gids(port));
      static_cast<void>(view.rdma_cm_mode(port));
    }
  }
  static_cast<void>(view.nvme());
  static_cast<void>(view.mounts());
}

/// What the targets of the file offer; those that this node does not use too, once an address.
void discover(const config::Cluster& cluster, host::View& view) {
  for (const auto& target : cluster.storage) {
    static_cast<void>(view.nvme_offers(target.address.value, target.port.value,
                                       target.via ? target.via->value : ""));
  }
}

std::vector<std::string> names_of(const config::Cluster& cluster) {
  std::vector<std::string> names;
  names.reserve(cluster.nodes.size());
  for (const auto& [name, spec] : cluster.nodes) names.push_back(name);
  return names;
}

/// By the name of the question. What was seen stands in the tables, each of which has its class.
nlohmann::json checklist_answers(const Command& command, host::View& view) {
  auto answers = nlohmann::json::object();
  const auto results = gate::go_through_checklist(view, read_last_gate(command.host));
  for (const auto& result : results) answers[result.item.name] = name_of(result.answer);
  return answers;
}

/// The listing goes to stderr, so that it is seen where the report goes to a file.
ExitCode share(const Command& command, const nlohmann::json& facts,
               const std::vector<std::string>& names) {
  const auto& out = own_options<FactsArguments>(command).out;
  const auto report = make_shared_report(facts, names);
  if (!report) return report_error(command, report.error());
  command.terminal.complain(in_lines(report->listing, command.terminal.error_width()));
  if (can_be_asked(command.arguments) &&
      !ask_on_terminal("Write this report? [y/N] ").value_or(false)) {
    command.terminal.complain("not written\n");
    return ExitCode::kRefused;
  }
  if (out.empty()) {
    command.terminal.print_always(report->text);
    return ExitCode::kDone;
  }
  if (const auto written = write_new_file(out, report->text); !written) {
    return report_error(command, written.error());
  }
  command.terminal.complain(fmt::format("wrote {}\n", out));
  return ExitCode::kDone;
}

ExitCode facts(const Command& command) {
  const auto& own = own_options<FactsArguments>(command);
  auto file = read_cluster_file(command.arguments, command.host.files);
  const bool named = !command.arguments.file.empty();
  if (!file && (named || file.error().code != ErrorCode::kNotFound)) {
    return report_error(command, file.error());
  }
  host::View view(command.host);
  read_tables(view);
  config::Cluster cluster;
  std::string node;
  std::string text;  // of the file
  if (file) {
    // Planning reads all that this file's kinds look at.
    auto context = reported_context(command, std::move(*file), std::move(view));
    if (!context) return context.error();
    view = std::move(context->view);
    text = std::move(context->file.text);
    cluster = std::move(context->file.parsed.cluster);
    node = context->plan.node;
    if (own.discover) {
      discover(cluster, view);
    }
  }
  nlohmann::json checklist;
  if (own.share) checklist = checklist_answers(command, view);
  auto tables = nlohmann::json::parse(view.to_json());
  if (own.share) {
    tables["checklist"] = std::move(checklist);
    if (!text.empty()) tables["cluster_file"] = text;
    return share(command, in_envelope("facts", cluster, node, ExitCode::kDone, tables),
                 names_of(cluster));
  }
  print_json(command.terminal, "facts", cluster, node, ExitCode::kDone, tables);
  return ExitCode::kDone;
}

constexpr auto kFactsOptions = std::to_array<OptionRow>({
    {.names = "--discover",
     .value = &Value::kNone,
     .member = in<&FactsArguments::discover>(),
     .about = "ask the file's NVMe targets what they offer this machine",
     .for_root = true},
    {"--share", &Value::kNone, in<&FactsArguments::share>(),
     "for others to read: names, addresses and serial numbers are replaced, and listed"},
    {"-o,--out", &Value::kFile, in<&FactsArguments::out>(),
     "with --share: write into this new file, not to stdout"},
    {"-y,--yes", &Value::kNone, in<&Arguments::yes>(),
     "with --share: ask nothing; a terminal asks before the report is written"},
});

std::string contradiction_of_facts(const Arguments& arguments, const TypedLine& /*line*/) {
  const auto& own = own_options<FactsArguments>(arguments);
  return !own.share && (!own.out.empty() || arguments.yes)
             ? "-o and --yes of facts go with --share: `spark-reconcile facts --share -o FILE`"
             : "";
}

}  // namespace

extern const VerbSpec kFactsVerb{.name = "facts",
                                 .group = VerbGroup::kJobs,
                                 .about = "print all that is observed here, as JSON",
                                 .options = own_rows<FactsArguments>(kFactsOptions),
                                 .check = contradiction_of_facts,
                                 .run = facts};

}  // namespace spark::cli
