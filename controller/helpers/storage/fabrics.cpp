#include "helpers/storage/fabrics.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <string_view>
#include <system_error>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/handle.hpp"
#include "base/ip.hpp"
#include "base/socket_address.hpp"
#include "base/text.hpp"
#include "base/unique_fd.hpp"
#include "base/wait.hpp"

namespace spark::helpers {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr const char* kDevice = "/dev/nvme-fabrics";
constexpr const char* kClass = "/sys/class/nvme";
/// Seconds between two attempts of the kernel to reconnect, and between two signs of life.
constexpr int kReconnectDelay = 2;
constexpr int kKeepAlive = 5;

std::string message_of(int error) { return std::generic_category().message(error); }

std::vector<std::string> names_in(const std::string& path) {
  std::vector<std::string> names;
  const Handle<DIR, closedir> directory(opendir(path.c_str()));
  while (const auto* entry = directory ? readdir(directory.get()) : nullptr) {
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  std::ranges::sort(names);
  return names;
}

milliseconds left_until(Clock::time_point end) {
  const auto left = std::chrono::ceil<milliseconds>(end - Clock::now());
  return std::max(left, milliseconds(0));
}

// Who we are --------------------------------------------------------------------------------------

struct Identity {
  std::string nqn;
  std::string id;
};

/// Never without: the kernel would make up a host of its own, which the target does not know, and
/// which is no duplicate of ours.
std::optional<Identity> identity() {
  Identity host{line_in(protocol::kHostNqnFile), line_in(protocol::kHostIdFile)};
  if (host.nqn.empty() || host.id.empty()) return std::nullopt;
  return host;
}

/// A key that systemd handed over (LoadCredential=dhchap:…) goes before the file. Never in a
/// message.
std::optional<ConnectFailure> read_secret(const Connection& wanted, std::string& secret) {
  if (const char* folder = std::getenv("CREDENTIALS_DIRECTORY"); folder != nullptr) {
    secret = line_in(std::string(folder) + "/dhchap");
  }
  if (!secret.empty() || wanted.secret_file.empty()) return std::nullopt;
  const auto& path = wanted.secret_file;
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status{};
  if (!file.valid() || fstat(file.get(), &status) != 0) {
    return ConnectFailure{protocol::kBadSecret,
                          fmt::format("read the secret in '{}': {}", path, message_of(errno))};
  }
  if (!S_ISREG(status.st_mode) || status.st_uid != 0 || (status.st_mode & 077U) != 0) {
    return ConnectFailure{
        protocol::kBadSecret,
        fmt::format("the secret in '{}' is not root's alone: `chown root {}; chmod 600 "
                    "{}`",
                    path, path, path)};
  }
  secret = line_in(path);
  if (!secret.starts_with("DHHC-1:") || secret.find(',') != std::string::npos) {
    return ConnectFailure{
        protocol::kBadSecret,
        fmt::format("'{}' holds no secret for DH-HMAC-CHAP: one line 'DHHC-1:…'", path)};
  }
  return std::nullopt;
}

// Is anybody there? -------------------------------------------------------------------------------

/// 0 or the errno of a plain TCP connection; ETIMEDOUT when nobody answers in time. The kernel's
/// own attempt takes longer to find out, and then says the same.
int knock(const Connection& wanted, const IpAddress& ip, Clock::time_point end) {
  const UniqueFd plug(
      socket(ip.is_v4() ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!plug.valid()) return errno;
  if (!wanted.via.empty() && setsockopt(plug.get(), SOL_SOCKET, SO_BINDTODEVICE, wanted.via.c_str(),
                                        static_cast<socklen_t>(wanted.via.size())) != 0) {
    return errno;
  }
  const SocketAddress address(ip, wanted.port);
  if (connect(plug.get(), address.get(), address.size()) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  if (!wait_for(plug.get(), POLLOUT, end)) return ETIMEDOUT;
  int error = 0;
  socklen_t length = sizeof(error);
  return getsockopt(plug.get(), SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : errno;
}

std::string place_of(const Connection& wanted) {
  return fmt::format("{} port {}{}", wanted.address, wanted.port,
                     wanted.via.empty() ? "" : fmt::format(" over '{}'", wanted.via));
}

ConnectFailure unreachable(const Connection& wanted, int error, milliseconds waited) {
  const auto place = place_of(wanted);
  switch (error) {
    case ECONNREFUSED:
      return {protocol::kPortClosed,
              fmt::format("{} refuses connections: the host is there, and no target "
                          "listens on that port",
                          place)};
    case ETIMEDOUT:
      return {protocol::kSilent,
              fmt::format("{} did not answer within {:.1f} s: the host is off, or a "
                          "firewall drops the packets",
                          place, static_cast<double>(waited.count()) / 1000)};
    case ENETUNREACH:
    case ENETDOWN:
      return {protocol::kNoNetwork, fmt::format("no route to {}: {}", place, message_of(error))};
    case EHOSTUNREACH:
    case EHOSTDOWN:
      return {protocol::kNoNetwork,
              fmt::format("nobody on the network answers for {}: the host is off, the cable is "
                          "out, or the address is wrong",
                          place)};
    case ENODEV:
      return {protocol::kNoNetwork,
              fmt::format("no device '{}' to reach {} over", wanted.via, place)};
    default:
      return {protocol::kOtherReason, fmt::format("connect to {}: {}", place, message_of(error))};
  }
}

// The kernel's word -------------------------------------------------------------------------------

/// What the kernel has logged since this was made. The errno of a wrong NQN and of a refused host
/// is one, EIO, and only the log tells them apart (nvmf_log_connect_error in host/fabrics.c).
class KernelLog {
 public:
  KernelLog() : log_(open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {
    if (log_.valid()) {
      static_cast<void>(lseek(log_.get(), 0, SEEK_END));  // else older lines count too
    }
  }

  std::string text() const {
    std::string all;
    std::array<char, 8192> record{};
    while (log_.valid()) {
      const auto size = read(log_.get(), record.data(), record.size());
      if (size > 0) {
        all.append(record.data(), static_cast<std::size_t>(size)).append("\n");
      } else if (size == 0 || (errno != EINTR && errno != EPIPE)) {
        break;  // EPIPE: records were overwritten, the next read goes on
      }
    }
    return all;
  }

 private:
  UniqueFd log_;
};

ConnectFailure refused(const Connection& wanted, const Identity& host, int error,
                       const std::string& log, milliseconds waited) {
  const auto place = place_of(wanted);
  const bool names_host = log.find("is not allowed, hostnqn") != std::string::npos;
  const bool bad_parameter = log.find("Connect Invalid Data Parameter") != std::string::npos ||
                             log.find("Connect Invalid SQE Parameter") != std::string::npos;
  switch (error) {
    case EIO:
    case ECONNREFUSED:  // what kernels from 6.10 on make of a refused host
      if (names_host) {
        return {protocol::kHostRefused,
                fmt::format("{} does not let this host in: put its host NQN, {}, on "
                            "the list of subsystem '{}'",
                            place, host.nqn, wanted.nqn)};
      }
      if (bad_parameter) {
        return {protocol::kNoSubsystem,
                fmt::format("{} has no subsystem '{}': `spark-reconcile facts "
                            "--discover` lists what it offers",
                            place, wanted.nqn)};
      }
      return {protocol::kNqnOrHost,
              fmt::format("{} refuses '{}': it has no such subsystem, or does not let the host {} "
                          "in (the kernel's log says which)",
                          place, wanted.nqn, host.nqn)};
    case EKEYREJECTED:
    case EACCES:
      return {protocol::kBadSecret,
              fmt::format("{} rejects the secret of this host ({})", place, host.nqn)};
    case ENOKEY:
      return {protocol::kBadSecret,
              fmt::format("{} asks for a secret for DH-HMAC-CHAP: give one by secret_file", place)};
    case ETIMEDOUT:
    case EINTR:
      return {protocol::kSilent,
              fmt::format("{} took the connection, and did not answer as an NVMe target "
                          "within {:.1f} s",
                          place, static_cast<double>(waited.count()) / 1000)};
    default:
      return {protocol::kOtherReason,
              fmt::format("connect to '{}' at {}: {}", wanted.nqn, place, message_of(error))};
  }
}

/// A line that comes to nothing: it is there for its signal to interrupt a write.
void nothing(int /*signal*/) {}

/// Interrupts what blocks, once, after a while.
class Alarm {
 public:
  explicit Alarm(milliseconds after) {
    struct sigaction act{};
    act.sa_handler = nothing;  // without SA_RESTART
    static_cast<void>(sigaction(SIGALRM, &act, nullptr));
    set(std::max(after, milliseconds(1)));
  }
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;
  ~Alarm() { set(milliseconds(0)); }

 private:
  static void set(milliseconds after) {
    itimerval timer{};
    timer.it_value.tv_sec = static_cast<time_t>(after.count() / 1000);
    timer.it_value.tv_usec = static_cast<suseconds_t>(after.count() % 1000 * 1000);
    static_cast<void>(setitimer(ITIMER_REAL, &timer, nullptr));
  }
};

std::string options_of(const Connection& wanted, const Identity& host, const std::string& secret) {
  auto options = fmt::format(
      "nqn={},transport=tcp,traddr={},trsvcid={},hostnqn={},hostid={},keep_alive_tmo={}",
      wanted.nqn, wanted.address, wanted.port, host.nqn, host.id, kKeepAlive);
  if (wanted.nqn != protocol::kDiscoveryNqn) {
    options += fmt::format(",reconnect_delay={},ctrl_loss_tmo=-1", kReconnectDelay);
  }
  if (!wanted.via.empty()) options += ",host_iface=" + wanted.via;
  if (!secret.empty()) options += ",dhchap_secret=" + secret;
  return options;
}

/// The key is readable by all on kernels that show it.
void hide_secret(const std::string& controller) {
  static_cast<void>(  // kernels without authentication have no such file
      chmod(fmt::format("{}/{}/dhchap_secret", kClass, controller).c_str(), 0600));
}

/// The number in "instance=N,cntlid=M".
std::string controller_in(const std::string& answer) {
  constexpr std::string_view kKey = "instance=";
  const auto at = answer.find(kKey);
  if (at == std::string::npos) return {};
  const auto digits = answer.substr(at + kKey.size());
  return "nvme" + digits.substr(0, digits.find_first_not_of("0123456789"));
}

}  // namespace

Connected connect_to(const Connection& wanted, milliseconds deadline) {
  const auto begin = Clock::now();
  const auto host = identity();
  if (!host) {
    return {{},
            ConnectFailure{protocol::kBadIdentity,
                           fmt::format("'{}' or '{}' is absent or empty", protocol::kHostNqnFile,
                                       protocol::kHostIdFile)}};
  }
  const auto ip = IpAddress::parse(wanted.address);
  if (!ip) {
    return {
        {},
        ConnectFailure{protocol::kOtherReason, fmt::format("'{}' is no address", wanted.address)}};
  }
  std::string secret;
  if (auto failure = read_secret(wanted, secret)) return {{}, std::move(failure)};
  const auto options = options_of(wanted, *host, secret);
  const UniqueFd fabrics(open(kDevice, O_RDWR | O_CLOEXEC));
  if (!fabrics.valid()) {
    return {{},
            ConnectFailure{protocol::kNoFabrics,
                           fmt::format("open '{}': {}: the kernel's module nvme-tcp is not loaded, "
                                       "or not installed",
                                       kDevice, message_of(errno))}};
  }
  const auto known = controllers_of(wanted);
  if (!known.empty()) return {known.front(), {}};
  // Someone who listens must still have time to answer.
  if (const int error = knock(wanted, *ip, begin + deadline * 3 / 4); error != 0) {
    return {{}, unreachable(wanted, error, deadline * 3 / 4)};
  }
  const KernelLog log;
  ssize_t written = 0;
  {
    const Alarm alarm(left_until(begin + deadline));
    written = write(fabrics.get(), options.data(), options.size());
  }
  const int error = errno;
  if (written < 0 && error == EALREADY) {
    const auto there = controllers_of(wanted);
    return {there.empty() ? "" : there.front(), {}};
  }
  if (written < 0) {
    const auto said = log.text();
    const bool lacks =
        !secret.empty() && error == EINVAL && said.find("dhchap_secret") != std::string::npos;
    if (lacks) {
      return {{},
              ConnectFailure{protocol::kBadSecret,
                             "this kernel has no authentication for NVMe: the "
                             "secret cannot be used (CONFIG_NVME_AUTH)"}};
    }
    return {{},
            refused(wanted, *host, error, said,
                    std::chrono::duration_cast<milliseconds>(Clock::now() - begin))};
  }
  std::array<char, 256> answer{};
  const auto size = read(fabrics.get(), answer.data(), answer.size());
  auto controller = controller_in(
      std::string(answer.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))));
  if (!secret.empty() && !controller.empty()) hide_secret(controller);
  return {std::move(controller), {}};
}

std::vector<std::string> controllers_of(const Connection& wanted) {
  std::vector<std::string> found;
  const auto host = identity();
  for (const auto& name : names_in(kClass)) {
    const auto path = fmt::format("{}/{}", kClass, name);
    const auto address = "," + line_in(path + "/address") + ",";
    const auto has = [&](const std::string& part) {
      return address.find("," + part + ",") != std::string::npos;
    };
    if (line_in(path + "/transport") == "tcp" && line_in(path + "/subsysnqn") == wanted.nqn &&
        has("traddr=" + wanted.address) && has(fmt::format("trsvcid={}", wanted.port)) && host &&
        line_in(path + "/hostnqn") == host->nqn) {
      found.push_back(name);
    }
  }
  return found;
}

std::vector<std::string> namespaces_behind(const std::vector<std::string>& controllers) {
  constexpr const char* kSubsystems = "/sys/class/nvme-subsystem";
  std::vector<std::string> spaces;
  for (const auto& subsystem : names_in(kSubsystems)) {
    const auto entries = names_in(fmt::format("{}/{}", kSubsystems, subsystem));
    std::vector<std::string> found;
    std::size_t ours = 0;
    std::size_t others = 0;
    for (const auto& entry : entries) {
      const auto digits = entry.starts_with("nvme") ? entry.substr(4) : "-";
      const auto rest = digits.find_first_not_of("0123456789");
      if (rest == std::string::npos) {
        const bool known = std::ranges::find(controllers, entry) != controllers.end();
        ours += known ? 1 : 0;
        others += known ? 0 : 1;
        // Without native multipath the namespaces stand below their controller.
        for (const auto& below : names_in(fmt::format("{}/{}", kClass, entry))) {
          if (known && below.starts_with(entry + "n")) found.push_back(below);
        }
      } else if (rest > 0 && digits[rest] == 'n') {
        found.push_back(entry);
      }
    }
    if (ours > 0 && others == 0) std::ranges::move(found, std::back_inserter(spaces));
  }
  return spaces;
}

int disconnect(const std::string& controller) {
  const auto path = fmt::format("{}/{}/delete_controller", kClass, controller);
  const UniqueFd file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!file.valid()) return errno == ENOENT ? 0 : errno;
  return write(file.get(), "1", 1) == 1 ? 0 : errno;
}

std::string line_in(const std::string& path) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 4096> buffer{};
  const auto size = file.valid() ? read(file.get(), buffer.data(), buffer.size()) : -1;
  const std::string_view text(buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
  return fold_blanks(text.substr(0, text.find('\n')));
}

}  // namespace spark::helpers
