// The verb `init`: writes a first cluster file.

#include <utility>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/lines.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/discover/founder.hpp"
#include "cli/init/file_parts.hpp"
#include "cli/init/from_host.hpp"
#include "cli/init/new_file.hpp"
#include "cli/init/node_names.hpp"
#include "cli/init/rails_here.hpp"
#include "cli/init/topology.hpp"
#include "cli/json_output.hpp"
#include "config/parse/parse.hpp"
#include "host/view.hpp"
#include "plan/free_subnet.hpp"

namespace spark::cli {
namespace {

/// Where nothing of it can be read, the file is written all the same.
MachineHere look_at_machine(host::View& view) {
  const auto rails = rails_here(view).value_or(std::vector<RailHere>{});
  return {.lan = link_to_lan(view),
          .carriers = cages_with_carrier(view, rails),
          .lan_cages = cages_of_lan(view, rails),
          .in_use = subnets_in_use(view, rails),
          .taken = plan::subnets_in_use(view)};
}

/// The text, and what to say beside it.
struct FirstFile {
  std::string text;
  std::string note;
};

std::string own_host_name(host::View& view) {
  const auto& identity = view.identity();
  return identity ? identity->hostname : std::string();
}

Result<FirstFile> file_of_topology(const Arguments& arguments, const NodeNames& nodes,
                                   host::View& view) {
  const auto topology = arguments.pair   ? Topology::kPair
                        : arguments.ring ? Topology::kRing
                                         : Topology::kSwitch;
  const auto hostname = own_host_name(view);
  auto text = topology_text(topology, nodes, look_at_machine(view));
  if (!text) return std::unexpected(text.error());
  FirstFile file{.text = *std::move(text), .note = {}};
  if (nodes.own) file.note = note_of_other_addresses(view, config::parse(file.text).cluster.fabric);
  if (!nodes.own && !hostname.empty()) {
    file.note = fmt::format(
        "! {} is this machine's name, and none of the nodes: nothing of its links is in the file\n",
        in_quotes(hostname));
  }
  return file;
}

Result<FirstFile> file_of_host(host::View& view, host::Files& files) {
  auto text = host_text(view, files);
  if (!text) return std::unexpected(text.error());
  return FirstFile{.text = *std::move(text), .note = {}};
}

/// The next command. Where the text went to stdout, the file has no name yet.
std::string next_step(const Arguments& arguments) {
  const auto plan = command_line_for(
      "plan",
      {.file = arguments.out.empty() ? "cluster.yaml" : arguments.out, .root = arguments.root});
  return arguments.out.empty()
             ? fmt::format("next: save this as cluster.yaml, edit it, and run\n  {}\n", plan)
             : fmt::format("wrote {}; next: edit it, and run\n  {}\n", arguments.out, plan);
}

}  // namespace

ExitCode init(const Command& command) {
  const auto& arguments = command.arguments;
  if (arguments.discover) return init_by_discovery(command);
  host::View view(command.host);
  const auto count =
      arguments.pair ? 2 : arguments.ring.value_or(arguments.switch_nodes.value_or(2));
  const auto nodes = node_names(arguments.names, count, own_host_name(view));
  if (!nodes) return report_error(command, nodes.error(), ExitCode::kUsage);
  const auto file = arguments.from_host ? file_of_host(view, command.host.files)
                                        : file_of_topology(arguments, *nodes, view);
  if (!file) return report_error(command, file.error());
  const auto& text = file->text;
  const auto parsed = parse_own_text(text);
  if (!parsed) return report_error(command, parsed.error());
  if (!arguments.out.empty()) {
    if (const auto written = write_new_file(arguments.out, text); !written) {
      return report_error(command, written.error());
    }
  }
  if (arguments.json) {
    const auto out =
        arguments.out.empty() ? nlohmann::json(nullptr) : nlohmann::json(arguments.out);
    nlohmann::json body{{"text", text}, {"out", out}};
    if (!arguments.out.empty()) add_artifact(body, arguments.out, kYamlType, text);
    print_json(command.terminal, "init", parsed->cluster, "", ExitCode::kDone, body);
    return ExitCode::kDone;
  }
  if (arguments.out.empty()) command.terminal.print_always(text);
  if (!arguments.quiet) {
    command.terminal.complain(in_lines(file->note, command.terminal.error_width()) +
                              next_step(arguments));
  }
  return ExitCode::kDone;
}

}  // namespace spark::cli
