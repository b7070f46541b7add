#include "cli/doctor/versions_check.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "cli/state_here/told_here.hpp"
#include "diagnosis/kinds.hpp"
#include "gate/common/peers_report.hpp"
#include "state/known_releases.hpp"

namespace spark::cli {
namespace {

using protocol::NodeDetails;

/// The record of whose machine the state is would be another machine's then.
constexpr std::string_view kNewMachine =
    "`sudo rm -f /etc/machine-id /etc/nvme/hostnqn /etc/nvme/hostid "
    "/var/lib/spark-reconcile/*/machine.json`, `sudo systemd-machine-id-setup`, and reboot it";

/// What makes two nodes the same again.
enum class Alignment : std::uint8_t {
  kKernel,   ///< one release is known to be good or bad, or neither is
  kSystem,   ///< a release of DGX OS brings it
  kLimits,   ///< the file says it
  kProgram,  ///< our package brings it
};

struct VersionRow {
  std::string_view words;
  std::string NodeDetails::* value;
  Alignment alignment;
};

constexpr std::array kVersionRows{
    VersionRow{"firmware", &NodeDetails::firmware, Alignment::kSystem},
    VersionRow{"driver", &NodeDetails::driver, Alignment::kSystem},
    VersionRow{"kernel", &NodeDetails::kernel, Alignment::kKernel},
    VersionRow{"DGX OS", &NodeDetails::dgx_os, Alignment::kSystem},
    VersionRow{"GPU driver", &NodeDetails::gpu_driver, Alignment::kSystem},
    VersionRow{"a memory lock limit of", &NodeDetails::memlock, Alignment::kLimits},
    VersionRow{"spark-reconcile", &NodeDetails::version, Alignment::kProgram},
};

struct Difference {
  std::vector<std::string> texts;  ///< "firmware 28.45.1020, this node 28.43.1014"
  std::set<Alignment> alignments;
};

/// What one of the two does not tell is no difference.
Difference difference_between(const NodeDetails& own, const NodeDetails& peer) {
  Difference difference;
  for (const auto& [words, value, alignment] : kVersionRows) {
    const auto& theirs = peer.*value;
    const auto& ours = own.*value;
    if (theirs.empty() || ours.empty() || theirs == ours) continue;
    difference.texts.push_back(
        fmt::format("{} {}, this node {}", words, printable(theirs), printable(ours)));
    difference.alignments.insert(alignment);
  }
  return difference;
}

/// Why this release is not the one to have; empty: nothing is known against it.
std::string fault_of_kernel(const std::string& release, const host::KernelReleases& releases) {
  const auto* const known = releases.known(release);
  if (known == nullptr || known->fault.empty()) return {};
  const auto unless =
      known->cure.empty() ? "" : fmt::format(", unless `{}` is on its command line", known->cure);
  return fmt::format("{} {}{} ({})", printable(release), known->fault, unless,
                     host::origin_text(*known));
}

/// Which of two releases is newer does not say which is right.
std::string remedy_of_kernels(const std::string& ours, const std::string& theirs,
                              const host::KernelReleases& releases, const std::string& names,
                              bool are_two) {
  const auto* const nodes = are_two ? "both" : "all";
  const auto own_fault = fault_of_kernel(ours, releases);
  const auto their_fault = fault_of_kernel(theirs, releases);
  const auto good = [&](const std::string& release) -> const host::KernelRelease* {
    const auto* const known = releases.known(release);
    return known != nullptr && known->fault.empty() ? known : nullptr;
  };
  if (!own_fault.empty() && !their_fault.empty()) {
    return fmt::format("{} on {} nodes: {}; {}", releases.boot_a_good_one(), nodes, own_fault,
                       their_fault);
  }
  // Nobody is sent to a kernel of which nothing is known.
  const auto boot = [&](const std::string& other) {
    return good(other) != nullptr ? fmt::format("boot {}", printable(other))
                                  : releases.boot_a_good_one();
  };
  if (!own_fault.empty()) {
    return fmt::format("{} on this node: {}", boot(theirs), own_fault);
  }
  if (!their_fault.empty()) {
    return fmt::format("{} on {}: {}", boot(ours), names, their_fault);
  }
  const auto* const our_good = good(ours);
  const auto* const their_good = good(theirs);
  if ((our_good == nullptr) != (their_good == nullptr)) {
    return fmt::format("boot {} on {}: it is known to be good ({})",
                       printable(our_good != nullptr ? ours : theirs),
                       our_good != nullptr ? names : "this node",
                       host::origin_text(our_good != nullptr ? *our_good : *their_good));
  }
  return fmt::format(
      "boot the same kernel on {} nodes, one that your jobs are known to run with: an upgrade may "
      "bring one that is known to be bad",
      nodes);
}

/// `peer`: one of those that differ alike, `names`.
std::string remedy_of(Alignment alignment, const NodeDetails& own, const NodeDetails& peer,
                      const host::KernelReleases& releases, const std::string& names,
                      bool are_two) {
  const auto* const nodes = are_two ? "both" : "all";
  const auto* const older = are_two ? "the older one" : "each older one";
  switch (alignment) {
    case Alignment::kKernel:
      return remedy_of_kernels(own.kernel, peer.kernel, releases, names, are_two);
    case Alignment::kSystem:
      return fmt::format(
          "bring {} nodes to the same release of it, the one that your jobs are known to run with",
          nodes);
    case Alignment::kLimits:
      return fmt::format(
          "make the limit the same: `memlock: unlimited` below `host:` in the file, then `sudo "
          "spark-reconcile apply` on {}",
          nodes);
    case Alignment::kProgram:
      return fmt::format(
          "install the same package on {}: `sudo apt install ./spark-reconcile_VERSION_arm64.deb` "
          "on {}; jobs may go on",
          nodes, older);
  }
  return {};
}

// --- copies of one disk

constexpr const char* kMachineFinding = "machine";

/// Which of the two disks is the copy, nobody knows. `status` names the second node too.
std::string remedy_of_copy(const NodeDetails& one, const NodeDetails& other, bool is_machine) {
  const auto named = printable(std::max(one.node, other.node));
  if (is_machine) {
    return fmt::format("on the machine that has the copy, for instance {}: {}", named, kNewMachine);
  }
  return fmt::format(
      "on one of the two, for instance {}: `sudo rm /etc/nvme/hostnqn /etc/nvme/hostid`, then "
      "`sudo spark-reconcile apply`",
      named);
}

/// On every node the second by name is called the copy.
Finding copy_finding(std::string what, const NodeDetails& one, const NodeDetails& other,
                     bool is_machine) {
  auto problem = problem_named(diagnosis::kCopy);
  problem.node = std::max(one.node, other.node);
  return {kMachineFinding,
          Severity::kLook,
          std::move(what),
          remedy_of_copy(one, other, is_machine),
          {std::move(problem)}};
}

struct SharedIdentity {
  bool is_machine = false;
  bool is_host = false;
};

SharedIdentity shared_identity(const NodeDetails& one, const NodeDetails& other) {
  return {.is_machine = !one.machine.empty() && one.machine == other.machine,
          .is_host = !one.host_nqn.empty() && one.host_nqn == other.host_nqn};
}

/// Empty: it is no copy of this node.
std::optional<Finding> finding_of_own_copy(const NodeDetails& own, const NodeDetails& peer) {
  const auto [is_machine, is_host] = shared_identity(own, peer);
  if (!is_machine && !is_host) return std::nullopt;
  const auto name = printable(peer.node);
  auto what =
      is_machine
          ? fmt::format("{} has the machine id{} of this node: one of the two disks is a copy",
                        name, is_host ? " and the NVMe host NQN" : "")
          : fmt::format("{} has the NVMe host NQN of this node: a target takes both for one host",
                        name);
  return copy_finding(std::move(what), own, peer, is_machine);
}

/// Empty: neither is a copy of the other, or both are copies of this node, which is said already.
std::optional<Finding> finding_of_copy(const NodeDetails& own, const NodeDetails& one,
                                       const NodeDetails& other) {
  auto [is_machine, is_host] = shared_identity(one, other);
  is_machine = is_machine && one.machine != own.machine;
  is_host = is_host && one.host_nqn != own.host_nqn;
  if (!is_machine && !is_host) return std::nullopt;
  const auto names = fmt::format("{} and {}", printable(one.node), printable(other.node));
  auto what =
      is_machine
          ? fmt::format("{} have the same machine id{}: one of the two disks is a copy", names,
                        is_host ? " and the same NVMe host NQN" : "")
          : fmt::format("{} have the same NVMe host NQN: a target takes both for one host", names);
  return copy_finding(std::move(what), one, other, is_machine);
}

/// `only`: those of that node; empty: all.
Findings findings_of_copies(const NodeDetails& own, const std::vector<protocol::ToldDetails>& told,
                            std::string_view only) {
  const auto is_asked = [&](const NodeDetails& node) { return only.empty() || node.node == only; };
  Findings findings;
  for (const auto& each : told) {
    if (!is_asked(each.details)) continue;
    if (auto finding = finding_of_own_copy(own, each.details)) {
      findings.push_back(*std::move(finding));
    }
  }
  for (auto one = told.begin(); one != told.end(); ++one) {
    for (auto other = std::next(one); other != told.end(); ++other) {
      if (!is_asked(one->details) && !is_asked(other->details)) continue;
      if (auto finding = finding_of_copy(own, one->details, other->details)) {
        findings.push_back(*std::move(finding));
      }
    }
  }
  return findings;
}

Findings findings_of_differences(const NodeDetails& own,
                                 const std::vector<protocol::ToldDetails>& told,
                                 std::string_view only, const host::KernelReleases& releases) {
  Findings findings;
  std::vector<std::string> same;
  struct Others {
    std::vector<std::string> names;
    std::set<Alignment> alignments;
    const NodeDetails* one = nullptr;
  };
  std::map<std::string, Others> all_others;  // by how they differ
  for (const auto& each : told) {
    const auto& peer = each.details;
    if (!only.empty() && peer.node != only) continue;
    const auto name = printable(peer.node);
    const auto difference = difference_between(own, peer);
    if (difference.texts.empty()) {
      same.push_back(name);
    } else {
      auto& others = all_others[fmt::format("{}", fmt::join(difference.texts, "; "))];
      others.names.push_back(name);
      others.alignments = difference.alignments;
      others.one = &peer;
    }
  }
  for (const auto& [difference, others] : all_others) {
    const bool is_one = others.names.size() == 1;
    const auto names = fmt::format("{}", fmt::join(others.names, ", "));
    std::vector<std::string> remedies;
    std::ranges::transform(others.alignments, std::back_inserter(remedies), [&](Alignment each) {
      return remedy_of(each, own, *others.one, releases, names, is_one);
    });
    findings.push_back({"versions", Severity::kLook,
                        fmt::format("{} {} {}", names, is_one ? "has" : "have", difference),
                        fmt::format("{}", fmt::join(remedies, "; "))});
  }
  if (!same.empty()) {
    findings.push_back({"versions", Severity::kGood,
                        fmt::format("as on this node: {}", fmt::join(same, ", ")), ""});
  }
  return findings;
}

/// What runs on a node that is silent may be another version since; its disk is the same.
std::vector<protocol::ToldDetails> told_by_heard(const cluster::Told& told) {
  std::vector<protocol::ToldDetails> heard;
  std::ranges::copy_if(told.peers, std::back_inserter(heard), [&](const auto& peer) {
    return cluster::latest_report(peer.details.node, told).is_heard;
  });
  return heard;
}

}  // namespace

Findings findings_of_versions(const NodeDetails& own,
                              const std::vector<protocol::ToldDetails>& told, std::string_view only,
                              const host::KernelReleases& releases) {
  auto findings = findings_of_copies(own, told, only);
  std::ranges::move(findings_of_differences(own, told, only, releases),
                    std::back_inserter(findings));
  return findings;
}

Findings check_versions(const Command& command) {
  const auto told = told_here(command.host);
  if (!told) return {};
  const auto known = state::read_known_releases(command.host.files);
  auto findings = findings_of_copies(told->own, told->peers, {});
  std::ranges::move(findings_of_differences(told->own, told_by_heard(*told), {}, known.releases),
                    std::back_inserter(findings));
  // What is wrong with the key, check_key says.
  const auto report = gate::read_peers_report(command.host).value_or(std::nullopt);
  if (told->is_enabled && report && !report->failed.empty()) {
    findings.push_back({"peers",
                        Severity::kPrevents,
                        fmt::format("it hears no other node: {}", printable(report->failed, 200)),
                        "`systemctl restart spark-reconcile-peers`",
                        {problem_named(diagnosis::kHearsNobody)}});
  }
  return findings;
}

}  // namespace spark::cli
