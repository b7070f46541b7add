#include "host/linux/tcp_sockets.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <ranges>
#include <span>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "base/text.hpp"
#include "base/units.hpp"
#include "host/process/file_io.hpp"

namespace spark::host {
namespace {

/// The kernel prints an address as 32-bit words in the order of this machine (tcp4_seq_show).
std::optional<IpAddress> address(std::string_view hex) {
  constexpr std::size_t kDigits = 8;
  std::array<std::uint8_t, 16> bytes{};
  if (hex.size() != kDigits && hex.size() != 4 * kDigits) return std::nullopt;
  for (std::size_t word = 0; word < hex.size() / kDigits; ++word) {
    const auto value = number_in<std::uint32_t>(hex.substr(word * kDigits, kDigits), 16);
    if (!value) return std::nullopt;
    std::memcpy(bytes.data() + word * sizeof(*value), &*value, sizeof(*value));
  }
  const auto ip = IpAddress::from_bytes(std::span(bytes).first(hex.size() / 2));
  return ip ? std::optional(ip->unmapped()) : std::nullopt;
}

/// "sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode …"
std::optional<TcpSocket> parse_line(std::string_view line) {
  enum Field : std::size_t { kLocal = 1, kRemote = 2, kState = 3, kInode = 9 };
  std::vector<std::string_view> fields;
  const auto folded = fold_blanks(line);
  for (const auto field : std::views::split(folded, ' ')) {
    fields.emplace_back(field.begin(), field.end());
  }
  if (fields.size() <= kInode) return std::nullopt;
  const auto colon = std::min(fields[kLocal].find(':'), fields[kLocal].size() - 1);
  const auto ip = address(fields[kLocal].substr(0, colon));
  const auto port = number_in<std::uint16_t>(fields[kLocal].substr(colon + 1), 16);
  const auto remote = address(fields[kRemote].substr(0, fields[kRemote].find(':')));
  const auto state = number_in<std::uint8_t>(fields[kState], 16);
  const auto inode = number_in<std::uint64_t>(fields[kInode]);
  if (!ip || !port || !remote || !state || !inode) return std::nullopt;
  TcpSocket socket{.local_ip = *ip,
                   .local_port = *port,
                   .remote_ip = *remote,
                   .state = TcpState::kOther,
                   .inode = *inode};
  if (const auto known = static_cast<TcpState>(*state);
      known == TcpState::kEstablished || known == TcpState::kListen) {
    socket.state = known;
  }
  return socket;
}

/// The inode of a descriptor that is a socket: its link in /proc/PID/fd reads "socket:[1234]".
std::optional<std::uint64_t> socket_inode(const std::string& descriptor_path) {
  constexpr std::string_view kPrefix = "socket:[";
  const auto target = link_target(descriptor_path);
  const std::string_view text(target);
  if (!text.starts_with(kPrefix) || !text.ends_with(']')) return std::nullopt;
  return number_in<std::uint64_t>(text.substr(kPrefix.size(), text.size() - kPrefix.size() - 1));
}

}  // namespace

Result<std::vector<TcpSocket>> parse_tcp_table(std::string_view text) {
  std::vector<TcpSocket> sockets;
  bool heading = true;
  for (const auto part : std::views::split(text, '\n')) {
    const std::string_view line(part.begin(), part.end());
    if (heading || line.empty()) {
      heading = false;
      continue;
    }
    const auto socket = parse_line(line);
    if (!socket) {
      return fail(ErrorCode::kInvalid, fmt::format("unexpected line of a tcp table: '{}'", line));
    }
    sockets.push_back(*socket);
  }
  return sockets;
}

Result<std::vector<TcpSocket>> read_tcp_sockets() {
  std::vector<TcpSocket> sockets;
  // /proc/net is the main thread's namespace.
  for (const std::string path : {"/proc/thread-self/net/tcp", "/proc/thread-self/net/tcp6"}) {
    const auto text = read_proc(path);
    if (!text && text.error().code == ErrorCode::kNotFound) {
      continue;  // a kernel without IPv6
    }
    const auto table = text ? parse_tcp_table(*text) : std::unexpected(text.error());
    if (!table) return std::unexpected(table.error());
    sockets.insert(sockets.end(), table->begin(), table->end());
  }
  return sockets;
}

std::set<std::uint64_t> sockets_of_program(std::string_view program,
                                           const std::set<std::uint64_t>& inodes) {
  std::set<std::uint64_t> held;
  for (const auto& process : names_in("/proc")) {
    const auto directory = "/proc/" + process;
    if (inodes.empty() || !number_in<int>(process) ||
        read_proc(directory + "/comm").value_or("") != fmt::format("{}\n", program)) {
      continue;
    }
    for (const auto& descriptor : names_in(directory + "/fd")) {
      const auto inode = socket_inode(fmt::format("{}/fd/{}", directory, descriptor));
      if (inode && inodes.contains(*inode)) held.insert(*inode);
    }
  }
  return held;
}

}  // namespace spark::host
