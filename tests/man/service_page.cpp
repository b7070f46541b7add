// The page of the units.

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "man/pages.hpp"
#include "man/roff.hpp"

namespace spark::test::man {
namespace {

/// The value of a line "Description=" of a unit; empty: it has none.
std::string setting(std::string_view unit, std::string_view key) {
  for (const auto line : lines_of(unit)) {
    if (line.starts_with(key) && line.substr(key.size()).starts_with('=')) {
      return std::string(line.substr(key.size() + 1));
    }
  }
  return {};
}

struct UnitText {
  std::string_view name;
  std::string_view about;
};

// In the order in which a boot comes by them.
constexpr UnitText kUnits[] = {
    {"spark-reconcile-rollback.service",
     "Runs `spark-reconcile rollback --overdue` at boot, before any program that sets up a "
     "network, "
     "and only where an apply left its journal. After a power cut it rolls back what nobody "
     "confirmed. Without it, the daemon or the next `apply` does that later."},
    {"spark-reconcile.service",
     "Runs `spark-reconcile-daemon(1)`. It waits for no device: one that is absent is set up when "
     "the kernel reports it. Stopping the service takes nothing down."},
    {"spark-reconcile-peers.service",
     "Tells the other nodes of this one by frames on the rails, asks them what they are, and "
     "proves "
     "RDMA with each, as the user `spark-peers`. It listens on the rails alone, on TCP port 9843, "
     "and "
     "only where `ready.peers` of the file is not `off`. With `ready.key_file` it hears, asks and "
     "answers nodes with the same key alone. The daemon's service starts and stops it."},
    {"spark-reconcile-web.service",
     "Serves what the daemon knows as a page and as metrics, as the user `spark-web`, where "
     "`listen` "
     "of `agent.yaml(5)` says; off loopback to who has the token of `token_file`. The daemon's "
     "service starts and stops it. Where it cannot listen it "
     "tries again every 5 seconds, and `spark-reconcile-doctor(1)` says why."},
    {"spark-ready.target",
     "Reached when the readiness gate is open, see `spark-reconcile-gate(1)`, and stopped when the "
     "gate has been closed for ten seconds. The daemon starts and stops it, so it is not enabled."},
    {"spark-wait-ready.service",
     "What the target waits for: it runs `spark-reconcile wait` with a time limit, so that a peer "
     "or a cable does not hang the boot. It is not enabled either."},
    {"spark-reconcile-fetch.timer",
     "Starts `spark-reconcile-fetch.service` every minute, or as `source.every` of `agent.yaml(5)` "
     "says. The daemon runs it while that file has a section `source`, so it is not enabled."},
    {"spark-reconcile-fetch.service",
     "Fetches the repository, as the user `spark-fetch`, and writes nothing but its own "
     "directory."},
    {"spark-reconcile-judge.path",
     "Starts `spark-reconcile-judge.service` when something new was fetched, or the signers "
     "changed. The daemon runs it beside the timer."},
    {"spark-reconcile-judge.service",
     "Says which commit counts, as the user `spark-judge` and without network, and leaves its file "
     "for the daemon. See `spark-reconcile-follow(1)`."},
};

std::string enabled_by(std::string_view unit) {
  const auto wanted_by = setting(unit, "WantedBy");
  return wanted_by.empty() ? "" : fmt::format(" Once enabled, `{}` starts it.", wanted_by);
}

void add_units(Page& page, const Sources& sources) {
  page.heading("UNITS");
  for (const auto& [name, about] : kUnits) {
    const auto& unit = sources.units.at(std::string(name));
    page.item(fmt::format("`{}`", name),
              fmt::format("{}. {}{}", setting(unit, "Description"), about, enabled_by(unit)));
  }
}

constexpr std::string_view kJobs =
    "A service that runs while the node is ready, is stopped when it is not, and started again:\n"
    "\n"
    "    [Unit]\n"
    "    BindsTo=spark-ready.target\n"
    "    After=spark-ready.target\n"
    "    [Install]\n"
    "    WantedBy=spark-ready.target\n"
    "\n"
    "To start once the node is ready, whenever that is, leave `BindsTo=` out. To be part of the "
    "boot, and to fail where the node does not get ready in time, write `Requires=` and `After=` "
    "instead, and `WantedBy=multi-user.target`.\n"
    "\n"
    "A script asks `spark-reconcile-wait(1)`.";

constexpr std::string_view kJournal =
    "The daemon logs to the journal: the file in force, what it refuses and when that is over, "
    "each correction of drift, its alerts, and the state of the node when that changes. Each line "
    "has its priority, and each "
    "alert an explanation of the message catalog:\n"
    "\n"
    "    journalctl -u spark-reconcile -p warning\n"
    "    journalctl -x -u spark-reconcile\n"
    "\n"
    "`systemctl status spark-reconcile` shows the verdict, and why the file is refused, with its "
    "line. For each other change with its cause, add `-v` to `ExecStart=` in a drop-in.";

constexpr std::string_view kLimits =
    "The services of the daemon and of the rollback run as root without CAP_SYS_ADMIN, "
    "CAP_SYS_MODULE and CAP_IPC_LOCK, and with few "
    "system calls, devices and address families: see `systemd-analyze security spark-reconcile`. "
    "systemd loads modules and mounts volumes for the daemon.";

std::string about_service(std::string_view unit) {
  return fmt::format(
      "`spark-reconcile.service` keeps one node as `cluster.yaml(5)` says, from boot to shutdown. "
      "The service counts as started after its first pass over the network (within `{}` seconds), "
      "not when the node is ready: the readiness gate may never open. A daemon that hangs is ended "
      "after `{}` seconds, and one that fails is started again.",
      setting(unit, "TimeoutStartSec"), setting(unit, "WatchdogSec"));
}

std::string about_reload(std::string_view unit) {
  return fmt::format(
      "The daemon follows `/etc/spark-reconcile/cluster.yaml` by itself: once nobody has the file "
      "open for writing and it has not changed for two seconds, the daemon checks it and applies "
      "it as one transaction. `systemctl reload spark-reconcile` (`ExecReload={}`) has it look at "
      "the file now. A file that is refused changes nothing; the last good one stays in force.",
      setting(unit, "ExecReload"));
}

}  // namespace

std::string service_page(const Sources& sources) {
  const auto& daemon = sources.units.at("spark-reconcile.service");
  Page page("spark-reconcile.service", 8, "keep a DGX Spark as cluster.yaml says");
  page.heading("SYNOPSIS");
  std::string names;
  for (const auto& unit : kUnits) names += fmt::format("`{}`\n\n", unit.name);
  page.prose(names);
  page.heading("DESCRIPTION");
  page.prose(about_service(daemon));
  add_units(page, sources);
  page.heading("ENABLING");
  page.prose(
      "Put the file in place, look at the plan, then enable the daemon, and the rollback after a "
      "power cut:");
  page.verbatim(
      "sudo install -D -m 644 cluster.yaml /etc/spark-reconcile/cluster.yaml\n"
      "spark-reconcile plan\n"
      "sudo systemctl enable --now spark-reconcile\n"
      "sudo systemctl enable spark-reconcile-rollback");
  page.prose(
      "To stop the daemon from correcting drift for a while, rather than to stop the "
      "service, use `spark-reconcile-pause(1)`.");
  page.heading("RELOADING");
  page.prose(about_reload(daemon));
  page.heading("JOBS THAT NEED THE FABRIC");
  page.prose(kJobs);
  page.heading("JOURNAL");
  page.prose(kJournal);
  page.heading("SECURITY");
  page.prose(kLimits);
  page.heading("FILES");
  page.item("`/etc/spark-reconcile/cluster.yaml`", "The file that the daemon follows.");
  page.item("`/etc/spark-reconcile/agent.yaml`", "Where it listens, and who gets its alerts.");
  page.item("`/etc/spark-reconcile/page.token`",
            "The token of the page, where `token_file` of `agent.yaml(5)` names it.");
  page.item("`/run/spark-reconcile/status.json`", "What it reports, after each pass.");
  page.item("`/run/spark-reconcile/published.json`", "The file in force, for other programs.");
  page.item("`/var/lib/spark-reconcile/in_force.json`", "Which file is in force, and its text.");
  page.heading("SEE ALSO");
  page.prose(
      "`spark-reconcile(1)`, `spark-reconcile-daemon(1)`, `spark-reconcile-wait(1)`, "
      "`spark-reconcile-events(1)`, `cluster.yaml(5)`, `agent.yaml(5)`, `systemctl(1)`, "
      "`journalctl(1)`, `systemd.unit(5)`");
  return page.text();
}

}  // namespace spark::test::man
