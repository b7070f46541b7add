#pragma once
// Endpoint: a port with memory and queue pairs, which other queue pairs can be joined to.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/ip.hpp"
#include "helpers/verbs/verbs.hpp"

namespace spark::helpers {

// An RDMA port: its state, its MTU, and the GID of one of its addresses.

/// "active", "down", "init", …
std::string_view name_of(ibv_port_state state);

std::uint32_t bytes_of(ibv_mtu mtu);
/// Empty for bytes that no path MTU has.
std::optional<ibv_mtu> path_mtu_of(std::uint32_t bytes);

Attempt<ibv_port_attr> query_port(ibv_context& device, std::uint8_t number);

/// The RoCE v2 GID of that address on the network device of that index, by content: indexes move.
/// The index is one that verbs can name.
Attempt<ibv_gid_entry> find_gid(ibv_context& device, std::uint8_t number, const ibv_port_attr& port,
                                int link_index, const IpAddress& ip);

/// How one queue pair is joined to another.
struct Path {
  std::uint32_t queue_pair = 0;  ///< number of the other
  ibv_gid gid{};                 ///< of the other's port
  ibv_mtu mtu = IBV_MTU_256;
  std::uint32_t own_psn = 0;
  std::uint32_t other_psn = 0;
  std::uint8_t reads_asked = 1;     ///< own READs under way at once
  std::uint8_t reads_answered = 1;  ///< READs of the other
  std::uint8_t retries = 0;         ///< of a packet that is not acknowledged in time
  /// 4.096 us * 2^N is that time (ibv_modify_qp(3)): 67 ms.
  std::uint8_t ack_timeout = 14;
};

/// Of WRITE and READ.
struct RemoteMemory {
  std::uint64_t address = 0;
  std::uint32_t rkey = 0;
};

/// `count` equal work requests, posted at once. Only the last has a completion.
struct Work {
  ibv_wr_opcode operation = IBV_WR_RDMA_WRITE;
  std::span<std::uint8_t> local;  ///< in memory()
  RemoteMemory remote;
  std::uint64_t id = 0;  ///< of the completion
  std::size_t count = 1;
};

/// At most so many in a Work.
inline constexpr std::size_t kMostInWork = 16;

enum class Events : bool { kNone, kOnChannel };

/// The steps are called in this order, and each once.
class Endpoint {
 public:
  explicit Endpoint(std::size_t memory_bytes) : pages_(memory_bytes) {}

  Attempt<> open(const std::string& device, std::uint8_t port);
  Attempt<> select_gid(int link_index, const IpAddress& ip);
  /// `completions`: that many fit into the queue. With Events::kOnChannel they can be waited for.
  Attempt<> allocate(std::size_t completions, Events events);
  /// Queue pairs in INIT, each with room for `depth` work requests and two messages to receive.
  Attempt<> create_queue_pairs(std::size_t count, std::size_t depth);
  /// To RTR: it takes packets. The kernel resolves the other's address here, for a second at most.
  Attempt<> make_receive(std::size_t pair, const Path& path);
  /// To RTS: it sends.
  Attempt<> make_send(std::size_t pair, const Path& path);

  Attempt<> post(std::size_t pair, const Work& work);
  Attempt<> post_receive(std::size_t pair, std::span<std::uint8_t> local, std::uint64_t id);
  /// What has completed, whatever its status: a part of `room`, empty when nothing has.
  Attempt<std::span<ibv_wc>> poll(std::span<ibv_wc> room);
  /// The next completion makes channel() readable. Poll once more after it: one may have come
  /// before.
  Attempt<> arm();
  /// Takes the event off a readable channel.
  Attempt<> disarm();
  [[nodiscard]] int channel() const { return channel_->fd; }

  [[nodiscard]] const ibv_port_attr& port() const { return port_; }
  [[nodiscard]] const ibv_gid_entry& gid() const { return gid_; }
  /// READs of others that the device answers at once, and of its own; 1 to 255.
  Attempt<std::pair<std::uint8_t, std::uint8_t>> most_reads() const;
  [[nodiscard]] std::uint32_t number(std::size_t pair) const { return pairs_[pair]->qp_num; }
  [[nodiscard]] bool is_registered() const { return region_ != nullptr; }
  [[nodiscard]] bool has_memory() const { return pages_.valid(); }
  [[nodiscard]] std::span<std::uint8_t> memory() const { return pages_.bytes(); }
  /// Any part of memory(), for the other end.
  [[nodiscard]] RemoteMemory remote(std::span<std::uint8_t> part) const;

 private:
  std::uint8_t port_number_ = 0;
  ibv_port_attr port_{};
  ibv_gid_entry gid_{};
  // In creation order: verbs takes them apart in the reverse.
  Pages pages_;
  Context context_;
  ProtectionDomain domain_;
  CompletionChannel channel_;
  CompletionQueue queue_;
  MemoryRegion region_;
  std::vector<QueuePair> pairs_;
};

/// Whether it completed well. `operation` is the step of the Failure.
Attempt<> check_completion(const ibv_wc& done, std::string_view operation);

/// Of an 8-byte WRITE, from posting it to its completion.
struct Latency {
  double p50_us = 0;
  double p99_us = 0;
};

inline constexpr std::size_t kLatencyBytes = 8;

/// `write_once` posts such a WRITE and waits for its completion. Of 200 of them, or of fewer where
/// these take longer than a proof can wait: one at least.
template <class WriteOnce>
Attempt<Latency> measure_latency(WriteOnce write_once);

Latency latency_of(std::vector<double> took_us);

template <class WriteOnce>
Attempt<Latency> measure_latency(WriteOnce write_once) {
  constexpr std::size_t kRounds = 200;
  constexpr std::chrono::milliseconds kLongest{300};
  std::vector<double> took;
  took.reserve(kRounds);
  const auto end = std::chrono::steady_clock::now() + kLongest;
  while (took.size() < kRounds) {
    const auto start = std::chrono::steady_clock::now();
    if (start >= end && !took.empty()) break;
    if (Attempt<> written = write_once(); !written) return std::unexpected(written.error());
    const std::chrono::duration<double, std::micro> one = std::chrono::steady_clock::now() - start;
    took.push_back(one.count());
  }
  return latency_of(std::move(took));
}

/// The same bytes for the same seed on every machine.
void fill_pattern(std::span<std::uint8_t> memory, std::uint64_t seed);

}  // namespace spark::helpers
