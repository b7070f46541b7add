// Variables for jobs: none that does nothing, and none that lets the file run code.

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.hpp"
#include "config/check/check_sections.hpp"

namespace spark::config {
namespace {

struct DeadVariable {
  std::string_view name;
  std::string_view advice;
};
/// Seen in guides; NCCL 2.28 reads none of them.
constexpr std::array kDeadVariables{
    DeadVariable{
        "NCCL_TIMEOUT",
        "NCCL_IB_TIMEOUT is the one for RDMA; how long a job waits is set in its framework"},
    DeadVariable{"NCCL_NCHANNELS", "use NCCL_MIN_NCHANNELS and NCCL_MAX_NCHANNELS"},
    DeadVariable{"NCCL_MERGE_LEVEL", "the name is NCCL_NET_MERGE_LEVEL"},
};

/// Names by which Open MPI, UCX or vLLM start a program, load a library, or take what they get from
/// the network for code. Open MPI's mca_ parameters say where its plugins lie and which other
/// variables a job gets.
bool runs_code(std::string_view name) {
  constexpr std::string_view kOfOpenMpi = "ompi_mca_mca_";
  constexpr std::array<std::string_view, 12> kEndings{
      "_agent", "_path",    "_dir",  "_root", "_command",       "_launcher",
      "_file",  "_plugins", "_args", "_key",  "_serialization", "_token"};
  if (name.starts_with("NCCL_")) return false;  // judged by name and value above
  const auto lower = ascii_lower(name);
  return lower.starts_with(kOfOpenMpi) ||
         std::ranges::any_of(kEndings, [&](std::string_view end) { return lower.ends_with(end); });
}

/// A network as 192.168.177.0/24 is no path: Open MPI takes it for an interface.
bool is_path(std::string_view value) {
  while (!value.empty()) {
    const auto item = value.substr(0, value.find(','));
    if (item.find('/') != std::string_view::npos && !IpPrefix::parse(item)) return true;
    value.remove_prefix(std::min(item.size() + 1, value.size()));
  }
  return false;
}

bool asks_for_gpu_direct(std::string_view name, std::string_view value) {
  if (value == "0") return false;
  return (name == "NCCL_NET_GDR_LEVEL" && value != "LOC") || name == "NCCL_NET_GDR_READ" ||
         name == "NCCL_DMABUF_ENABLE";
}

void check_variable(const std::string& name, const At<std::string>& variable, Findings& findings) {
  const auto& [value, where] = variable;
  const auto dead = std::ranges::find(kDeadVariables, name, &DeadVariable::name);
  if (dead != kDeadVariables.end()) {
    findings.add(SpecId::kVariableDead, where, fmt::format("{} does nothing", in_quotes(name)),
                 fmt::format("NCCL reads no such variable: {}", dead->advice));
  }
  if (name.ends_with("_PLUGIN") && value.find('/') != std::string::npos) {
    findings.add(SpecId::kVariableRunsCode, where,
                 fmt::format("{} loads a program by its path", in_quotes(name)),
                 "the file must not run code on the nodes: name an installed plugin without a "
                 "path, or 'none'");
  } else if (runs_code(name) || (!name.starts_with("NCCL_") && is_path(value))) {
    findings.add(SpecId::kVariableRunsCode, where,
                 fmt::format("{} names a program, a path or a secret", in_quotes(name)),
                 "the file must not run code on the nodes, and everyone reads it: set the variable "
                 "in the service or container of the job");
  }
  if (asks_for_gpu_direct(name, value)) {
    findings.add(SpecId::kGpuDirect, where,
                 fmt::format("{} asks for GPUDirect RDMA", in_quotes(name)),
                 "GB10 has none: delete the line, or set it to 0");
  }
  if (name == "NCCL_IB_GID_INDEX") {
    findings.add(SpecId::kGidIndex, where, "a fixed GID index",
                 "the index differs between nodes and rails, and moves with addresses: delete the "
                 "line, the GID is found by content; 'gid_index: pinned' gives NCCL the index of "
                 "the day, where all devices have the same");
  }
}

void check_all(const Environment& environment, Findings& findings) {
  for (const auto& [name, variable] : environment.variables) {
    check_variable(name, variable, findings);
  }
}

}  // namespace

void check_variables(const Cluster& cluster, Findings& findings) {
  if (cluster.environment) check_all(*cluster.environment, findings);
  for (const auto& [name, node] : cluster.nodes) {
    if (node.environment) check_all(*node.environment, findings);
  }
}

}  // namespace spark::config
