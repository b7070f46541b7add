// Preloaded into the program: what a machine without a ConnectX lacks, for tests/doctor/run.
//
//   NETLINK_RDMA   the devices below /sys/class/infiniband, which that script puts there, with the
//                  state and the network device that each has there
//   adjtimex()     a clock that is synchronised; with SPARK_CLOCK=free one that nothing sets
//
// All else of the card is files, or is answered by the kernel. Without libstdc++: the program has
// its own.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dirent.h>
#include <dlfcn.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <rdma/rdma_netlink.h>
#include <sys/socket.h>
#include <sys/timex.h>

namespace {

constexpr const char* kClass = "/sys/class/infiniband";
constexpr int kMostSockets = 256;
constexpr std::size_t kMostBytes = 4096;
constexpr std::size_t kMostText = 128;

/// Sockets for NETLINK_RDMA. The kernel has them for NETLINK_ROUTE, and never hears of them.
bool is_rdma_socket[kMostSockets];  // NOLINT(modernize-avoid-c-arrays)

/// One datagram, from a request until it is asked for.
struct Answer {
  alignas(nlmsghdr) char bytes[kMostBytes];  // NOLINT(modernize-avoid-c-arrays)
  std::size_t size;
};
Answer answers[kMostSockets];  // NOLINT(modernize-avoid-c-arrays)

template <class Call>
Call* next(const char* name) {
  return reinterpret_cast<Call*>(dlsym(RTLD_NEXT, name));
}

bool is_ours(int socket) { return socket >= 0 && socket < kMostSockets && is_rdma_socket[socket]; }

void put_attribute(Answer& answer, int type, const void* value, std::size_t size) {
  const nlattr head{.nla_len = static_cast<std::uint16_t>(NLA_HDRLEN + size),
                    .nla_type = static_cast<std::uint16_t>(type)};
  std::memcpy(answer.bytes + answer.size, &head, sizeof(head));
  std::memcpy(answer.bytes + answer.size + NLA_HDRLEN, value, size);
  answer.size += NLA_ALIGN(NLA_HDRLEN + size);
}

void put_number(Answer& answer, int type, std::uint32_t value) {
  put_attribute(answer, type, &value, sizeof(value));
}

/// A part of a dump; `put_attributes` fills it.
template <class PutAttributes>
void put_message(Answer& answer, const nlmsghdr& request, int type, PutAttributes put_attributes) {
  const auto begin = answer.size;
  std::memset(answer.bytes + begin, 0, NLMSG_HDRLEN);
  answer.size += NLMSG_HDRLEN;
  put_attributes();
  const nlmsghdr head{.nlmsg_len = static_cast<std::uint32_t>(answer.size - begin),
                      .nlmsg_type = static_cast<std::uint16_t>(type),
                      .nlmsg_flags = NLM_F_MULTI,
                      .nlmsg_seq = request.nlmsg_seq,
                      .nlmsg_pid = request.nlmsg_pid};
  std::memcpy(answer.bytes + begin, &head, sizeof(head));
}

/// Of the file PORT/NAME of a device's only port; empty: there is none.
void read_port_file(const char* device, const char* name, char (&text)[kMostText]) {
  char path[512];  // NOLINT(modernize-avoid-c-arrays)
  std::snprintf(path, sizeof(path), "%s/%s/ports/1/%s", kClass, device, name);
  text[0] = '\0';
  if (auto* file = std::fopen(path, "re")) {
    if (std::fgets(text, sizeof(text), file) == nullptr) text[0] = '\0';
    std::fclose(file);
  }
  text[std::strcspn(text, "\n")] = '\0';
}

/// "4: ACTIVE".
std::uint8_t number_in(const char* device, const char* name) {
  char text[kMostText];  // NOLINT(modernize-avoid-c-arrays)
  read_port_file(device, name, text);
  return static_cast<std::uint8_t>(std::atoi(text));
}

void put_device(Answer& answer, const nlmsghdr& request, std::uint32_t index, const char* name) {
  put_message(answer, request, request.nlmsg_type, [&] {
    put_number(answer, RDMA_NLDEV_ATTR_DEV_INDEX, index);
    put_attribute(answer, RDMA_NLDEV_ATTR_DEV_NAME, name, std::strlen(name) + 1);
  });
}

void put_port(Answer& answer, const nlmsghdr& request, std::uint32_t index, const char* name) {
  char link[kMostText];  // NOLINT(modernize-avoid-c-arrays)
  read_port_file(name, "gid_attrs/ndevs/0", link);
  const auto state = number_in(name, "state");
  const auto physical = number_in(name, "phys_state");
  put_message(answer, request, request.nlmsg_type, [&] {
    put_number(answer, RDMA_NLDEV_ATTR_DEV_INDEX, index);
    put_attribute(answer, RDMA_NLDEV_ATTR_DEV_NAME, name, std::strlen(name) + 1);
    put_number(answer, RDMA_NLDEV_ATTR_PORT_INDEX, 1);
    put_attribute(answer, RDMA_NLDEV_ATTR_PORT_STATE, &state, sizeof(state));
    put_attribute(answer, RDMA_NLDEV_ATTR_PORT_PHYS_STATE, &physical, sizeof(physical));
    if (const auto netdev = if_nametoindex(link))
      put_number(answer, RDMA_NLDEV_ATTR_NDEV_INDEX, netdev);
  });
}

/// The device that a question about one device is about; 0: it names none.
std::uint32_t device_asked_for(const char* request, std::size_t size) {
  nlattr head{};
  std::uint32_t index = 0;
  if (size < NLMSG_HDRLEN + NLA_HDRLEN + sizeof(index)) return 0;
  std::memcpy(&head, request + NLMSG_HDRLEN, sizeof(head));
  if (head.nla_type != RDMA_NLDEV_ATTR_DEV_INDEX) return 0;
  std::memcpy(&index, request + NLMSG_HDRLEN + NLA_HDRLEN, sizeof(index));
  return index;
}

void answer_dump(Answer& answer, const char* bytes, std::size_t size) {
  nlmsghdr request{};
  std::memcpy(&request, bytes, sizeof(request));
  const unsigned command = request.nlmsg_type & ((1U << 10U) - 1);  // RDMA_NL_GET_OP
  const auto asked = device_asked_for(bytes, size);
  answer.size = 0;
  if (auto* folder = opendir(kClass)) {
    while (const auto* entry = readdir(folder)) {
      const auto* number = std::strrchr(entry->d_name, '_');  // "mlx5_0"
      if (number == nullptr) continue;
      const auto index = static_cast<std::uint32_t>(std::atoi(number + 1)) + 1;
      if (command == RDMA_NLDEV_CMD_GET) put_device(answer, request, index, entry->d_name);
      if (command == RDMA_NLDEV_CMD_PORT_GET && index == asked) {
        put_port(answer, request, index, entry->d_name);
      }
    }
    closedir(folder);
  }
  const int done = 0;
  put_message(answer, request, NLMSG_DONE, [&] {
    std::memcpy(answer.bytes + answer.size, &done, sizeof(done));
    answer.size += sizeof(done);
  });
}

}  // namespace

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): glibc's begin with underscores
extern "C" int socket(int domain, int type, int protocol) noexcept {
  static auto* const kReal = next<int(int, int, int)>("socket");
  const bool is_rdma = domain == AF_NETLINK && protocol == NETLINK_RDMA;
  const int made = kReal(domain, type, is_rdma ? NETLINK_ROUTE : protocol);
  if (made >= 0 && made < kMostSockets) is_rdma_socket[made] = is_rdma;
  return made;
}

