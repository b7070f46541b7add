#pragma once
// tcp_sockets: the TCP sockets of this network namespace, and which of them a program holds.

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include "base/ip.hpp"
#include "base/result.hpp"

namespace spark::host {

/// Numbers of the kernel's net/tcp_states.h that are told apart here.
enum class TcpState : std::uint8_t { kOther = 0, kEstablished = 1, kListen = 10 };

struct TcpSocket {
  IpAddress local_ip;  ///< an IPv4-mapped address as IPv4
  std::uint16_t local_port = 0;
  IpAddress remote_ip;  ///< the same; unspecified where it listens
  TcpState state = TcpState::kOther;
  std::uint64_t inode = 0;  ///< 0: the socket belongs to no process any more
  bool operator==(const TcpSocket&) const = default;
};

/// From the text of /proc/net/tcp or tcp6 (proc(5)); pure. Errors: kInvalid, naming the line.
Result<std::vector<TcpSocket>> parse_tcp_table(std::string_view text);

/// Both tables of the network namespace that the calling thread is in.
Result<std::vector<TcpSocket>> read_tcp_sockets();

/// Those of `inodes` that a process of that name has open, as far as this process may look.
std::set<std::uint64_t> sockets_of_program(std::string_view program,
                                           const std::set<std::uint64_t>& inodes);

}  // namespace spark::host
