#include "host/linux/linux_system.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <ranges>
#include <set>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/text.hpp"
#include "base/unique_fd.hpp"
#include "host/linux/tcp_sockets.hpp"
#include "host/process/file_io.hpp"

namespace spark::host {
namespace {

constexpr std::uint16_t kSshPort = 22;

/// SSH_CONNECTION: "client port server port", an IPv6 address with its zone.
std::optional<SshSession> session_of(std::string_view ssh_connection) {
  std::vector<std::string_view> words;
  for (const auto word : std::views::split(ssh_connection, ' ')) {
    words.emplace_back(word.begin(), word.end());
  }
  const auto ip_at = [&](std::size_t index) {
    return index < words.size() ? IpAddress::parse(words[index].substr(0, words[index].find('%')))
                                : std::nullopt;
  };
  const auto peer = ip_at(0);
  const auto local = ip_at(2);
  return peer && local ? std::optional(SshSession{.local = *local, .peer = *peer}) : std::nullopt;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// The name in /etc/hostname, as hostname(5) has it; empty: none that counts.
std::string static_name(const std::string& text) {
  for (auto line : lines_of(text)) {
    const auto begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos || line[begin] == '#') continue;
    const auto name = line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
    return name == "localhost" ? std::string() : std::string(name);
  }
  return {};
}

std::set<std::uint16_t> ssh_ports(const std::vector<TcpSocket>& sockets) {
  std::set<std::uint64_t> listening;
  for (const auto& socket : sockets) {
    if (socket.state == TcpState::kListen) listening.insert(socket.inode);
  }
  const auto of_sshd = sockets_of_program("sshd", listening);
  std::set<std::uint16_t> ports;
  for (const auto& socket : sockets) {
    if (of_sshd.contains(socket.inode)) ports.insert(socket.local_port);
  }
  return ports.empty() ? std::set{kSshPort} : ports;
}

}  // namespace

Result<Identity> LinuxSystem::identity() {
  utsname names{};
  if (uname(&names) != 0) return fail_errno(errno, "read the host name");
  const auto machine_id = files_.read("/etc/machine-id");
  if (!machine_id) return std::unexpected(machine_id.error());
  // A name that cannot be read is as good as none: the kernel has one too.
  const auto lasting =
      static_name(files_.read("/etc/hostname").value_or(std::nullopt).value_or(""));
  return Identity{.hostname = lasting.empty() ? names.nodename : lasting,
                  .machine_id = first_line(machine_id->value_or("")),
                  .kernel = names.release};
}

Result<bool> LinuxSystem::can_change_network() {
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

Result<std::vector<SshSession>> LinuxSystem::ssh_sessions() {
  std::set<SshSession> sessions;
  if (const auto own = session_of(ssh_connection_)) sessions.insert(*own);
  const auto sockets = read_tcp_sockets();
  if (!sockets) return std::unexpected(sockets.error());
  const auto is_session = [](const TcpSocket& s) { return s.state == TcpState::kEstablished; };
  // Looking for sshd among all processes is the dear part.
  if (std::ranges::any_of(*sockets, is_session)) {
    const auto ports = ssh_ports(*sockets);
    for (const auto& socket : *sockets) {
      if (is_session(socket) && ports.contains(socket.local_port)) {
        sessions.insert({.local = socket.local_ip, .peer = socket.remote_ip});
      }
    }
  }
  return std::vector<SshSession>(sessions.begin(), sessions.end());
}

namespace {

Result<std::string> read_list(const std::string& release, const char* name) {
  return read_proc(fmt::format("/lib/modules/{}/{}", release, name));
}

}  // namespace

Result<ModuleInfo> LinuxModules::look(const std::string& name) {
  if (access("/sys/module", F_OK) != 0) {
    return fail_errno(errno == ENOENT ? EOPNOTSUPP : errno, "look at '/sys/module'");
  }
  // A module has a state; what is built in has a directory only if it has parameters or a version.
  const auto directory = "/sys/module/" + name;
  if (const auto state = read_proc(directory + "/initstate")) {
    const bool live = *state == "live\n";
    return ModuleInfo{.loaded = live, .built_in = false, .available = true};
  }
  constexpr ModuleInfo kBuiltIn{.loaded = false, .built_in = true, .available = true};
  if (access(directory.c_str(), F_OK) == 0) return kBuiltIn;
  utsname names{};
  if (uname(&names) != 0) return fail_errno(errno, "read the kernel's release");
  const auto built_in = read_list(names.release, "modules.builtin");
  if (built_in && lists_module(*built_in, name)) return kBuiltIn;
  const auto files = read_list(names.release, "modules.dep");
  if (!files) return std::unexpected(files.error());
  return ModuleInfo{.available = lists_module(*files, name)};
}

namespace {

constexpr std::size_t kMostValueBytes = std::size_t{64} * 1024;

Result<UniqueFd> open_key(const std::string& key, int flags, const std::string& what) {
  const auto file = sysctl_file(key);
  if (!file) return std::unexpected(file.error());
  UniqueFd descriptor(::open(("/proc/sys/" + *file).c_str(), flags | O_CLOEXEC));
  if (!descriptor.valid()) return fail_errno(errno, what);
  return descriptor;
}

}  // namespace

Result<SysctlValue> LinuxSysctl::read(const std::string& key) {
  const auto what = fmt::format("read sysctl '{}'", key);
  const auto file = open_key(key, O_RDONLY, what);
  if (!file) return std::unexpected(file.error());
  struct stat status{};
  if (fstat(file->get(), &status) != 0) return fail_errno(errno, what);
  if (!S_ISREG(status.st_mode)) {
    return fail(ErrorCode::kInvalid, what + ": it is a directory of keys");
  }
  const auto text = read_all(file->get(), kMostValueBytes, what);
  if (!text) return std::unexpected(text.error());
  const auto value = std::string_view(*text).substr(0, text->find_last_not_of('\n') + 1);
  return SysctlValue{.text = fold_blanks(value), .writable = (status.st_mode & S_IWUSR) != 0};
}

Result<> LinuxSysctl::write(const std::string& key, const std::string& text) {
  const auto what = fmt::format("set sysctl '{}' to '{}'", key, text);
  const auto file = open_key(key, O_WRONLY, what);
  if (!file) return std::unexpected(file.error());
  // In one write: the kernel takes each as a whole value (proc_sys_write).
  return write_all(file->get(), text + "\n", what);
}

}  // namespace spark::host
