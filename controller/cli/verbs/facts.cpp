// The verb `facts`: everything that is observed, as JSON; `plan --facts` plans from it elsewhere.

#include <string>

#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/json_output.hpp"
#include "cli/plan_context.hpp"

namespace spark::cli {
namespace {

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

}  // namespace

ExitCode facts(const Command& command) {
  auto file = read_cluster_file(command.arguments, command.host.files);
  const bool named = !command.arguments.file.empty();
  if (!file && (named || file.error().code != ErrorCode::kNotFound)) {
    return report_error(command, file.error());
  }
  host::View view(command.host);
  read_tables(view);
  config::Cluster cluster;
  std::string node;
  if (file) {
    // Planning reads all that this file's kinds look at.
    auto context = reported_context(command, std::move(*file), std::move(view));
    if (!context) return context.error();
    view = std::move(context->view);
    cluster = std::move(context->file.parsed.cluster);
    node = context->plan.node;
    if (command.arguments.discover) {
      discover(cluster, view);
    }
  }
  print_json(command.terminal, "facts", cluster, node, ExitCode::kDone,
             nlohmann::json::parse(view.to_json()));
  return ExitCode::kDone;
}

}  // namespace spark::cli
