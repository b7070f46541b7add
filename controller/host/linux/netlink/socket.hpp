#pragma once
// NetlinkSocket: requests to the kernel over netlink, one at a time, and their answers.

#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <vector>

#include <linux/netlink.h>
#include <netlink/socket.h>

#include "base/handle.hpp"
#include "base/result.hpp"
#include "host/linux/netlink/reply.hpp"
#include "host/linux/netlink/request.hpp"

namespace spark::host {

using NetlinkHandle = Handle<nl_sock, nl_socket_free>;

/// A connected socket of the network namespace that the calling thread is in; `protocol` is
/// NETLINK_ROUTE or another of linux/netlink.h.
Result<NetlinkHandle> open_netlink(int receive_buffer_bytes, int protocol = NETLINK_ROUTE);

/// Waits until `descriptor` can be read. False: not until the deadline. Signals do not end it.
Result<bool> wait_readable(int descriptor, std::chrono::steady_clock::time_point deadline);

class NetlinkSocket {
 public:
  template <class T = void>
  using Answer = std::expected<T, NetlinkFailure>;

  /// Extended ACKs and strict checking of dump requests (both older than kernel 5) are on.
  static Result<NetlinkSocket> open(int protocol = NETLINK_ROUTE);

  /// Sends the request and waits for its ACK; a message that comes before the ACK goes to `take`.
  /// Failure: the kernel's NACK, or ETIMEDOUT when no answer came within five seconds.
  Answer<> request(const NetlinkRequest& request, const TakeMessage& take = ignore);

  /// Sends the request for a dump and hands every row to `take`. `restart` comes first, and again
  /// when the table changed underneath: all rows taken until then are void.
  /// Failure: as for `request`; EBUSY when the table never stood still.
  Answer<> dump(const NetlinkRequest& request, const std::function<void()>& restart,
                const TakeMessage& take);

  /// For requests that are not netlink messages (ioctl on any socket of the namespace).
  [[nodiscard]] int descriptor() const { return nl_socket_get_fd(socket_.get()); }

 private:
  explicit NetlinkSocket(NetlinkHandle socket);

  static void ignore(const nlmsghdr& /*message*/) {}
  /// One request and the whole answer to it. The value says whether a dump was interrupted.
  Answer<bool> exchange(const NetlinkRequest& request, int flags, const TakeMessage& take);
  Answer<std::span<std::uint8_t>> receive();

  NetlinkHandle socket_;
  std::vector<std::uint8_t> buffer_;
};

}  // namespace spark::host
