#include "host/echo.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <random>
#include <utility>

#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <netinet/ip_icmp.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/random.hpp"
#include "base/socket_address.hpp"
#include "base/unique_fd.hpp"

namespace spark::host {
namespace {

using Clock = std::chrono::steady_clock;

/// An echo and its answer have one header in both families (RFC 792, RFC 4443). An ICMP socket
/// fills in checksum and identifier; a raw one does neither, but for the checksum of ICMPv6.
struct EchoHeader {
  std::uint8_t type = 0;
  std::uint8_t code = 0;
  std::uint16_t checksum = 0;
  std::uint16_t identifier = 0;
  std::uint16_t sequence = 0;
};
static_assert(sizeof(EchoHeader) == 8);

/// RFC 1071, over the words as they lie in memory: the sum does not mind their byte order.
std::uint16_t internet_checksum(std::span<const std::uint8_t> bytes) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(std::uint16_t)) {
    std::uint16_t word = 0;
    std::memcpy(&word, &bytes[i], std::min(sizeof word, bytes.size() - i));
    sum += word;
  }
  constexpr int kBits = 16;
  while ((sum >> kBits) != 0) sum = (sum & UINT16_MAX) + (sum >> kBits);
  return static_cast<std::uint16_t>(~sum);
}

/// What a raw IPv4 socket hands over begins with the IP header.
std::span<const std::uint8_t> without_ip_header(std::span<const std::uint8_t> packet) {
  constexpr std::size_t kWord = 4;
  const std::size_t size = packet.empty() ? 0 : (packet[0] & 0x0FU) * kWord;
  return packet.size() < size ? std::span<const std::uint8_t>() : packet.subspan(size);
}

constexpr std::uint16_t kWhole = 1;  // sequence numbers, network order does not matter
constexpr std::uint16_t kSmall = 2;
constexpr std::chrono::milliseconds kAgain{200};

std::size_t ip_header(const IpAddress& ip) { return ip.is_v4() ? 20 : 40; }

bool set_option(int fd, int level, int name, int value) {
  return setsockopt(fd, level, name, &value, sizeof value) == 0;
}

/// One request under way.
class Echo {
 public:
  explicit Echo(const protocol::EchoRequest& request) : request_(request) {}

