#include "cli/doctor/versions_check.hpp"

#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "cli/told_here.hpp"
#include "gate/common/peers_report.hpp"

namespace spark::cli {
namespace {

using protocol::NodeDetails;

/// The record of whose machine the state is would be another machine's then.
constexpr std::string_view kNewMachine =
    "`sudo rm -f /etc/machine-id /etc/nvme/hostnqn /etc/nvme/hostid "
    "/var/lib/spark-reconcile/*/machine.json`, `sudo systemd-machine-id-setup`, and reboot it";

struct VersionRow {
  std::string_view words;
  std::string NodeDetails::* value;
};

constexpr std::array kVersionRows{
    VersionRow{"firmware", &NodeDetails::firmware},
    VersionRow{"driver", &NodeDetails::driver},
    VersionRow{"kernel", &NodeDetails::kernel},
    VersionRow{"DGX OS", &NodeDetails::dgx_os},
    VersionRow{"GPU driver", &NodeDetails::gpu_driver},
    VersionRow{"a memory lock limit of", &NodeDetails::memlock},
    VersionRow{"spark-reconcile", &NodeDetails::version},
};

/// "firmware 28.45.1020, this node 28.43.1014". What one of the two does not tell is no difference.
std::vector<std::string> differences_between(const NodeDetails& own, const NodeDetails& peer) {
  std::vector<std::string> texts;
  for (const auto& [words, value] : kVersionRows) {
    const auto& theirs = peer.*value;
    const auto& ours = own.*value;
    if (theirs.empty() || ours.empty() || theirs == ours) continue;
    texts.push_back(fmt::format("{} {}, this node {}", words, printable(theirs), printable(ours)));
  }
  return texts;
}

/// Two other nodes that a target takes for one host. Those that are as this node are named already.
void add_shared_identities(const NodeDetails& own, const std::vector<protocol::ToldDetails>& told,
                           Findings& findings) {
  for (auto one = told.begin(); one != told.end(); ++one) {
    for (auto other = std::next(one); other != told.end(); ++other) {
      const auto& nqn = one->details.host_nqn;
      if (nqn.empty() || nqn != other->details.host_nqn || nqn == own.host_nqn) continue;
      findings.push_back(
          {"versions", Severity::kLook,
           fmt::format("{} and {} have the same NVMe host NQN: a target takes both for one host",
                       printable(one->details.node), printable(other->details.node)),
           "on one of the two: `sudo rm /etc/nvme/hostnqn /etc/nvme/hostid`, then "
           "`spark-reconcile apply`"});
    }
  }
}

}  // namespace

Findings findings_of_versions(const NodeDetails& own,
                              const std::vector<protocol::ToldDetails>& told) {
  Findings findings;
  std::vector<std::string> same;
  std::map<std::string, std::vector<std::string>> others;  // by how they differ
  for (const auto& each : told) {
    const auto& peer = each.details;
    const auto name = printable(peer.node);
    const bool is_machine = !own.machine.empty() && peer.machine == own.machine;
    const bool is_host = !own.host_nqn.empty() && peer.host_nqn == own.host_nqn;
    if (is_machine) {
      findings.push_back({"versions", Severity::kLook,
                          fmt::format("{} has the machine id{} of this node: one of the two disks "
                                      "is a copy",
                                      name, is_host ? " and the NVMe host NQN" : ""),
                          fmt::format("on the copy: {}", kNewMachine)});
    } else if (is_host) {
      findings.push_back(
          {"versions", Severity::kLook,
           fmt::format("{} has the NVMe host NQN of this node: a target takes both for one host",
                       name),
           "on one of the two: `sudo rm /etc/nvme/hostnqn /etc/nvme/hostid`, then "
           "`spark-reconcile apply`"});
    }
    const auto texts = differences_between(own, peer);
    if (texts.empty()) {
      same.push_back(name);
    } else {
      others[fmt::format("{}", fmt::join(texts, "; "))].push_back(name);
    }
  }
  for (const auto& [difference, names] : others) {
    const bool is_one = names.size() == 1;
    findings.push_back(
        {"versions", Severity::kLook,
         fmt::format("{} {} {}", fmt::join(names, ", "), is_one ? "has" : "have", difference),
         fmt::format("bring {} nodes to the same release: `sudo apt full-upgrade` on the older {}, "
                     "and reboot it",
                     is_one ? "both" : "all", is_one ? "one" : "release")});
  }
  add_shared_identities(own, told, findings);
  if (!same.empty()) {
    findings.push_back({"versions", Severity::kGood,
                        fmt::format("as on this node: {}", fmt::join(same, ", ")), ""});
  }
  return findings;
}

Findings check_versions(const Command& command) {
  const auto told = told_here(command.host);
  if (!told) return {};
  auto findings = findings_of_versions(told->own, told->peers);
  // What is wrong with the key, check_key says.
  const auto report = gate::read_peers_report(command.host).value_or(std::nullopt);
  if (told->is_enabled && report && !report->failed.empty()) {
    findings.push_back({"peers", Severity::kPrevents,
                        fmt::format("it hears no other node: {}", printable(report->failed, 200)),
                        "`systemctl restart spark-reconcile-peers`", "daemon"});
  }
  return findings;
}

}  // namespace spark::cli
