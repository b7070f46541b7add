#include "host/system_kernel.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <set>

#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "host/file_io.hpp"
#include "host/tcp_sockets.hpp"

namespace spark {
namespace {

constexpr std::uint16_t kSshPort = 22;

/// The server's address in SSH_CONNECTION: "client port server port", an IPv6 one with its zone.
std::optional<IpAddress> server_address(std::string_view ssh_connection) {
  for (int skipped = 0; skipped < 2; ++skipped) {
    const auto blank = ssh_connection.find(' ');
    if (blank == std::string_view::npos) {
      return std::nullopt;
    }
    ssh_connection.remove_prefix(blank + 1);
  }
  return IpAddress::parse(ssh_connection.substr(0, ssh_connection.find_first_of(" %")));
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::set<std::uint16_t> ssh_ports(const std::vector<TcpSocket>& sockets) {
  std::set<std::uint64_t> listening;
  for (const auto& socket : sockets) {
    if (socket.state == TcpState::kListen) {
      listening.insert(socket.inode);
    }
  }
  const auto of_sshd = sockets_of_program("sshd", listening);
  std::set<std::uint16_t> ports;
  for (const auto& socket : sockets) {
    if (of_sshd.contains(socket.inode)) {
      ports.insert(socket.local_port);
    }
  }
  return ports.empty() ? std::set{kSshPort} : ports;
}

}  // namespace

Result<Identity> KernelSystem::identity() {
  utsname names{};
  if (uname(&names) != 0) {
    return fail_errno(errno, "read the host name");
  }
  const auto machine_id = files_.read("/etc/machine-id");
  if (!machine_id) return std::unexpected(machine_id.error());
  return Identity{.hostname = names.nodename,
                  .machine_id = first_line(machine_id->value_or("")),
                  .kernel = names.release};
}

Result<bool> KernelSystem::can_change_network() {
  constexpr std::string_view kLine = "\nCapEff:\t";
  const auto status = read_proc("/proc/thread-self/status");
  if (!status) return std::unexpected(status.error());
  const auto line = status->find(kLine);
  std::uint64_t capabilities = 0;
  if (line == std::string::npos ||
      std::from_chars(status->data() + line + kLine.size(), status->data() + status->size(),
                      capabilities, 16)
              .ec != std::errc{}) {
    return fail(ErrorCode::kSystem, "read own capabilities: '/proc/thread-self/status' has none");
  }
  return (capabilities >> CAP_NET_ADMIN & 1U) != 0;
}

Result<std::vector<IpAddress>> KernelSystem::ssh_addresses() {
  std::set<IpAddress> addresses;
  if (const auto own = server_address(ssh_connection_)) {
    addresses.insert(*own);
  }
  const auto sockets = read_tcp_sockets();
  if (!sockets) return std::unexpected(sockets.error());
  const auto is_session = [](const TcpSocket& s) { return s.state == TcpState::kEstablished; };
  // Looking for sshd among all processes is the dear part.
  if (std::ranges::any_of(*sockets, is_session)) {
    const auto ports = ssh_ports(*sockets);
    for (const auto& socket : *sockets) {
      if (is_session(socket) && ports.contains(socket.local_port)) {
        addresses.insert(socket.local_ip);
      }
    }
  }
  return std::vector<IpAddress>(addresses.begin(), addresses.end());
}

}  // namespace spark
