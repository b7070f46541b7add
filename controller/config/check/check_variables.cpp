// Variables for jobs: those of the table with values that their libraries take, others as `extra`,
// none that does nothing, and none that lets the file run code.

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "config/check/check_sections.hpp"
#include "config/yaml/job_variables.hpp"

namespace spark::config {
namespace {

/// A network as 192.168.177.0/24 is no path: Open MPI takes it for an interface.
bool has_path(std::string_view value) {
  return std::ranges::any_of(split(value, ','), [](std::string_view item) {
    return item.contains('/') && !IpPrefix::parse(item);
  });
}

void report_unknown(const std::string& name, const At<std::string>& variable, Findings& findings) {
  std::vector<std::string_view> names;
  if (!findings.is_full()) {
    for (const auto& known : job_variables()) names.push_back(known.name);
  }
  const auto meant = closest(name, names);
  findings.add(
      SpecId::kVariableUnknown, variable.where,
      meant ? fmt::format("unknown variable {}, did you mean '{}'?", in_quotes(name), *meant)
            : fmt::format("unknown variable {}", in_quotes(name)),
      fmt::format("docs/reference/variables.md has all names; another one is passed on unchecked "
                  "where it stands under 'environment' so:\nextra: {{ {}: \"{}\" }}",
                  printable(name), printable(variable.value)));
}

/// A name that the table does not have.
void check_unlisted(const std::string& name, const At<std::string>& variable, bool is_extra,
                    Findings& findings) {
  const auto& [value, where] = variable;
  const auto dead = std::ranges::find(dead_variables(), name, &DeadVariable::name);
  if (dead != dead_variables().end()) {
    findings.add(SpecId::kVariableDead, where, fmt::format("{} does nothing", in_quotes(name)),
                 fmt::format("NCCL reads no such variable: {}", dead->advice));
  } else if (runs_code(name) || has_path(value)) {
    findings.add(SpecId::kVariableRunsCode, where,
                 fmt::format("{} names a program, a path or a secret", in_quotes(name)),
                 "the file must not run code on the nodes, and everyone reads it: set the variable "
                 "in the service or container of the job");
  } else if (is_extra) {
    findings.add(
        SpecId::kVariableExtra, where, fmt::format("{} is passed on unchecked", in_quotes(name)),
        "docs/reference/variables.md does not have it: a library that does not read it, or "
        "not this value, may say nothing");
  } else {
    report_unknown(name, variable, findings);
  }
}

bool asks_for_gpu_direct(std::string_view name, std::string_view value) {
  if (value == "0") return false;
  return (name == "NCCL_NET_GDR_LEVEL" && value != "LOC") || name == "NCCL_NET_GDR_READ" ||
         name == "NCCL_DMABUF_ENABLE";
}

/// NCCL's -1 and UCX's auto leave it open.
bool fixes_gid_index(std::string_view name, std::string_view value) {
  return name.ends_with("_GID_INDEX") && !value.starts_with('-') && value != "auto";
}

void warn_about_value(std::string_view name, const At<std::string>& variable, Findings& findings) {
  const auto& [value, where] = variable;
  if (asks_for_gpu_direct(name, value)) {
    findings.add(SpecId::kGpuDirect, where, fmt::format("'{}' asks for GPUDirect RDMA", name),
                 "GB10 has none: delete the variable, or set it to 0");
  }
  if (fixes_gid_index(name, value)) {
    findings.add(SpecId::kGidIndex, where, "a fixed GID index",
                 fmt::format("the index differs between nodes and rails, and moves with addresses: "
                             "delete the variable, {}",
                             name == "NCCL_IB_GID_INDEX"
                                 ? "the GID is found by content; 'gid_index: pinned' gives NCCL "
                                   "the index of the day, where all devices have the same"
                                 : "or compare it with the index of the day, which "
                                   "`spark-reconcile gate` shows"));
  }
  if (name == "NCCL_IB_DISABLE" && value != "0") {
    findings.add(SpecId::kVariableOffRails, where, "'NCCL_IB_DISABLE' turns RDMA off",
                 "jobs then use TCP, or do not start, since the environment has NCCL_NET=IB: "
                 "delete the variable, or write NCCL_IB_DISABLE: 0");
  }
}

void check_all(const Environment& environment, Findings& findings) {
  for (const auto& [name, variable] : environment.variables) {
    const auto* known = find_job_variable(name);
    const bool is_extra = environment.extra.contains(name);
    if (known == nullptr) {
      check_unlisted(name, variable, is_extra, findings);
    } else if (is_extra) {
      findings.add(
          SpecId::kVariableUnknown, variable.where,
          fmt::format("{} does not belong under 'extra'", in_quotes(name)),
          "docs/reference/variables.md has it: write it under 'variables', where its value "
          "is checked");
    } else {
      warn_about_value(name, variable, findings);
    }
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
