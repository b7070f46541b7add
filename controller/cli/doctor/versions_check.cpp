#include "cli/doctor/versions_check.hpp"

#include <array>
#include <iterator>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "cli/told_here.hpp"

namespace spark::cli {
namespace {

using protocol::NodeDetails;

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
  for (const auto& each : told) {
    const auto& peer = each.details;
    const auto name = printable(peer.node);
    if (!own.host_nqn.empty() && peer.host_nqn == own.host_nqn) {
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
      findings.push_back({"versions", Severity::kLook,
                          fmt::format("{} has {}", name, fmt::join(texts, "; ")),
                          "bring both nodes to the same release: `sudo apt full-upgrade` on the "
                          "older one, and reboot it"});
    }
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
  return told ? findings_of_versions(told->own, told->peers) : Findings{};
}

}  // namespace spark::cli
