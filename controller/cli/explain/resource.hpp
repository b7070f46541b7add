#pragma once
// A resource of this node: what the file asks for and where, what is there, who set it, and how it
// stands.

#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"
#include "cli/explain/explanation.hpp"
#include "cli/input/cluster_file.hpp"

namespace spark::cli {

struct ResourceExplanation {
  ClusterFile file;
  std::string node;
  Explanation explanation;
  std::string kind;
  std::string key;
  /// "in_sync", "differs", "removed" (its line is gone), "not_managed" (only remembered), or why
  /// the plan skips it: "waiting", "unknown", "not_enforced", "pending".
  std::string state;
  std::optional<std::string> want;
  std::optional<std::string> have;  ///< empty: nothing is there, or it is not known
  config::Where where;              ///< line 0: no line asks for it
};

/// "mtu" of "mtu/enp1s0f0np0"; empty: the word names no kind of resource.
std::string_view kind_in(std::string_view word);

/// The same plan as `plan` makes, from the file and node that the command line names. Reports what
/// is wrong; the error is the exit code.
std::expected<ResourceExplanation, ExitCode> explain_resource(const Command& command,
                                                              std::string_view word);

/// All resources that the file asks of this node: "address/enp1s0f0np0/192.168.177.11". Empty where
/// there is no valid file, or it has no such node. Reports nothing, and never reads stdin.
std::vector<std::string> resource_words(const Arguments& arguments, host::Host& host);

}  // namespace spark::cli
