#pragma once
// System: who this machine is, what this process may do, and who is logged in over the network.

#include <compare>
#include <string>
#include <vector>

#include "base/ip.hpp"
#include "base/result.hpp"

namespace spark::host {

struct Identity {
  std::string hostname;    ///< hostname(5), the lasting one; else gethostname(2)
  std::string machine_id;  ///< /etc/machine-id, 32 hexadecimal digits; empty where there is none
  std::string kernel;      ///< uname(2) release
  bool operator==(const Identity&) const = default;
};

/// One login over the network: a connection between two addresses, IPv4-mapped ones as IPv4.
struct SshSession {
  IpAddress local;
  IpAddress peer;
  auto operator<=>(const SshSession&) const = default;
};

class System {
 public:
  System() = default;
  System(const System&) = delete;
  System& operator=(const System&) = delete;
  virtual ~System() = default;

  virtual Result<Identity> identity() = 0;
  /// CAP_NET_ADMIN in the effective set (capabilities(7)): without it no link can be changed.
  virtual Result<bool> can_change_network() = 0;
  /// Established ssh sessions, sorted, each pair of addresses once: TCP sockets of this network
  /// namespace on a port that a process named sshd listens on (22 where none can be seen), and
  /// SSH_CONNECTION's.
  virtual Result<std::vector<SshSession>> ssh_sessions() = 0;
};

}  // namespace spark::host
