#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <utility>

#include "base/random.hpp"
#include "helpers/verbs/bench.hpp"
#include "helpers/verbs/peer_link.hpp"
#include "helpers/verbs/tasks.hpp"

namespace spark::helpers {
namespace {

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
