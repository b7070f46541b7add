#include <string>
#include <vector>

#include <fmt/format.h>

#include "all_nodes/statement.hpp"
#include "base/text.hpp"
#include "cli/doctor/checks.hpp"
#include "host/view.hpp"
#include "protocol/paths.hpp"
#include "state/select.hpp"

namespace spark::cli {
namespace {

constexpr const char* kNameOfTrusted = "trusted";

Finding finding_of_keys(const std::vector<std::string>& known,
                        const std::vector<std::string>& missing) {
  if (!missing.empty()) {
    return {kNameOfTrusted, Severity::kLook,
            fmt::format("no key of {} is known, so `apply --all` is refused", listed(missing)),
            "`sudo spark-reconcile join` on each node"};
  }
  return {kNameOfTrusted, Severity::kGood,
          known.size() == 1
              ? fmt::format("the key of {} is known, as `apply --all` needs", known[0])
              : fmt::format("keys of all {} other nodes are known, as `apply --all` needs",
                            known.size()),
          ""};
}

}  // namespace

Findings check_trusted_keys(const Command& command) {
  const auto keys = all_nodes::read_trusted(command.host.files);
  if (!keys) {
    return {
        {kNameOfTrusted, Severity::kLook,
         fmt::format("no key of another node counts: {}", keys.error().what),
         fmt::format("`sudo chown root:root {0} && sudo chmod 644 {0}`, where that is the cause",
                     protocol::kTrustedFile)}};
  }
  const auto file = read_cluster_file(command.arguments, command.host.files);
  if (!file || !file->valid()) return {};  // check_file says so
  const auto& nodes = file->parsed.cluster.nodes;
  host::View view(command.host);
  const auto own = state::own_node(file->parsed.cluster, view);
  if (!own || own->name.empty() || nodes.size() < 2) return {};
  if (keys->empty()) {
    return {{kNameOfTrusted, Severity::kGood,
             "no key of another node is known; `join` on each node gives `apply --all`", ""}};
  }
  std::vector<std::string> known;
  std::vector<std::string> missing;
  for (const auto& [name, node] : nodes) {
    if (name == own->name) continue;
    if (keys->contains(name)) {
      known.push_back(name);
    } else if (!node.away) {
      missing.push_back(name);
    }
  }
  Findings findings;
  if (!known.empty() || !missing.empty()) findings.push_back(finding_of_keys(known, missing));
  for (const auto& [name, key] : *keys) {
    if (nodes.contains(name)) continue;
    findings.push_back(
        {kNameOfTrusted, Severity::kLook,
         fmt::format("the file has no node {}, and its key is trusted here", in_quotes(name)),
         fmt::format("`sudo spark-reconcile join --forget {}`", shell_word(printable(name)))});
  }
  return findings;
}

}  // namespace spark::cli
