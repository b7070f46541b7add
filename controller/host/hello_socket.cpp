#include "host/hello_socket.hpp"

#include <array>
#include <cerrno>

#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/if_packet.h>
#include <sys/socket.h>

#include "protocol/peers.hpp"

namespace spark::host {

Result<UniqueFd> open_hello_socket() {
  const auto* what = "open the hello's socket";
  // Without a protocol it hears nothing: no frame comes in before the filter is there.
  UniqueFd socket(::socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.valid()) return fail_errno(errno, what);
  constexpr unsigned kProtocol = static_cast<unsigned>(SKF_AD_OFF) + SKF_AD_PROTOCOL;
  // One byte more than a hello has, so that what is longer is seen to be.
  std::array<sock_filter, 4> instructions{
      {BPF_STMT(BPF_LD | BPF_H | BPF_ABS, kProtocol),
       BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, protocol::kHelloEtherType, 0, 1),
       BPF_STMT(BPF_RET | BPF_K, protocol::kMostHelloBytes + 1), BPF_STMT(BPF_RET | BPF_K, 0)}};
  const sock_fprog filter{.len = instructions.size(), .filter = instructions.data()};
  const int yes = 1;
  sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_protocol = htons(protocol::kHelloEtherType);
  if (setsockopt(socket.get(), SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) != 0 ||
      setsockopt(socket.get(), SOL_SOCKET, SO_LOCK_FILTER, &yes, sizeof yes) != 0 ||
      ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return fail_errno(errno, what);
  }
  return socket;
}

}  // namespace spark::host
