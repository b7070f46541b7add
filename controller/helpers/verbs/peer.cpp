#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <utility>

#include "base/random.hpp"
#include "helpers/verbs/peer_link.hpp"
#include "helpers/verbs/tasks.hpp"

namespace spark::helpers {
namespace {

using BenchClock = PeerLink::Clock;

constexpr std::size_t kMessageBytes = std::size_t{64} * 1024;
/// What `bench` may register for a rail, what it lends to the peer included.
constexpr std::size_t kMostMemory = std::size_t{64} * 1024 * 1024;
static_assert(2 * protocol::kMostQueuePairs * kMessageBytes <= kMostMemory);
/// Messages under way, over all queue pairs.
constexpr std::size_t kBenchDepth = 128;
/// Parts in which a queue pair's share of them is posted, each with one completion: while one part
/// is under way, another can be posted.
constexpr std::size_t kParts = 4;
constexpr std::chrono::milliseconds kProgressEach{250};

double bits_per_second(std::uint64_t bytes, BenchClock::duration took) {
  constexpr double kBitsOfByte = 8;
  const double seconds = std::chrono::duration<double>(took).count();
  return seconds > 0 ? static_cast<double>(bytes) * kBitsOfByte / seconds : 0;
}

/// One measurement.
class Stream {
 public:
  Stream(PeerLink& link, const protocol::PeerRequest& request)
      : link_(link),
        is_read_(request.operation == protocol::PeerOperation::kRead),
        queue_pairs_(request.queue_pairs),
        in_part_(std::clamp<std::size_t>(kBenchDepth / queue_pairs_ / kParts, 1, kMostInWork)),
        most_parts_(kBenchDepth / queue_pairs_ / in_part_),
        duration_(request.duration) {}

  Attempt<> run() {
    start_ = progressed_ = BenchClock::now();
    const auto end = start_ + duration_;
    while (BenchClock::now() < end) {
      for (std::size_t pair = 0; pair < queue_pairs_; ++pair) {
        if (auto filled = fill(pair); !filled) return filled;
      }
      if (auto taken = take(std::min(end, progressed_ + kProgressEach)); !taken) return taken;
      if (auto said = report_progress(); !said) return said;
    }
    // What is under way counts, and so does the time that it takes.
    while (std::ranges::any_of(under_way_, [](std::size_t parts) { return parts > 0; })) {
      if (BenchClock::now() >= link_.deadline()) {
        return failed(name(), ETIMEDOUT, "no completion before the deadline");
      }
      if (auto taken = take(link_.deadline()); !taken) return taken;
    }
    return {};
  }

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] BenchClock::duration took() const { return last_ - start_; }

 private:
  [[nodiscard]] std::string_view name() const { return is_read_ ? "READ" : "WRITE"; }

  Attempt<> fill(std::size_t pair) {
    // A message's place for each queue pair: small enough for the caches, as perftest has it.
    const std::size_t offset = pair * kMessageBytes;
    while (under_way_.at(pair) < most_parts_) {
      const Work work{.operation = is_read_ ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE,
                      .local = link_.own().subspan(offset, kMessageBytes),
                      .remote = link_.remote(offset),
                      .count = in_part_};
      if (auto posted = link_.post(pair, work); !posted) return posted;
      ++under_way_.at(pair);
    }
    return {};
  }

  Attempt<> take(BenchClock::time_point until) {
    const auto pairs = link_.completed(name(), until, {});
    if (!pairs) return std::unexpected(pairs.error());
    for (const auto pair : *pairs) {
      --under_way_.at(pair);
      bytes_ += in_part_ * kMessageBytes;
    }
    if (!pairs->empty()) last_ = BenchClock::now();
    return {};
  }

  Attempt<> report_progress() {
    const auto now = BenchClock::now();
    if (now - progressed_ < kProgressEach) return {};
    const protocol::PeerProgress progress{
        .bits_per_second = bits_per_second(bytes_ - progressed_bytes_, now - progressed_),
        .bytes = bytes_};
    progressed_ = now;
    progressed_bytes_ = bytes_;
    return link_.say(progress);
  }

