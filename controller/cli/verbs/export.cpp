// The verb `export`: the environment for workloads on this node, or the nodes of the file, on
// stdout.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/discover/own_task.hpp"
#include "cli/input/named_nodes.hpp"
#include "cli/input/typed_line.hpp"
#include "cli/json_output.hpp"
#include "cli/plan/plan_context.hpp"
#include "cli/state_here/node_here.hpp"
#include "cli/text/export_text.hpp"
#include "cli/text/layout.hpp"
#include "cli/text/shared_launch_text.hpp"
#include "config/resolve/nodes.hpp"
#include "kinds/environment/nccl_environment.hpp"
#include "kinds/environment/nccl_judge.hpp"
#include "protocol/paths.hpp"
#include "signing/node_key.hpp"

namespace spark::cli {
namespace {

enum class ExportFormat : std::uint8_t {
  kEnv,    ///< NAME=value, for EnvironmentFile= and --env-file
  kShell,  ///< export NAME='value'
  kJson,   ///< as --json
};

/// Of what it is asked for.
enum class Exported : std::uint8_t {
  kEnvironment,
  kMpiHostfile,
  kMpirun,
  kDockerArguments,
  kVllmEnv,           ///< the `.env` of spark-vllm-docker
  kSparkrun,          ///< a recipe's `env`, and the command that names the nodes
  kPrometheusSd,      ///< the nodes, for the service discovery of Prometheus
  kSlurmNodes,        ///< the nodes, for slurm.conf
  kAnsibleInventory,  ///< the nodes, for Ansible
  kSshConfig,         ///< the nodes, for ssh
  kKnownHosts,        ///< their host keys, for ssh
  kNodeKey,           ///< the public half of this node's key, as a line of kTrustedFile
};

// In the order of the enumerators.
constexpr std::array kExportFormats{Word{"env", "NAME=value, for EnvironmentFile= and --env-file"},
                                    Word{"shell", "export NAME='value'"},
                                    Word{"json", "as --json"}};
constexpr std::array kExports{
    Word{"environment", "the variables of jobs (the default)"},
    Word{"mpi-hostfile", "a host file of Open MPI, in the order of the cables"},
    Word{"mpirun", "a line that starts one rank a node, each with its own environment"},
    Word{"docker-args", "what `docker run` needs before the image"},
    Word{"vllm-env", "the .env of spark-vllm-docker, for launch-cluster.sh on this node"},
    Word{"sparkrun", "the nodes for sparkrun, and `env` for a recipe"},
    Word{"prometheus-sd", "all nodes of the file, for file_sd or http_sd of Prometheus"},
    Word{"slurm-nodes", "all nodes of the file, as lines of slurm.conf"},
    Word{"ansible-inventory", "all nodes of the file, as an inventory of Ansible"},
    Word{"ssh-config", "all nodes of the file, as Host blocks for ssh"},
    Word{"known-hosts", "the ssh host keys that nodes with a trusted key reported"},
    Word{"node-key", "this node's key, as a line of /etc/spark-reconcile/trusted elsewhere"}};
constexpr Value kExportFormatValue{"FORMAT", kExportFormats};
constexpr Value kExportedValue{"WHAT", kExports};
constexpr Value kLibraryVersionValue{"VERSION", {}, "a version", "2.28.9"};

struct ExportArguments {
  Exported exported = Exported::kEnvironment;
  ExportFormat format = ExportFormat::kEnv;
  std::string names;         ///< --nodes
  std::string nccl_version;  ///< --nccl
  std::string ucx_version;   ///< --ucx
};

struct Rendered {
  std::vector<kinds::Variable> variables;  ///< none where something keeps them from being rendered
  std::vector<kinds::Skipped> skipped;     ///< that, or what the variables leave open
};

/// For a launcher that gives one environment to all nodes.
bool is_for_all_nodes(Exported exported) {
  return exported == Exported::kVllmEnv || exported == Exported::kSparkrun;
}

Rendered rendered_for(host::View& view, const config::Node& node,
                      const kinds::JobVersions& versions, Exported exported) {
  if (auto why = kinds::why_not_rendered(view, node)) {
    return {.skipped = {std::move(*why)}};
  }
  return {is_for_all_nodes(exported) ? variables_for_all(node, versions)
                                     : kinds::nccl_variables(node, versions),
          kinds::shortfalls_of(view, node, versions)};
}

std::string text_of(const Rendered& rendered, const ExportArguments& own, const config::Node& node,
                    const std::vector<std::string>& nodes) {
  switch (own.exported) {
    case Exported::kVllmEnv:
      return vllm_env_text(node, nodes, rendered.variables);
    case Exported::kSparkrun:
      return sparkrun_text(node, nodes, rendered.variables);
    default:
      return own.format == ExportFormat::kShell ? kinds::export_text(rendered.variables)
                                                : kinds::environment_text(rendered.variables);
  }
}

nlohmann::json json_of(const Rendered& rendered) {
  auto variables = nlohmann::json::array();
  for (const auto& [name, value, reason] : rendered.variables) {
    variables.push_back({{"name", name}, {"value", value}, {"reason", reason}});
  }
  auto skipped = nlohmann::json::array();
  for (const auto& one : rendered.skipped) {
    skipped.push_back({{"why", kinds::name_of(one.why)}, {"id", one.id}, {"reason", one.reason}});
  }
  return {{"variables", std::move(variables)}, {"skipped", std::move(skipped)}};
}

void print_text(const Command& command, const Rendered& rendered, const config::Node& node,
                const std::vector<std::string>& nodes) {
  const bool nothing = rendered.variables.empty();
  for (const auto& skipped : rendered.skipped) {
    if (nothing || !command.arguments.quiet) {
      const auto text =
          fmt::format("{}: {} [{}]\n", nothing ? "spark-reconcile: nothing to export" : "note",
                      skipped.reason, skipped.id);
      command.terminal.complain(in_lines(text, command.terminal.error_width()));
    }
  }
  if (!nothing) {
    command.terminal.print_always(
        text_of(rendered, own_options<ExportArguments>(command), node, nodes));
  }
}

/// All nodes, by the file alone. Empty: another thing is asked for.
std::optional<Result<std::string>> text_of_file(Exported exported, const config::Cluster& cluster) {
  switch (exported) {
    case Exported::kPrometheusSd:
      return prometheus_sd_text(cluster);
    case Exported::kSlurmNodes:
      return slurm_nodes_text(cluster);
    case Exported::kAnsibleInventory:
      return ansible_inventory_text(cluster);
    default:
      return std::nullopt;
  }
}

/// For ssh: from this machine, whether it is a node or not.
ExitCode print_for_ssh(const Command& command, const config::Cluster& cluster) {
  std::vector<config::Peer> peers;
  if (auto view = view_for(command)) {
    if (const auto selection = state::select(cluster, command.arguments.node, *view)) {
      peers = selection->node.peers;
    }
  }
  if (own_options<ExportArguments>(command).exported == Exported::kSshConfig) {
    command.terminal.print_always(ssh_config_text(cluster, peers));
    return ExitCode::kDone;
  }
  const auto here = node_here(command.host);
  if (!here) return report_error(command, here.error());
  const auto text =
      *here ? known_hosts_text(cluster, peers, (*here)->state.host_keys) : std::string();
  if (text.empty()) {
    return report_error(command,
                        {ErrorCode::kNotFound,
                         "nothing to export: no node of the file whose key is trusted here has "
                         "reported its ssh host keys to this node's daemon; `sudo spark-reconcile "
                         "doctor` says whose keys are"},
                        ExitCode::kUnknown);
  }
  command.terminal.print_always(text);
  return ExitCode::kDone;
}

/// The key is made where there is none.
ExitCode print_node_key(const Command& command) {
  host::View view(command.host);
  const auto name = own_node_name(view);
  if (!name) return report_error(command, name.error());
  const auto key = signing::NodeKey::load_or_make(command.host.files);
  if (!key) return report_error(command, key.error());
  command.terminal.print_always(fmt::format("{} ed25519 {}\n", *name, key->public_half()));
  return ExitCode::kDone;
}

bool is_export_for_root(const Arguments& arguments) {
  return own_options<ExportArguments>(arguments).exported == Exported::kNodeKey;
}

/// Empty words: any version.
Result<kinds::JobVersions> versions_of(const ExportArguments& own) {
  kinds::JobVersions versions;
  for (const auto& [name, word, target] : {std::tuple("--nccl", &own.nccl_version, &versions.nccl),
                                           std::tuple("--ucx", &own.ucx_version, &versions.ucx)}) {
    *target = kinds::LibraryVersion::parse(*word);
    if (!*target && !word->empty()) {
      return fail(ErrorCode::kInvalid,
                  fmt::format("{} takes two or three numbers, as 2.28 or 1.18.1, not {}", name,
                              in_quotes(*word)));
    }
  }
  return versions;
}

/// Why the file that jobs read is not there, and what to do; empty: it is, or this machine cannot
/// tell.
std::string why_no_environment(const state::Selection& selection, host::View& view,
                               const std::string& named) {
  if (!named.empty()) {
    return fmt::format(
        "{} is for jobs of all nodes. For some: `spark-reconcile export --nodes {} > job.env`, and "
        "`--env-file job.env` in its place",
        protocol::kNcclEnvironment, named);
  }
  if (!selection.node.environment) {
    return fmt::format(
        "{} is not there, since the file asks for no environment: add `environment: "
        "{{}}` to it, then `sudo spark-reconcile apply`",
        protocol::kNcclEnvironment);
  }
  if (selection.matched != selection.node.name) return {};
  const auto& text = view.file(protocol::kNcclEnvironment);
  return text && !*text ? fmt::format("{} is not there yet: `sudo spark-reconcile apply` writes it",
                                      protocol::kNcclEnvironment)
                        : "";
}

/// What starts jobs.
ExitCode print_launch(const Command& command, const state::Selection& selection, host::View& view,
                      const std::vector<std::string>& nodes) {
  const auto& node = selection.node;
  const auto& own = own_options<ExportArguments>(command);
  const auto exported = own.exported;
  const auto why = why_no_environment(selection, view, own.names);
  if (exported == Exported::kDockerArguments && !why.empty()) {
    // Facts are of a machine that may have the file by now.
    if (command.arguments.facts.empty()) {
      return report_error(command, {ErrorCode::kNotFound, "nothing to export: " + why},
                          ExitCode::kUnknown);
    }
    command.terminal.complain(fitting(fmt::format("note: {}\n", why), command.terminal));
  }
  command.terminal.print_always(exported == Exported::kMpiHostfile ? mpi_hostfile_text(node, nodes)
                                : exported == Exported::kMpirun
                                    ? mpirun_text(node, nodes, own.names, why.empty())
                                    : docker_arguments_text());
  return ExitCode::kDone;
}

Error without_rails(const config::Node& node) {
  return {ErrorCode::kNotFound,
          fmt::format("nothing to export: '{}' is on no cable or switch of the file, and has no "
                      "link with an address and an RDMA device",
                      node.name)};
}

Error differing_nodes(const std::string& difference, Exported exported) {
  return {
      ErrorCode::kUnsupported,
      fmt::format("nothing to export: {} gives one environment to all nodes, and {}; give each "
                  "node its own, as `export docker-args` does",
                  exported == Exported::kVllmEnv ? "launch-cluster.sh" : "sparkrun", difference)};
}

ExitCode export_environment(const Command& command) {
  const auto& own = own_options<ExportArguments>(command);
  if (own.exported == Exported::kNodeKey) return print_node_key(command);
  const auto versions = versions_of(own);
  if (!versions) return report_error(command, versions.error(), ExitCode::kUsage);
  const auto file = read_cluster_file(command.arguments, command.host.files);
  if (!file) return report_error(command, file.error());
  if (const auto code = report_findings(command, *file); code != ExitCode::kDone) {
    return code;
  }
  const auto named = named_nodes(own.names);
  const auto listed = named.empty() ? Result<config::Cluster>(file->parsed.cluster)
                                    : config::for_job(file->parsed.cluster, named);
  if (!listed) return report_error(command, listed.error());
  const auto& cluster = *listed;
  if (const auto text = text_of_file(own.exported, cluster)) {
    if (!*text) return report_error(command, text->error());
    command.terminal.print_always(**text);
    return ExitCode::kDone;
  }
  if (own.exported == Exported::kSshConfig || own.exported == Exported::kKnownHosts) {
    return print_for_ssh(command, cluster);
  }
  auto view = view_for(command);
  if (!view) return report_error(command, view.error());
  auto selection = state::select(file->parsed.cluster, command.arguments.node, *view);
  if (!selection) return report_error(command, selection.error());
  if (!named.empty()) {
    const auto job = cluster_for(named, file->parsed.cluster, selection->node.name);
    if (!job) return report_error(command, job.error());
    selection = state::select(*job, selection->node.name, *view);
    if (!selection) return report_error(command, selection.error());
  }
  auto& node = selection->node;
  if (kinds::nccl_rails(node).empty()) {
    return report_error(command, without_rails(node));
  }
  const auto exported = own.exported;
  const auto nodes = config::nodes_along_cables(cluster.fabric, node.name);
  if (exported != Exported::kEnvironment && !is_for_all_nodes(exported)) {
    return print_launch(command, *selection, *view, nodes);
  }
  if (is_for_all_nodes(exported)) {
    if (const auto difference = difference_between_nodes(cluster, node, nodes)) {
      return report_error(command, differing_nodes(*difference, exported));
    }
  }
  // A file without that section still says enough.
  if (!node.environment) node.environment.emplace();
  const auto rendered = rendered_for(*view, node, *versions, exported);
  const auto code = rendered.variables.empty() ? plan::exit_code_of(rendered.skipped.front().why)
                                               : ExitCode::kDone;
  if (command.arguments.json) {
    print_json(command.terminal, "export", *file, node.name, code, json_of(rendered));
  } else {
    print_text(command, rendered, node, nodes);
    if (exported == Exported::kEnvironment && command.terminal.width() &&
        !command.arguments.quiet && code == ExitCode::kDone) {
      // Beside the variables, which somebody may copy from the screen.
      command.terminal.complain(next_line(
          "Use it",
          "eval \"$(" + command_line_for("export", command.arguments) + " --format shell)\""));
    }
  }
  return code;
}

constexpr auto kExportOptions = std::to_array<OptionRow>({
    {"WHAT", &kExportedValue, in<&ExportArguments::exported>(),
     "environment (default), mpi-hostfile, mpirun, docker-args, vllm-env, sparkrun, "
     "prometheus-sd, slurm-nodes, ansible-inventory, ssh-config, known-hosts or node-key"},
    {"--format", &kExportFormatValue, in<&ExportArguments::format>(),
     "print env (default; EnvironmentFile=, --env-file), shell (export ...) or json"},
    {"--nodes", &Value::kNames, in<&ExportArguments::names>(),
     "for a job of these nodes alone, by the cables and switches between them"},
    {"--facts",
     &Value::kFile,
     in<&Arguments::facts>(),
     "for the machine whose `facts` output this is, not for this one",
     {},
     "facts.json"},
    {"--nccl", &kLibraryVersionValue, in<&ExportArguments::nccl_version>(),
     "for jobs with this NCCL, as 2.28.9 (default: for any)"},
    {"--ucx", &kLibraryVersionValue, in<&ExportArguments::ucx_version>(),
     "for jobs with this UCX, as 1.18 (default: for any)"},
});

constexpr auto kExportMeant = std::to_array<Meaning>({
    {"nccl,env,vars,variables,all",
     "the variables of NCCL are among those of `spark-reconcile export`"},
    {"mpi,hostfile,hosts", "`spark-reconcile export mpi-hostfile`"},
    {"docker", "`spark-reconcile export docker-args`"},
    {"vllm", "`spark-reconcile export vllm-env`"},
    {"slurm", "`spark-reconcile export slurm-nodes`"},
    {"ansible,inventory", "`spark-reconcile export ansible-inventory`"},
    {"prometheus", "`spark-reconcile export prometheus-sd`"},
    {"ssh", "`spark-reconcile export ssh-config`"},
    {"key", "`sudo spark-reconcile export node-key`"},
});

std::string contradiction_of_export(const Arguments& arguments, const TypedLine& line) {
  const bool is_environment =
      own_options<ExportArguments>(arguments).exported == Exported::kEnvironment;
  return !is_environment && (arguments.json || typed_option(line, "--format") != nullptr)
             ? "--json and --format are for the environment: `spark-reconcile export --json`"
             : "";
}

}  // namespace

extern const VerbSpec kExportVerb{
    .name = "export",
    .group = VerbGroup::kJobs,
    .about = "print the environment for NCCL, Gloo, UCX and Open MPI on this node",
    .node = VerbSpec::OfNode::kAny,
    .options = own_rows<ExportArguments>(kExportOptions),
    .meant = kExportMeant,
    .is_for_root = is_export_for_root,
    .check = contradiction_of_export,
    .run = export_environment};

}  // namespace spark::cli
