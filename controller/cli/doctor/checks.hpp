#pragma once
// The checks of `doctor` that say nothing but their findings, in the order of the screen.

#include <string_view>

#include "cli/doctor/finding.hpp"

namespace spark::cli {

/// Whether somebody changes this machine now. Looked at and not taken: an apply beside a doctor
/// would end "busy".
Findings check_lock(const Command& command);

/// Whether an apply was interrupted, or waits for its confirmation.
Findings check_journal(const Command& command);

/// Whether all that is remembered can be read.
Findings check_ledger(const Command& command);

/// Whether the helper programs start.
Findings check_helpers(const Command& command);

/// Whether the daemon runs, and what it says of itself.
Findings check_daemon(const Command& command);

/// Of which alerts the daemon tells nobody. Empty where nothing is muted, and where no daemon has
/// reported in this boot.
Findings check_muted(const Command& command);

/// Whether anybody serves the page and the metrics while the daemon runs. Nothing where no daemon
/// runs, which check_daemon says.
Findings check_page(const Command& command);

/// Whether the cluster file, and the last good one, can be used.
Findings check_file(const Command& command);
Findings check_last_good(const Command& command);

/// What this machine's plan shows: what differs from the file, is skipped, or lacks its cable.
/// Empty where the cluster file is not valid: nothing is known of the node then.
Findings check_node(const Command& command);

/// Nothing where the kernel has not said that the slot gives the card too little power.
Findings check_power(const Command& command);

/// Nothing on a machine without an SBSA watchdog, where that has its driver, and where another
/// watchdog is in use.
Findings check_watchdog(const Command& command);

/// Nothing where all tools are installed. None of them is needed by this program.
Findings check_tools(const Command& command);

/// Whether the clock of this machine is synchronised.
Findings check_clock(const Command& command);

/// A record of the kernel's log says that the slot gives the card too little power.
bool is_power_line(std::string_view record);

/// Whether the rails of this machine have RDMA devices that jobs may open. Whether bytes get to a
/// peer is for the gate and for `bench`.
Findings check_rdma(const Command& command);

/// What keeps the traffic of a rail from being the rail's alone: a default route, a subnet that
/// another link has, a bridge or bond, router advertisements. Nothing where no rail is here.
Findings check_network(const Command& command);

/// Whether a chain of nftables drops TCP between nodes by its policy. Nothing where no rail is
/// here. Rules are not looked at: one of them may accept what is needed.
Findings check_firewall(const Command& command);

/// Power save of a Wi-Fi link over which this machine may be managed. Nothing where no Wi-Fi link
/// has a default route, where its power save is off, and where its driver does not say.
Findings check_wifi(const Command& command);

/// What else sets up rails of this machine: units and scripts of guides, netplan files and
/// NetworkManager profiles. By the same look as `init --from-host`. Files that claim a rail that
/// the cluster file names are the plan's.
Findings check_setup(const Command& command);

/// Mounts for which a boot waits.
Findings check_fstab(const Command& command);

/// How much memory a new login, service or container may lock, against what the file asks. Nothing
/// where systemd does not run. What differs from the file is the plan's.
Findings check_memlock(const Command& command);

/// Variables for NCCL, UCX, Gloo and Open MPI that somebody set for all logins or all of NCCL: an
/// index of a GID, and what contradicts the environment that is rendered. Empty: nobody set any.
Findings check_environment(const Command& command);

/// Whose public keys are here, against the nodes of the file: what `apply --all` needs. Nothing
/// where this machine is the only node.
Findings check_trusted_keys(const Command& command);

/// Whether the last measurement of `bench` was far below what the same rails carried. One finding
/// for each such peer that the file still names. It measures nothing.
Findings check_bench(const Command& command);

}  // namespace spark::cli