  PeerLink& link_;
  bool is_read_;
  std::size_t queue_pairs_;
  std::size_t in_part_;     ///< messages
  std::size_t most_parts_;  ///< under way on a queue pair
  std::chrono::seconds duration_;
  std::array<std::size_t, protocol::kMostQueuePairs> under_way_{};  ///< parts, by queue pair
  std::uint64_t bytes_ = 0;
  std::uint64_t progressed_bytes_ = 0;
  BenchClock::time_point start_;
  BenchClock::time_point last_;
  BenchClock::time_point progressed_;
};

PeerMemory bench_memory(std::uint32_t queue_pairs) {
  return {.lent = queue_pairs * kMessageBytes, .own = queue_pairs * kMessageBytes};
}

/// kWrite or kRead for the time that `request` says. Prints progress, and fills `report`.
Attempt<> run_bench(PeerLink& link, const protocol::PeerRequest& request,
                    protocol::PeerReport& report) {
  Stream stream(link, request);
  auto done = stream.run();
  report.bytes = stream.bytes();
  if (done) {
    report.seconds = std::chrono::duration<double>(stream.took()).count();
    report.bits_per_second = bits_per_second(stream.bytes(), stream.took());
  }
  return done;
}

using protocol::PeerOperation;
using protocol::PeerReport;
using protocol::PeerRequest;

constexpr std::size_t kPeerBytes = std::size_t{1024} * 1024;
/// Own areas: a source, a place for what READ brings, a place for what the other end sends.
constexpr std::size_t kOwnAreas = 3;

std::span<std::uint8_t> area(const PeerLink& link, std::size_t number) {
  return link.own().subspan(number * kPeerBytes, kPeerBytes);
}

Attempt<> write_and_read(PeerLink& link) {
  const auto source = area(link, 0);
  const auto copy = area(link, 1);
  // Other bytes where it is to arrive: nothing stale can pass.
  std::ranges::transform(source, copy.begin(),
                         [](std::uint8_t byte) { return static_cast<std::uint8_t>(~byte); });
  return in_order(
      [&] {
        return link.move(
            "WRITE", {.operation = IBV_WR_RDMA_WRITE, .local = source, .remote = link.remote(0)});
      },
      [&] {
        return link.move("READ",
                         {.operation = IBV_WR_RDMA_READ, .local = copy, .remote = link.remote(0)});
      },
      [&]() -> Attempt<> {
        if (std::ranges::equal(source, copy)) return {};
        return failed("WRITE and READ", 0, "what was read is not what was written");
      });
}

/// After READ: the place that it used takes the pattern which the other end announced.
Attempt<> check_received(PeerLink& link) {
  const auto expected = area(link, 1);
  fill_pattern(expected, link.other_offer().seed);
  if (std::ranges::equal(expected, area(link, 2))) return {};
  return failed("SEND of the other end", 0, "what arrived is not what was sent");
}

Attempt<> verify(PeerLink& link, PeerReport& report) {
  return in_order(
      [&] { return write_and_read(link); },
      [&] { return link.move("SEND", {.operation = IBV_WR_SEND, .local = area(link, 0)}); },
      [&]() -> Attempt<> {
        report.verified = true;
        const auto latency = link.measure_small_writes();
        return latency ? Attempt<>() : std::unexpected(latency.error());
      },
      [&] { return link.receive(); }, [&] { return check_received(link); },
      [&]() -> Attempt<> {
        report.received = true;
        return {};
      });
}

/// Nothing to do but to be there, until the other end has ended.
Attempt<> lend(PeerLink& link) {
  if (link.other().wait_for_report(link.deadline())) return {};
  if (link.other().is_lost()) {
    return failed("other end", ECONNRESET, "its lines ended before its report");
  }
  return failed("other end", ETIMEDOUT, "no report of it before the deadline");
}

Attempt<> do_operation(PeerLink& link, const PeerRequest& request, PeerReport& report) {
  switch (request.operation) {
    case PeerOperation::kVerify:
      return verify(link, report);
    case PeerOperation::kNone:
      return lend(link);
    case PeerOperation::kWrite:
    case PeerOperation::kRead:
      return run_bench(link, request, report);
  }
  return failed("operation", EINVAL);
}

}  // namespace

PeerReport run_peer(const PeerRequest& request, int lines_in, std::FILE* lines_out) {
  PeerReport report{.operation = request.operation, .queue_pairs = request.queue_pairs};
  const bool verifies = request.operation == PeerOperation::kVerify;
  const PeerMemory memory = verifies ? PeerMemory{.lent = kPeerBytes, .own = kOwnAreas * kPeerBytes}
                                     : bench_memory(request.queue_pairs);
  PeerLink link(request, memory, report, lines_in, lines_out);
  std::array<std::uint8_t, sizeof(std::uint64_t)> random{};
  // Without it the pattern is that of another run, which is no failure of the port.
  static_cast<void>(fill_random(random));
  const auto seed = std::bit_cast<std::uint64_t>(random);
  if (link.has_memory() && verifies) fill_pattern(area(link, 0), seed);
  Attempt<> done = link.meet(seed, verifies ? kPeerBytes : 0);
  if (done) {
    done = do_operation(link, request, report);
    if (!done) done.error().why += link.listen_for_reason();
  }
  if (!done) {
    take_down(report, std::move(done.error()));
    report.other_why = link.other().reason();
  }
  if (auto said = link.say(report); !said) take_down(report, std::move(said.error()));
  // Its queue pairs may still ask for this memory. Whether it says so or is lost, it is done then.
  static_cast<void>(link.other().wait_for_report(link.deadline()));
  return report;
}

}  // namespace spark::helpers
