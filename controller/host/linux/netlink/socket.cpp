#include "host/linux/netlink/socket.hpp"

#include <cerrno>
#include <utility>

#include <linux/rtnetlink.h>
#include <netlink/errno.h>
#include <netlink/netlink.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/wait.hpp"

namespace spark::host {
namespace {

/// The kernel fills dump datagrams up to 32 KiB when the reader takes that much (netlink_dump in
/// net/netlink/af_netlink.c); a single message is smaller.
constexpr std::size_t kDatagramBytes = std::size_t{64} * 1024;
constexpr int kReceiveBufferBytes = 256 * 1024;
constexpr int kDumpTries = 8;
/// Requests are carried out inside send(); only a stuck kernel takes this long.
constexpr std::chrono::seconds kAnswerDeadline{5};

}  // namespace

Result<NetlinkHandle> open_netlink(int receive_buffer_bytes, int protocol) {
  NetlinkHandle socket(nl_socket_alloc());
  if (!socket) return fail_errno(ENOMEM, "open a netlink socket");
  int error = nl_connect(socket.get(), protocol);
  if (error == 0) error = nl_socket_set_buffer_size(socket.get(), receive_buffer_bytes, 0);
  if (error < 0) {
    return fail(ErrorCode::kSystem, std::string("open a netlink socket: ") + nl_geterror(error));
  }
  return socket;
}

Result<bool> wait_readable(int descriptor, std::chrono::steady_clock::time_point deadline) {
  pollfd entry{.fd = descriptor, .events = POLLIN, .revents = 0};
  const int ready = poll_until({&entry, 1}, deadline);
  if (ready < 0) return fail_errno(errno, "wait for netlink");
  return ready > 0;
}

NetlinkSocket::NetlinkSocket(NetlinkHandle socket)
    : socket_(std::move(socket)), buffer_(kDatagramBytes) {}

Result<NetlinkSocket> NetlinkSocket::open(int protocol) {
  auto socket = open_netlink(kReceiveBufferBytes, protocol);
  if (!socket) return std::unexpected(socket.error());
  const int on = 1;
  for (const int option : {NETLINK_EXT_ACK, NETLINK_CAP_ACK, NETLINK_GET_STRICT_CHK}) {
    if (setsockopt(nl_socket_get_fd(socket->get()), SOL_NETLINK, option, &on, sizeof(on)) != 0) {
      return fail_errno(errno, "set up a netlink socket");
    }
  }
  return NetlinkSocket(std::move(*socket));
}

NetlinkSocket::Answer<> NetlinkSocket::request(const NetlinkRequest& request,
                                               const TakeMessage& take) {
  const auto interrupted = exchange(request, NLM_F_ACK, take);
  if (!interrupted) return std::unexpected(interrupted.error());
  return {};
}

NetlinkSocket::Answer<> NetlinkSocket::dump(const NetlinkRequest& request,
                                            const std::function<void()>& restart,
                                            const TakeMessage& take) {
  for (int tries = 0; tries < kDumpTries; ++tries) {
    restart();
    const auto interrupted = exchange(request, NLM_F_DUMP, take);
    if (!interrupted) return std::unexpected(interrupted.error());
    if (!*interrupted) return {};
  }
  return std::unexpected(NetlinkFailure{EBUSY, "the table kept changing while it was read"});
}

NetlinkSocket::Answer<bool> NetlinkSocket::exchange(const NetlinkRequest& request, int flags,
                                                    const TakeMessage& take) {
  nlmsghdr* const header = request.header();
  if (header == nullptr) return std::unexpected(NetlinkFailure{EMSGSIZE, ""});
  header->nlmsg_flags |= static_cast<std::uint16_t>(flags);
  header->nlmsg_seq = nl_socket_use_seq(socket_.get());
  header->nlmsg_pid = nl_socket_get_local_port(socket_.get());
  while (send(descriptor(), header, header->nlmsg_len, 0) < 0) {
    if (errno != EINTR) return std::unexpected(NetlinkFailure{errno, ""});
  }
  bool interrupted = false;
  while (true) {
    const auto datagram = receive();
    if (!datagram) return std::unexpected(datagram.error());
    auto progress = read_reply(*datagram, header->nlmsg_seq, take);
    interrupted |= progress.interrupted;
    if (progress.failure) return std::unexpected(std::move(*progress.failure));
    if (progress.finished) return interrupted;
  }
}

NetlinkSocket::Answer<std::span<std::uint8_t>> NetlinkSocket::receive() {
  const auto deadline = std::chrono::steady_clock::now() + kAnswerDeadline;
  while (true) {
    sockaddr_nl sender{};
    iovec piece{.iov_base = buffer_.data(), .iov_len = buffer_.size()};
    msghdr envelope{};
    envelope.msg_name = &sender;
    envelope.msg_namelen = sizeof(sender);
    envelope.msg_iov = &piece;
    envelope.msg_iovlen = 1;
    // The answer is there as soon as send() has returned: wait only when it is not.
    const auto size = recvmsg(descriptor(), &envelope, MSG_DONTWAIT);
    if (size >= 0 && (envelope.msg_flags & MSG_TRUNC) != 0) {
      return std::unexpected(NetlinkFailure{EMSGSIZE, ""});
    }
    // Only the kernel has port 0; other processes may send to this socket too (netlink(7)).
    if (size >= 0 && sender.nl_pid == 0) {
      return std::span(buffer_).first(static_cast<std::size_t>(size));
    }
    if (size < 0 && errno != EAGAIN && errno != EINTR) {
      return std::unexpected(NetlinkFailure{errno, ""});
    }
    const auto readable = wait_readable(descriptor(), deadline);
    if (!readable) return std::unexpected(NetlinkFailure{EIO, readable.error().what});
    if (!*readable) return std::unexpected(NetlinkFailure{ETIMEDOUT, ""});
  }
}

}  // namespace spark::host
