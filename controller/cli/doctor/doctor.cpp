#include "cli/doctor/doctor.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <optional>

#include <fmt/format.h>
#include <unistd.h>

#include "base/moment.hpp"
#include "cli/doctor/ask_checks.hpp"
#include "cli/doctor/checks.hpp"
#include "cli/doctor/cluster_check.hpp"
#include "cli/doctor/daemon_check.hpp"
#include "cli/doctor/hardware_check.hpp"
#include "cli/doctor/peer_check.hpp"
#include "cli/doctor/versions_check.hpp"
#include "cli/state_here/told_here.hpp"
#include "host/file_lock.hpp"
#include "protocol/paths.hpp"

namespace spark::cli {
namespace {

constexpr std::chrono::seconds kTimeOfCheck{5};

/// By section, and in each as people should read them.
constexpr std::array kChecks{
    CheckRow{"lock", Section::kProgram, Lane::kFiles, SeenBy::kRoot, check_lock},
    CheckRow{"journal", Section::kProgram, Lane::kFiles, SeenBy::kRoot, check_journal},
    CheckRow{"ledger", Section::kProgram, Lane::kFiles, SeenBy::kRoot, check_ledger},
    CheckRow{"helpers", Section::kProgram, Lane::kHelpers, SeenBy::kAll, check_helpers},
    CheckRow{"daemon", Section::kProgram, Lane::kFiles, SeenBy::kRoot, check_daemon},
    CheckRow{"muted", Section::kProgram, Lane::kFiles, SeenBy::kAll, check_muted},
    CheckRow{"page", Section::kProgram, Lane::kHelpers, SeenBy::kRoot, check_page},
    CheckRow{"file", Section::kFile, Lane::kFiles, SeenBy::kAll, check_file},
    CheckRow{"last good", Section::kFile, Lane::kFiles, SeenBy::kRoot, check_last_good},
    CheckRow{"plan", Section::kFile, Lane::kKernel, SeenBy::kRoot, check_node},
    CheckRow{"hardware", Section::kCard, Lane::kKernel, SeenBy::kAll, check_hardware},
    CheckRow{"power", Section::kCard, Lane::kFiles, SeenBy::kRoot, check_power},
    CheckRow{"watchdog", Section::kCard, Lane::kFiles, SeenBy::kAll, check_watchdog},
    CheckRow{"rdma", Section::kRdma, Lane::kKernel, SeenBy::kAll, check_rdma},
    CheckRow{"network", Section::kNetwork, Lane::kKernel, SeenBy::kAll, check_network},
    CheckRow{"firewall", Section::kNetwork, Lane::kKernel, SeenBy::kRoot, check_firewall},
    CheckRow{"wifi", Section::kNetwork, Lane::kKernel, SeenBy::kAll, check_wifi},
    CheckRow{"managers", Section::kManagers, Lane::kKernel, SeenBy::kAll, check_setup},
    CheckRow{"fstab", Section::kManagers, Lane::kFiles, SeenBy::kAll, check_fstab},
    CheckRow{"memlock", Section::kJobs, Lane::kKernel, SeenBy::kRoot, check_memlock},
    CheckRow{"leftover", Section::kJobs, Lane::kFiles, SeenBy::kAll, check_environment},
    CheckRow{"tools", Section::kJobs, Lane::kFiles, SeenBy::kAll, check_tools},
    CheckRow{"clock", Section::kCluster, Lane::kFiles, SeenBy::kAll, check_clock},
    CheckRow{"trusted", Section::kCluster, Lane::kKernel, SeenBy::kAll, check_trusted_keys},
    CheckRow{"bench", Section::kCluster, Lane::kFiles, SeenBy::kRoot, check_bench},
    CheckRow{"versions", Section::kCluster, Lane::kFiles, SeenBy::kRoot, check_versions},
};

constexpr std::array<std::string_view, 8> kSectionNames{
    "program", "file", "card", "rdma", "network", "managers", "jobs", "cluster",
};

template <class T>
bool is_forbidden(const Result<T>& looked) {
  return !looked && looked.error().code == ErrorCode::kPermission;
}

/// With a root of their own others may see all of that too.
bool sees_all(const Command& command) {
  return (geteuid() == 0 || command.arguments.root != "/") &&
         !is_forbidden(command.host.files.list(protocol::kStateDirectory)) &&
         !is_forbidden(host::lock_holder(command.arguments.root, protocol::kLockFile));
}

/// Each remedy would be for a fault that is not there.
Finding not_root() {
  return {"rights", Severity::kLook,
          "not run as root: whether an apply is running or was interrupted, what is recorded of "
          "earlier ones, what differs from the file, and whether the daemon runs cannot be seen",
          "run it as root: `sudo spark-reconcile doctor`"};
}

Finding no_answer(const CheckRow& row) {
  return {std::string(row.name), Severity::kLook,
          fmt::format("this was not answered within {} s", kTimeOfCheck.count()),
          "`spark-reconcile doctor` again; `journalctl -k -b` says whether a device hangs"};
}

}  // namespace

Findings& findings_in(Section section, Examination& examination) {
  auto& sections = examination.sections;
  const auto same = std::ranges::find(sections, section, &SectionFindings::section);
  if (same != sections.end()) return same->findings;
  return sections.emplace_back(section, Findings{}).findings;
}

std::string_view name_of(Section section) {
  return kSectionNames.at(static_cast<std::size_t>(section));
}

Examination examine(const Command& command) {
  const auto& node = command.arguments.node;
  const auto told = told_here(command.host);
  if (!node.empty() && told && told->own.node != node) {
    return examine_peer(*told, node, now().boot, known_cluster(command),
                        state::read_known_releases(command.host.files).releases);
  }
  Examination examination;
  std::vector<CheckRow> rows(kChecks.begin(), kChecks.end());
  const bool sees_rest = sees_all(command);
  if (!sees_rest) {
    findings_in(Section::kProgram, examination).push_back(not_root());
    std::erase_if(rows, [](const CheckRow& row) { return row.seen_by == SeenBy::kRoot; });
  }
  auto answers = ask_checks(rows, command, kTimeOfCheck);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    examination.has_hung |= !answers[i];
    auto found = answers[i] ? *std::move(answers[i]) : Findings{no_answer(rows[i])};
    if (found.empty()) continue;
    std::ranges::move(found, std::back_inserter(findings_in(rows[i].section, examination)));
  }
  if (told) examination.wiring.own = told->own.node;
  if (const auto cluster = sees_rest ? known_cluster(command) : std::nullopt) {
    add_problems(*cluster, examination);
    add_nodes(cluster->view, examination);
  }
  return examination;
}

}  // namespace spark::cli