  /// False with errno when the socket cannot be made as it has to be.
  bool open() {
    const bool v4 = request_.to.is_v4();
    const int protocol = v4 ? static_cast<int>(IPPROTO_ICMP) : static_cast<int>(IPPROTO_ICMPV6);
    // The kernel's own ICMP sockets need no privilege where they are allowed, raw ones always do.
    for (const int type : {SOCK_DGRAM, SOCK_RAW}) {
      raw_ = type == SOCK_RAW;
      const int descriptor =
          socket(v4 ? AF_INET : AF_INET6, type | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
      if (descriptor >= 0) {
        socket_ = UniqueFd(descriptor);
        break;
      }
      if (errno != EACCES) break;
    }
    if (!socket_.valid()) return false;
    // The DF bit, and nothing that was learnt of the path before: this is about now.
    const bool whole =
        v4 ? set_option(fd(), IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_PROBE)
           : set_option(fd(), IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_PROBE) &&
                 set_option(fd(), IPPROTO_IPV6, IPV6_DONTFRAG, 1);
    const SocketAddress from(request_.from);
    const SocketAddress to(request_.to);
    return whole &&
           // A peer is at the other end of this link: what would be forwarded to it proves no
           // cable.
           (v4 ? set_option(fd(), IPPROTO_IP, IP_TTL, 1)
               : set_option(fd(), IPPROTO_IPV6, IPV6_UNICAST_HOPS, 1)) &&
           setsockopt(fd(), SOL_SOCKET, SO_BINDTODEVICE, request_.link.c_str(),
                      static_cast<socklen_t>(request_.link.size())) == 0 &&
           bind(fd(), from.get(), from.size()) == 0 && connect(fd(), to.get(), to.size()) == 0;
  }

  [[nodiscard]] int fd() const { return socket_.get(); }
  [[nodiscard]] bool done() const { return report_.whole || !report_.refused.empty(); }
  void refuse(int number) { report_.refused = std::strerror(number); }
  protocol::EchoReport take() { return std::move(report_); }

  void send(std::span<const std::uint8_t> pattern) {
    send_one(kWhole, pattern, request_.bytes);
    if (!report_.small && !done()) {
      send_one(kSmall, pattern, std::min(protocol::kSmallEcho, request_.bytes));
    }
  }

  void receive(std::span<const std::uint8_t> pattern) {
    constexpr std::size_t kLongestIpHeader = 60;
    std::vector<std::uint8_t> packet(request_.bytes + kLongestIpHeader);
    for (;;) {
      const auto got = recv(fd(), packet.data(), packet.size(), 0);
      if (got < 0) {
        return;  // nothing more, or that a packet did not arrive: it is sent again
      }
      const auto whole = std::span(packet).first(static_cast<std::size_t>(got));
      take_reply(raw_ && request_.to.is_v4() ? without_ip_header(whole) : whole, pattern);
    }
  }

 private:
  [[nodiscard]] std::size_t payload_of(std::uint32_t bytes) const {
    const auto headers = ip_header(request_.to) + sizeof(EchoHeader);
    return bytes > headers ? bytes - headers : 0;
  }

  void send_one(std::uint16_t sequence, std::span<const std::uint8_t> pattern,
                std::uint32_t bytes) {
    const EchoHeader header{
        .type = request_.to.is_v4() ? std::uint8_t{ICMP_ECHO} : std::uint8_t{ICMP6_ECHO_REQUEST},
        .identifier = identifier_,
        .sequence = sequence};
    const auto payload = pattern.first(payload_of(bytes));
    std::vector<std::uint8_t> packet(sizeof header + payload.size());
    std::memcpy(packet.data(), &header, sizeof header);
    std::ranges::copy(payload, packet.begin() + sizeof header);
    if (raw_ && request_.to.is_v4()) {
      const auto checksum = internet_checksum(packet);
      std::memcpy(packet.data() + offsetof(EchoHeader, checksum), &checksum, sizeof checksum);
    }
    (sequence == kWhole ? whole_sent_ : small_sent_) = Clock::now();
    // EHOSTUNREACH tells of an earlier packet; the next one may fare better.
    if (::send(fd(), packet.data(), packet.size(), 0) < 0 && errno != EHOSTUNREACH &&
        errno != EAGAIN && errno != ENOBUFS) {
      refuse(errno);
    }
  }

  void take_reply(std::span<const std::uint8_t> packet, std::span<const std::uint8_t> pattern) {
    EchoHeader header;
    if (packet.size() < sizeof header) return;
    std::memcpy(&header, packet.data(), sizeof header);
    const auto answer = request_.to.is_v4() ? ICMP_ECHOREPLY : ICMP6_ECHO_REPLY;
    // A raw socket hears the answers to everybody's echoes.
    if (header.type != answer || (raw_ && header.identifier != identifier_)) return;
    const auto payload = packet.subspan(sizeof header);
    const bool is_whole = header.sequence == kWhole;
    const auto expected = payload_of(is_whole ? request_.bytes : protocol::kSmallEcho);
    if (payload.size() != expected || !std::ranges::equal(payload, pattern.first(expected)) ||
        report_.whole) {
      return;
    }
    (is_whole ? report_.whole : report_.small) = true;
    report_.took = Clock::now() - (is_whole ? whole_sent_ : small_sent_);
  }

  const protocol::EchoRequest& request_;
  UniqueFd socket_;
  bool raw_ = false;
  std::uint16_t identifier_ = static_cast<std::uint16_t>(std::random_device()());
  Clock::time_point whole_sent_;
  Clock::time_point small_sent_;
  protocol::EchoReport report_;
};

Result<std::vector<std::uint8_t>> random_pattern(std::span<const protocol::EchoRequest> requests) {
  std::uint32_t bytes = 0;
  for (const auto& request : requests) bytes = std::max(bytes, request.bytes);
  std::vector<std::uint8_t> pattern(bytes);
  const auto filled = fill_random(pattern);
  return filled ? Result<std::vector<std::uint8_t>>(std::move(pattern))
                : std::unexpected(filled.error());
}

/// Waits until an answer may be there, at most until `until`.
void await_answers(std::vector<Echo>& echoes, Clock::time_point until) {
  std::vector<pollfd> waiting;
  for (const auto& echo : echoes) {
    if (!echo.done()) waiting.push_back({.fd = echo.fd(), .events = POLLIN, .revents = 0});
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
  if (left.count() > 0) {
    static_cast<void>(poll(waiting.data(), waiting.size(), static_cast<int>(left.count())));
  }
}

}  // namespace

Result<std::vector<protocol::EchoReport>> echo_all(std::span<const protocol::EchoRequest> requests,
                                                   std::chrono::milliseconds deadline) {
  const auto pattern = random_pattern(requests);
  if (!pattern) return std::unexpected(pattern.error());
  std::vector<Echo> echoes;
  echoes.reserve(requests.size());
  for (const auto& request : requests) {
    echoes.emplace_back(request);
    if (echoes.back().open()) continue;
    if (errno == EACCES || errno == EPERM) {
      return fail(ErrorCode::kPermission, "this process may send no echo");
    }
    echoes.back().refuse(errno);
  }
  const auto end = Clock::now() + deadline;
  const auto all_done = [&] { return std::ranges::all_of(echoes, &Echo::done); };
  while (!all_done() && Clock::now() < end) {
    for (auto& echo : echoes) {
      if (!echo.done()) echo.send(*pattern);
    }
    const auto again = std::min(end, Clock::now() + kAgain);
    while (!all_done() && Clock::now() < again) {
      await_answers(echoes, again);
      for (auto& echo : echoes) {
        if (!echo.done()) echo.receive(*pattern);
      }
    }
  }
  std::vector<protocol::EchoReport> reports;
  std::ranges::transform(echoes, std::back_inserter(reports), &Echo::take);
  return reports;
}

}  // namespace spark::host
