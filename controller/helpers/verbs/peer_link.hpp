#pragma once
// PeerLink: queue pairs of this node that are joined to those of another, by lines that who started
// both ends passes on.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string_view>

#include "helpers/verbs/endpoint.hpp"
#include "helpers/verbs/other_end.hpp"
#include "protocol/peer_probe.hpp"

namespace spark::helpers {

/// The memory of a PeerLink: what it lends to the other end, and behind that its own.
struct PeerMemory {
  std::size_t lent = 0;  ///< bytes
  std::size_t own = 0;   ///< bytes
};

class PeerLink {
 public:
  using Clock = OtherEnd::Clock;

  /// `report` is filled as far as it comes. `lines_in` and `lines_out` are the other end's.
  PeerLink(const protocol::PeerRequest& request, PeerMemory memory, protocol::PeerReport& report,
           int lines_in, std::FILE* lines_out);

  /// From opening the device to where both ends may move bytes. `seed` is offered. What the other
  /// end sends arrives in the last `to_receive` bytes of own(); 0: it sends nothing.
  Attempt<> meet(std::uint64_t seed, std::size_t to_receive);

  [[nodiscard]] bool has_memory() const { return endpoint_.has_memory(); }
  [[nodiscard]] std::span<std::uint8_t> lent() const;
  [[nodiscard]] std::span<std::uint8_t> own() const;
  /// Memory that the other end lends.
  [[nodiscard]] RemoteMemory remote(std::size_t offset) const;
  [[nodiscard]] const protocol::PeerOffer& other_offer() const { return other_offer_; }
  [[nodiscard]] OtherEnd& other() { return other_; }

  /// `work.id` is not used: completed() counts by queue pair.
  Attempt<> post(std::size_t pair, Work work);
  /// Waits until own work has completed, and no longer than `until`: the queue pairs of those
  /// completions, a number each, or none. It looks for `spin` before it sleeps: what is measured in
  /// microseconds cannot wait for an interrupt. Fails when the other end is lost.
  Attempt<std::span<const std::size_t>> completed(std::string_view operation,
                                                  Clock::time_point until, Clock::duration spin);
  /// Posts it and waits for its completion.
  Attempt<> move(std::string_view operation, const Work& work, Clock::duration spin = {});
  /// Waits until what the other end sent has arrived.
  Attempt<> receive();
  Attempt<Latency> measure_small_writes();

  template <class Line>
  Attempt<> say(const Line& line) {
    return print(protocol::peer_line_text(line));
  }

  /// After a failure of own work: gives the other end a moment to say why. What to add to the
  /// words.
  std::string_view listen_for_reason();
  [[nodiscard]] Clock::time_point deadline() const { return deadline_; }

 private:
  Attempt<> prepare();
  Attempt<> make_offer(std::uint64_t seed);
  Attempt<> join();
  Attempt<> print(const std::string& line);
  /// Takes what has completed, without waiting: queue pairs into `done_`.
  Attempt<std::size_t> take(std::string_view operation);
  /// The first call arms the queue: look once more after it. The next sleeps until something
  /// completes, the other end says something, or `until`.
  Attempt<> arm_or_sleep(Clock::time_point until);
  Attempt<> listen();

  const protocol::PeerRequest& request_;
  PeerMemory memory_;
  protocol::PeerReport& report_;
  std::FILE* lines_out_;
  Clock::time_point deadline_;
  Clock::time_point listened_;
  OtherEnd other_;
  protocol::PeerOffer own_offer_;
  protocol::PeerOffer other_offer_;
  std::uint8_t own_reads_ = 1;
  bool is_armed_ = false;
  bool has_received_ = false;
  std::array<std::size_t, 16> done_{};
  Endpoint endpoint_;
};

}  // namespace spark::helpers