extern "C" ssize_t send(int socket, const void* data, size_t size, int flags) {
  static auto* const kReal = next<ssize_t(int, const void*, size_t, int)>("send");
  if (!is_ours(socket)) return kReal(socket, data, size, flags);
  answer_dump(answers[socket], static_cast<const char*>(data), size);
  return static_cast<ssize_t>(size);
}

extern "C" ssize_t recvmsg(int socket, msghdr* envelope, int flags) {
  static auto* const kReal = next<ssize_t(int, msghdr*, int)>("recvmsg");
  if (!is_ours(socket)) return kReal(socket, envelope, flags);
  const auto& answer = answers[socket];
  const auto size = std::min(answer.size, envelope->msg_iov[0].iov_len);
  std::memcpy(envelope->msg_iov[0].iov_base, answer.bytes, size);
  auto* const sender = static_cast<sockaddr_nl*>(envelope->msg_name);
  sender->nl_family = AF_NETLINK;
  sender->nl_pid = 0;
  envelope->msg_flags = 0;
  return static_cast<ssize_t>(size);
}

extern "C" int adjtimex(timex* state) noexcept {
  static auto* const kReal = next<int(timex*)>("adjtimex");
  const int done = kReal(state);
  const auto* clock = std::getenv("SPARK_CLOCK");
  const bool is_free = clock != nullptr && std::strcmp(clock, "free") == 0;
  state->status = is_free ? state->status | STA_UNSYNC : state->status & ~STA_UNSYNC;
  return done;
}
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
