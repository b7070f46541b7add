#pragma once
// What runs with a smaller limit on locked memory than new processes get, and how to restart it.

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "host/processes.hpp"
#include "host/view.hpp"

namespace spark::kinds {

/// Units that run with less than is wanted.
struct PendingUnits {
  std::set<std::string> services;  ///< "ssh.service"; those of systemd itself too
  std::set<std::string> users;     ///< numbers of users with a session from before
  std::set<std::string> runtimes;  ///< "containerd.service"
  std::size_t containers = 0;
};

/// Services whose own files set the limit are left out: they have what they ask for, and a restart
/// would change nothing.
PendingUnits find_pending(host::View& view, const std::vector<host::ProcessGroup>& groups,
                          std::uint64_t wanted_bytes);

/// Whether users and services are named, which is for a terminal of this node alone.
enum class PendingNames : bool { kLeftOut, kKept };

// Clauses for people, with the command; empty: nothing is pending.

std::string pending_logins(const PendingUnits& pending, PendingNames names);
std::string pending_services(const PendingUnits& pending, PendingNames names);
/// No container has a name there, and what starts them is no job.
std::string pending_containers(const PendingUnits& pending, PendingNames names);

/// The services that start containers: what they may lock, a container may.
inline constexpr const char* kContainerd = "containerd.service";
inline constexpr const char* kDocker = "docker.service";

}  // namespace spark::kinds
