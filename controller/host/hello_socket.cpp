#include "host/hello_socket.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/if_packet.h>
#include <sys/socket.h>

#include "protocol/discover.hpp"
#include "protocol/peers.hpp"

namespace spark::host {
namespace {

constexpr unsigned kProtocolOfFrame = static_cast<unsigned>(SKF_AD_OFF) + SKF_AD_PROTOCOL;

/// Hears what passes the filter, and nothing else for as long as it lives.
Result<UniqueFd> open_frame_socket(std::span<const sock_filter> instructions, const char* what) {
  // Without a protocol it hears nothing: no frame comes in before the filter is there.
  UniqueFd socket(::socket(AF_PACKET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.valid()) return fail_errno(errno, what);
  const sock_fprog filter{.len = static_cast<unsigned short>(instructions.size()),
                          .filter = const_cast<sock_filter*>(instructions.data())};
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

/// Four bytes of a text as the filter loads them: in network order.
constexpr std::uint32_t word_at(std::string_view text, std::size_t at) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    word = (word << 8U) | static_cast<unsigned char>(text[at + i]);
  }
  return word;
}

}  // namespace

Result<UniqueFd> open_hello_socket() {
  // One byte more than a hello has, so that what is longer is seen to be.
  constexpr std::array<sock_filter, 4> kHellos{
      {BPF_STMT(BPF_LD | BPF_H | BPF_ABS, kProtocolOfFrame),
       BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, protocol::kHelloEtherType, 0, 1),
       BPF_STMT(BPF_RET | BPF_K, protocol::kMostHelloBytes + 1), BPF_STMT(BPF_RET | BPF_K, 0)}};
  return open_frame_socket(kHellos, "open the hello's socket");
}

Result<UniqueFd> open_discover_socket() {
  constexpr auto kMagic = protocol::kDiscoverMagic;
  static_assert(kMagic.size() == 8);
  constexpr std::array<sock_filter, 8> kFrames{
      {BPF_STMT(BPF_LD | BPF_H | BPF_ABS, kProtocolOfFrame),
       BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, protocol::kHelloEtherType, 0, 5),
       BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
       BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, word_at(kMagic, 0), 0, 3),
       BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 4),
       BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, word_at(kMagic, 4), 0, 1),
       BPF_STMT(BPF_RET | BPF_K, protocol::kMostDiscoverBytes + 1), BPF_STMT(BPF_RET | BPF_K, 0)}};
  return open_frame_socket(kFrames, "open a socket for frames on the cages");
}

}  // namespace spark::host
