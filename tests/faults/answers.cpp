// Preloaded into the program: other answers than the kernel gave to its NETLINK_ROUTE requests.
//
//   SPARK_ANSWERS="refuse FROM TO ERRNO"    changes number FROM to TO never reach the kernel, which
//                                           seems to refuse them
//   SPARK_ANSWERS="interrupt FROM TO"       datagrams FROM to TO of dumps say NLM_F_DUMP_INTR: the
//                                           table changed meanwhile
//   SPARK_ANSWERS="forge FROM TO"           before answers FROM to TO comes one of another
//                                           process, which says that all is done
//
// What was hit is told by a file at $SPARK_ANSWERED. Without libstdc++: the program has its own.

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

struct Order {
  char kind[16] = "";
  int from = 0;
  int to = 0;
  int error = 0;
};

/// A change that was kept from the kernel, until its answer is asked for.
struct Refused {
  int socket = -1;
  nlmsghdr request{};
};

Refused refused;
int seen = 0;
bool forged = false;

const Order& order() {
  static const Order kOrder = [] {
    Order given;
    const char* text = std::getenv("SPARK_ANSWERS");
    std::sscanf(text == nullptr ? "" : text, "%15s %d %d %d", given.kind, &given.from, &given.to,
                &given.error);
    return given;
  }();
  return kOrder;
}

bool is(const char* kind) { return std::strcmp(order().kind, kind) == 0; }

bool hit() {
  ++seen;
  if (seen < order().from || seen > order().to) {
    return false;
  }
  if (const char* path = std::getenv("SPARK_ANSWERED")) {
    close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  }
  return true;
}

bool is_route_socket(int socket) {
  int protocol = -1;
  int domain = -1;
  socklen_t size = sizeof(int);
  const bool known = getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 &&
                     getsockopt(socket, SOL_SOCKET, SO_PROTOCOL, &protocol, &size) == 0;
  return known && domain == AF_NETLINK && protocol == NETLINK_ROUTE;
}

/// Of RTM_NEWLINK, RTM_DELLINK, RTM_GETLINK, RTM_SETLINK and so on, all but the third.
bool is_change(const nlmsghdr& message) {
  return message.nlmsg_type >= RTM_BASE && (message.nlmsg_type - RTM_BASE) % 4 != 2;
}

template <class Call>
Call* next(const char* name) {
  return reinterpret_cast<Call*>(dlsym(RTLD_NEXT, name));
}

ssize_t answer(msghdr* envelope, const nlmsghdr& request, int error, unsigned sender) {
  struct {
    nlmsghdr header;
    nlmsgerr body;
  } const message{.header = {.nlmsg_len = sizeof(message),
                             .nlmsg_type = NLMSG_ERROR,
                             .nlmsg_flags = 0,
                             .nlmsg_seq = request.nlmsg_seq,
                             .nlmsg_pid = request.nlmsg_pid},
                  .body = {.error = -error, .msg = request}};
  std::memcpy(envelope->msg_iov[0].iov_base, &message, sizeof(message));
  static_cast<sockaddr_nl*>(envelope->msg_name)->nl_family = AF_NETLINK;
  static_cast<sockaddr_nl*>(envelope->msg_name)->nl_pid = sender;
  envelope->msg_flags = 0;
  return sizeof(message);
}

nlmsghdr last_request;

}  // namespace

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): glibc's begin with underscores
extern "C" ssize_t send(int socket, const void* data, size_t size, int flags) {
  static auto* const kReal = next<ssize_t(int, const void*, size_t, int)>("send");
  if (size >= sizeof(nlmsghdr) && is_route_socket(socket)) {
    std::memcpy(&last_request, data, sizeof(last_request));
    forged = false;
    if (is("refuse") && is_change(last_request) && hit()) {
      refused = {socket, last_request};
      return static_cast<ssize_t>(size);
    }
  }
  return kReal(socket, data, size, flags);
}

extern "C" ssize_t recvmsg(int socket, msghdr* envelope, int flags) {
  static auto* const kReal = next<ssize_t(int, msghdr*, int)>("recvmsg");
  if (socket == refused.socket) {
    refused.socket = -1;
    return answer(envelope, refused.request, order().error, 0);
  }
  const bool is_ours = is_route_socket(socket);
  if (is("forge") && is_ours && !forged) {
    forged = true;
    constexpr unsigned kStranger = 4711;
    if (hit()) return answer(envelope, last_request, 0, kStranger);
  }
  const auto size = kReal(socket, envelope, flags);
  if (is("interrupt") && is_ours && size >= static_cast<ssize_t>(sizeof(nlmsghdr))) {
    auto* const message = static_cast<nlmsghdr*>(envelope->msg_iov[0].iov_base);
    if ((message->nlmsg_flags & NLM_F_MULTI) != 0 && hit()) {
      message->nlmsg_flags |= NLM_F_DUMP_INTR;
    }
  }
  return size;
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
