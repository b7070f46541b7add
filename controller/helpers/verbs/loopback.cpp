#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <random>
#include <utility>

#include <sys/resource.h>

#include "helpers/verbs/endpoint.hpp"
#include "helpers/verbs/tasks.hpp"
#include "helpers/verbs/verbs.hpp"

namespace spark::helpers {
namespace {

Attempt<> register_memory(const protocol::RegistrationRequest& request,
                          protocol::RegistrationReport& report) {
  rlimit limit{};
  if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0) return failed("getrlimit", errno);
  report.limit = limit.rlim_cur == RLIM_INFINITY ? UINT64_MAX : limit.rlim_cur;
  const auto device = open_device(request.device);
  if (!device) return std::unexpected(device.error());
  const Pages pages(request.bytes);
  if (!pages.valid()) return failed("mmap", errno);
  const ProtectionDomain domain(ibv_alloc_pd(device->get()));
  if (!domain) return failed("ibv_alloc_pd", errno);
  constexpr int kAccess = IBV_ACCESS_LOCAL_WRITE;  // ibv_reg_mr is a macro that computes with it
  const MemoryRegion region(ibv_reg_mr(domain.get(), pages.start(), pages.bytes().size(), kAccess));
  if (!region) return failed("ibv_reg_mr", errno);
  report.registered = true;
  return {};
}

}  // namespace

protocol::RegistrationReport run_registration(const protocol::RegistrationRequest& request) {
  protocol::RegistrationReport report;
  if (auto done = register_memory(request, report); !done) {
    take_down(report, std::move(done.error()));
  }
  return report;
}

namespace {

using LoopbackClock = std::chrono::steady_clock;

constexpr std::size_t kLoopbackBytes = std::size_t{1024} * 1024;
constexpr std::size_t kLoopbackAreas = 4;
constexpr std::size_t kWindow = 16;
constexpr std::chrono::milliseconds kBandwidthTime{1000};
constexpr std::uint32_t kSequence = 0x1234;
constexpr std::uint8_t kLoopbackRetries = 3;  // no packet leaves the port

/// One run: each step leaves what it made for the next, or says why it could not.
class Run {
 public:
  Run(const protocol::LoopbackRequest& request, protocol::LoopbackReport& report)
      : request_(request), report_(report), end_(LoopbackClock::now() + request.deadline) {}

  Attempt<> all() {
    return in_order([&] { return open(); }, [&] { return allocate(); }, [&] { return connect(); },
                    [&] { return move_bytes(); },
                    [&] {
                      report_.bytes_moved = true;
                      return time_small_writes();
                    },
                    [&] { return request_.with_bandwidth ? measure_bandwidth() : Attempt<>(); });
  }

 private:
  Attempt<> open() {
    // The verbs API has a byte for the port; the arguments were checked for that.
    auto opened = endpoint_.open(request_.device, static_cast<std::uint8_t>(request_.port));
    if (!opened) return opened;
    report_.state = name_of(endpoint_.port().state);
    report_.active_mtu = bytes_of(endpoint_.port().active_mtu);
    auto selected = endpoint_.select_gid(request_.link_index, request_.ip);
    if (selected) report_.gid_index = endpoint_.gid().gid_index;
    return selected;
  }

  Attempt<> allocate() {
    auto allocated = endpoint_.allocate(4 * kWindow, Events::kNone);
    report_.registered = endpoint_.is_registered();
    return allocated;
  }

  Attempt<> connect() {
    auto made = endpoint_.create_queue_pairs(2, 2 * kWindow);
    for (std::size_t pair = 0; made && pair < 2; ++pair) {
      const Path to_other{.queue_pair = endpoint_.number(1 - pair),
                          .gid = endpoint_.gid().gid,
                          .mtu = endpoint_.port().active_mtu,
                          .own_psn = kSequence,
                          .other_psn = kSequence,
                          .retries = kLoopbackRetries};
      made = in_order([&] { return endpoint_.make_receive(pair, to_other); },
                      [&] { return endpoint_.make_send(pair, to_other); });
    }
    return made;
  }

