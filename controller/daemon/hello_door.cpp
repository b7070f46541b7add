#include "daemon/hello_door.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <utility>

#include <endian.h>
#include <fmt/format.h>
#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>
#include <linux/xattr.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/socket_address.hpp"
#include "base/unique_fd.hpp"
#include "host/hello_socket.hpp"
#include "host/process/file_io.hpp"
#include "host/process/passwd.hpp"
#include "protocol/peers.hpp"

namespace spark::daemon {
namespace {

using boost::asio::posix::stream_descriptor;

/// Root connects, and the user kPeersUser; nobody else wakes the daemon. As an access control list
/// (acl(5)): to give the socket to that user's group takes CAP_CHOWN, which the daemon does not
/// have.
bool restrict_to_peers(const std::string& path) {
  constexpr mode_t kOwner = 0600;
  if (::chmod(path.c_str(), kOwner) != 0) return false;
  const auto ids =
      host::user_ids(protocol::kPeersUser, host::read_proc("/etc/passwd").value_or(""));
  if (!ids) return true;
  constexpr std::uint16_t kMayConnect = ACL_READ | ACL_WRITE;
  const auto entry = [](std::uint16_t tag, std::uint16_t may, std::uint32_t id = ACL_UNDEFINED_ID) {
    return posix_acl_xattr_entry{htole16(tag), htole16(may), htole32(id)};
  };
  const struct {
    posix_acl_xattr_header header{htole32(POSIX_ACL_XATTR_VERSION)};
    std::array<posix_acl_xattr_entry, 5> entries;
  } list{.entries = {entry(ACL_USER_OBJ, kMayConnect), entry(ACL_USER, kMayConnect, ids->user),
                     entry(ACL_GROUP_OBJ, 0), entry(ACL_MASK, kMayConnect), entry(ACL_OTHER, 0)}};
  return ::setxattr(path.c_str(), XATTR_NAME_POSIX_ACL_ACCESS, &list, sizeof list, 0) == 0;
}

/// Between two sockets that are handed over. The kernel takes milliseconds to close one: who knocks
/// all the time would keep the daemon from its work.
constexpr std::chrono::seconds kRest{1};

bool is_gone(int connection) {
  pollfd entry{.fd = connection, .events = 0, .revents = 0};
  return poll(&entry, 1, 0) > 0 && (entry.revents & (POLLHUP | POLLERR)) != 0;
}

void hand_over(int connection) {
  const auto socket = host::open_hello_socket();
  if (!socket) return;
  char byte = 0;
  iovec data{.iov_base = &byte, .iov_len = 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  auto* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int));
  const int descriptor = socket->get();
  std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  // Who has gone meanwhile asks again.
  static_cast<void>(sendmsg(connection, &message, MSG_DONTWAIT | MSG_NOSIGNAL));
}

}  // namespace

class HelloDoor::Listener : public std::enable_shared_from_this<Listener> {
 public:
  Listener(boost::asio::io_context& loop, UniqueFd socket, std::string path)
      : path_(std::move(path)), socket_(loop, socket.get()), rest_(loop) {
    static_cast<void>(socket.release());  // the stream's now
  }

  void arm() {
    socket_.async_wait(stream_descriptor::wait_read,
                       [self = shared_from_this()](const auto& error) {
                         if (!error) self->answer();
                       });
  }

  void end() {
    boost::system::error_code ignored;  // it is going away either way
    static_cast<void>(socket_.close(ignored));
    rest_.cancel();
    static_cast<void>(::unlink(path_.c_str()));
  }

 private:
  void answer() {
    const UniqueFd connection(
        accept4(socket_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!connection.valid() || is_gone(connection.get())) {
      arm();
      return;
    }
    hand_over(connection.get());
    rest_.expires_after(kRest);
    rest_.async_wait([self = shared_from_this()](const auto& error) {
      if (!error) self->arm();
    });
  }

  std::string path_;
  stream_descriptor socket_;
  boost::asio::steady_timer rest_;
};

Result<HelloDoor> HelloDoor::open(boost::asio::io_context& loop, const std::string& root) {
  auto path = root + protocol::kHelloDoor;
  const auto what = fmt::format("listen at '{}'", path);
  const auto address = UnixAddress::from(path);
  if (!address) return fail(ErrorCode::kInvalid, what + ": the path is too long");
  static_cast<void>(::unlink(path.c_str()));  // of a daemon that was killed
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  constexpr int kBacklog = 8;
  if (!socket.valid() || ::bind(socket.get(), address->get(), address->size()) != 0 ||
      !restrict_to_peers(path) || ::listen(socket.get(), kBacklog) != 0) {
    return fail_errno(errno, what);
  }
  auto listener = std::make_shared<Listener>(loop, std::move(socket), std::move(path));
  listener->arm();
  return HelloDoor(std::move(listener));
}

HelloDoor::HelloDoor(std::shared_ptr<Listener> listener) : listener_(std::move(listener)) {}
HelloDoor::HelloDoor(HelloDoor&&) noexcept = default;

HelloDoor& HelloDoor::operator=(HelloDoor&& other) noexcept {
  std::swap(listener_, other.listener_);
  return *this;
}

HelloDoor::~HelloDoor() {
  if (listener_) listener_->end();
}

}  // namespace spark::daemon