  /// A source, and a place for what each of WRITE, READ and SEND brings.
  [[nodiscard]] std::span<std::uint8_t> memory(std::size_t number) const {
    return endpoint_.memory().subspan(number * kLoopbackBytes, kLoopbackBytes);
  }

  /// A fresh pattern each run and other bytes where it is to arrive: nothing stale can pass.
  Attempt<> move_bytes() {
    fill_pattern(memory(0), std::random_device{}());
    for (std::size_t area = 1; area < kLoopbackAreas; ++area) {
      std::ranges::transform(memory(0), memory(area).begin(),
                             [](std::uint8_t byte) { return static_cast<std::uint8_t>(~byte); });
    }
    return in_order([&] { return post(0, IBV_WR_RDMA_WRITE, 0, 1, kLoopbackBytes); },
                    [&] { return complete(1, "WRITE"); }, [&] { return compare(1, "WRITE"); },
                    [&] { return post(1, IBV_WR_RDMA_READ, 2, 0, kLoopbackBytes); },
                    [&] { return complete(1, "READ"); }, [&] { return compare(2, "READ"); },
                    [&] { return endpoint_.post_receive(1, memory(3), 0); },
                    [&] { return post(0, IBV_WR_SEND, 0, 0, kLoopbackBytes); },
                    [&] { return complete(2, "SEND"); }, [&] { return compare(3, "SEND"); });
  }

  Attempt<> post(std::size_t pair, ibv_wr_opcode operation, std::size_t local, std::size_t remote,
                 std::size_t bytes) {
    return endpoint_.post(pair, {.operation = operation,
                                 .local = memory(local).first(bytes),
                                 .remote = endpoint_.remote(memory(remote))});
  }

  /// Takes `count` completions.
  Attempt<> complete(std::size_t count, std::string_view operation) {
    std::array<ibv_wc, 1> room{};
    while (count > 0) {
      const auto taken = endpoint_.poll(room);
      if (!taken) return std::unexpected(taken.error());
      for (const auto& done : *taken) {
        if (auto good = check_completion(done, operation); !good) return good;
      }
      count -= taken->size();
      if (taken->empty() && LoopbackClock::now() > end_) {
        return failed(operation, ETIMEDOUT, "no completion before the deadline");
      }
    }
    return {};
  }

  Attempt<> compare(std::size_t area, std::string_view operation) {
    if (std::ranges::equal(memory(0), memory(area))) return {};
    return failed(operation, 0, "what arrived is not what was sent");
  }

  Attempt<> time_small_writes() {
    const auto latency = measure_latency([&] {
      return in_order([&] { return post(0, IBV_WR_RDMA_WRITE, 0, 1, kLatencyBytes); },
                      [&] { return complete(1, "WRITE of 8 bytes"); });
    });
    if (!latency) return std::unexpected(latency.error());
    report_.latency_p50_us = latency->p50_us;
    report_.latency_p99_us = latency->p99_us;
    return {};
  }

  Attempt<> measure_bandwidth() {
    const auto start = LoopbackClock::now();
    std::size_t posted = 0;
    std::size_t completed = 0;
    bool open = true;
    while (open || completed < posted) {
      while (open && posted - completed < kWindow) {
        if (auto done = post(0, IBV_WR_RDMA_WRITE, 0, 1, kLoopbackBytes); !done) return done;
        ++posted;
      }
      if (auto done = complete(1, "WRITE"); !done) return done;
      ++completed;
      open = LoopbackClock::now() - start < kBandwidthTime;
    }
    const std::chrono::duration<double> took = LoopbackClock::now() - start;
    constexpr double kBitsOfByte = 8;
    report_.bits_per_second =
        static_cast<double>(completed * kLoopbackBytes) * kBitsOfByte / took.count();
    return {};
  }

  const protocol::LoopbackRequest& request_;
  protocol::LoopbackReport& report_;
  LoopbackClock::time_point end_;
  Endpoint endpoint_{kLoopbackAreas * kLoopbackBytes};
};

}  // namespace

protocol::LoopbackReport run_loopback(const protocol::LoopbackRequest& request) {
  protocol::LoopbackReport report;
  if (auto done = Run(request, report).all(); !done) take_down(report, std::move(done.error()));
  return report;
}

}  // namespace spark::helpers
