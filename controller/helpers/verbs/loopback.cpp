#include "helpers/verbs/loopback.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <random>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "helpers/verbs/verbs.hpp"

namespace spark::helpers {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMessageBytes = std::size_t{1024} * 1024;
constexpr std::size_t kAreas = 4;
constexpr std::uint32_t kWindow = 16;
constexpr std::size_t kLatencyRounds = 200;
constexpr std::chrono::milliseconds kBandwidthTime{1000};
constexpr std::uint32_t kSequence = 0x1234;

// 4.096 us * 2^14 is 67 ms for an acknowledgement, tried again three times. A receiver that is not
// ready is asked again six times: seven would mean forever (ibv_modify_qp(3)).
constexpr std::uint8_t kAckTimeout = 14;
constexpr std::uint8_t kRetries = 3;
constexpr std::uint8_t kReceiverRetries = 6;
constexpr std::uint8_t kReceiverTimer = 12;  // 0.64 ms
constexpr std::uint8_t kHopLimit = 64;       // the kernel wants one; no packet leaves the port

std::string_view name_of(ibv_port_state state) {
  constexpr std::array<std::string_view, 6> kNames{"unknown", "down",   "init",
                                                   "armed",   "active", "active_defer"};
  const auto number = static_cast<std::size_t>(state);
  return number < kNames.size() ? kNames.at(number) : "unknown";
}

std::uint32_t bytes_of(ibv_mtu mtu) {
  constexpr std::uint32_t kHalfOfLeast = 128;  // IBV_MTU_256 is 1
  return kHalfOfLeast << static_cast<unsigned>(mtu);
}

bool carries(const ibv_gid& gid, const IpAddress& ip) {
  return IpAddress::from_bytes(std::span(gid.raw))->unmapped() == ip;
}

/// One run: each step leaves what it made for the next, or says why it could not.
class Run {
 public:
  Run(const protocol::LoopbackRequest& request, protocol::LoopbackReport& report)
      : request_(request), report_(report), end_(Clock::now() + request.deadline) {}

  void all() {
    if (!open() || !look() || !find_gid() || !allocate() || !connect() || !move_bytes()) {
      return;
    }
    report_.bytes_moved = true;
    if (measure_latency() && request_.with_bandwidth) {
      measure_bandwidth();
    }
  }

 private:
  bool fail(std::string_view step, int number, std::string why = {}) {
    report_.failed = step;
    report_.error_number = number;
    report_.why = why.empty() ? std::generic_category().message(number) : std::move(why);
    return false;
  }

  /// The verbs API has a byte for it; the arguments were checked for that.
  [[nodiscard]] std::uint8_t port_number() const {
    return static_cast<std::uint8_t>(request_.port);
  }

  bool open() {
    auto device = open_device(request_.device);
    context_ = std::move(device.context);
    return context_ ? true : fail(device.failed, device.error_number);
  }

  /// A source, and a place for what each of WRITE, READ and SEND brings.
  [[nodiscard]] std::span<std::uint8_t> memory(std::size_t number) const {
    return pages_.bytes().subspan(number * kMessageBytes, kMessageBytes);
  }

  bool look() {
    if (const int error = ibv_query_port(context_.get(), port_number(), &port_); error != 0) {
      return fail("ibv_query_port", error);
    }
    report_.state = name_of(port_.state);
    report_.active_mtu = bytes_of(port_.active_mtu);
    return true;
  }

  bool find_gid() {
    std::vector<ibv_gid_entry> table(static_cast<std::size_t>(std::max(port_.gid_tbl_len, 0)));
    const auto used = ibv_query_gid_table(context_.get(), table.data(), table.size(), 0);
    if (used < 0) {
      return fail("ibv_query_gid_table", static_cast<int>(-used));
    }
    table.resize(static_cast<std::size_t>(used));
    const auto found = std::ranges::find_if(table, [&](const ibv_gid_entry& entry) {
      return entry.port_num == request_.port && entry.gid_type == IBV_GID_TYPE_ROCE_V2 &&
             entry.ndev_ifindex == static_cast<std::uint32_t>(request_.link_index) &&
             carries(entry.gid, request_.ip);
    });
    if (found == table.end()) {
      return fail("find the GID", ENODATA, "no RoCE v2 GID of " + request_.ip.text());
    }
    if (found->gid_index > UINT8_MAX) {
      return fail("find the GID", ERANGE, "its index is beyond what verbs can name");
    }
    gid_ = *found;
    report_.gid_index = gid_.gid_index;
    return true;
  }

  bool allocate() {
    domain_.reset(ibv_alloc_pd(context_.get()));
    if (!domain_) {
      return fail("ibv_alloc_pd", errno);
    }
    queue_.reset(ibv_create_cq(context_.get(), 4 * kWindow, nullptr, nullptr, 0));
    if (!queue_) {
      return fail("ibv_create_cq", errno);
    }
    if (!pages_.valid()) {
      return fail("mmap", ENOMEM);
    }
    region_.reset(
        ibv_reg_mr(domain_.get(), pages_.start(), kAreas * kMessageBytes,
                   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ));
    report_.registered = region_ != nullptr;
    return report_.registered || fail("ibv_reg_mr", errno);
  }

  bool connect() {
    ibv_qp_init_attr wanted{};
    wanted.send_cq = queue_.get();
    wanted.recv_cq = queue_.get();
    wanted.qp_type = IBV_QPT_RC;
    wanted.cap = {.max_send_wr = 2 * kWindow,
                  .max_recv_wr = 2,
                  .max_send_sge = 1,
                  .max_recv_sge = 1,
                  .max_inline_data = 0};
    for (auto& pair : pairs_) {
      pair.reset(ibv_create_qp(domain_.get(), &wanted));
      if (!pair) {
        return fail("ibv_create_qp", errno);
      }
    }
    return initialise(*pairs_[0]) && initialise(*pairs_[1]) && make_ready(*pairs_[0], *pairs_[1]) &&
           make_ready(*pairs_[1], *pairs_[0]);
  }

  bool initialise(ibv_qp& pair) {
    ibv_qp_attr to{};
    to.qp_state = IBV_QPS_INIT;
    to.port_num = port_number();
    to.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
    const int error = ibv_modify_qp(
        &pair, &to, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
    return error == 0 || fail("ibv_modify_qp to INIT", error);
  }

  bool make_ready(ibv_qp& pair, const ibv_qp& peer) {
    ibv_qp_attr receive{};
    receive.qp_state = IBV_QPS_RTR;
    receive.path_mtu = port_.active_mtu;
    receive.dest_qp_num = peer.qp_num;
    receive.rq_psn = kSequence;
    receive.max_dest_rd_atomic = 1;
    receive.min_rnr_timer = kReceiverTimer;
    receive.ah_attr.is_global = 1;
    receive.ah_attr.port_num = port_number();
    receive.ah_attr.grh.dgid = gid_.gid;
    receive.ah_attr.grh.sgid_index = static_cast<std::uint8_t>(gid_.gid_index);
    receive.ah_attr.grh.hop_limit = kHopLimit;
    if (const int error =
            ibv_modify_qp(&pair, &receive,
                          IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
                              IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
        error != 0) {
      return fail("ibv_modify_qp to RTR", error);
    }
    ibv_qp_attr send{};
    send.qp_state = IBV_QPS_RTS;
    send.sq_psn = kSequence;
    send.timeout = kAckTimeout;
    send.retry_cnt = kRetries;
    send.rnr_retry = kReceiverRetries;
    send.max_rd_atomic = 1;
    const int error =
        ibv_modify_qp(&pair, &send,
                      IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
                          IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC);
    return error == 0 || fail("ibv_modify_qp to RTS", error);
  }

  /// A fresh pattern each run and other bytes where it is to arrive: nothing stale can pass.
  bool move_bytes() {
    std::mt19937_64 random(std::random_device{}());
    std::ranges::generate(memory(0), [&] { return static_cast<std::uint8_t>(random()); });
    for (std::size_t area = 1; area < kAreas; ++area) {
      std::ranges::transform(memory(0), memory(area).begin(),
                             [](std::uint8_t byte) { return static_cast<std::uint8_t>(~byte); });
    }
    return post(*pairs_[0], IBV_WR_RDMA_WRITE, 0, 1, kMessageBytes) && complete(1, "WRITE") &&
           compare(1, "WRITE") && post(*pairs_[1], IBV_WR_RDMA_READ, 2, 0, kMessageBytes) &&
           complete(1, "READ") && compare(2, "READ") && send_and_receive() && compare(3, "SEND");
  }

  ibv_sge piece(std::size_t area, std::size_t bytes) {
    return {.addr = reinterpret_cast<std::uintptr_t>(memory(area).data()),
            .length = static_cast<std::uint32_t>(bytes),
            .lkey = region_->lkey};
  }

  bool post(ibv_qp& pair, ibv_wr_opcode operation, std::size_t local, std::size_t remote,
            std::size_t bytes) {
    auto part = piece(local, bytes);
    ibv_send_wr work{};
    work.sg_list = &part;
    work.num_sge = 1;
    work.opcode = operation;
    work.send_flags = IBV_SEND_SIGNALED;
    if (operation != IBV_WR_SEND) {
      work.wr.rdma.remote_addr = reinterpret_cast<std::uintptr_t>(memory(remote).data());
      work.wr.rdma.rkey = region_->rkey;
    }
    ibv_send_wr* refused = nullptr;
    const int error = ibv_post_send(&pair, &work, &refused);
    return error == 0 || fail("ibv_post_send", error);
  }

  bool send_and_receive() {
    auto part = piece(3, kMessageBytes);
    ibv_recv_wr work{};
    work.sg_list = &part;
    work.num_sge = 1;
    ibv_recv_wr* refused = nullptr;
    if (const int error = ibv_post_recv(pairs_[1].get(), &work, &refused); error != 0) {
      return fail("ibv_post_recv", error);
    }
    return post(*pairs_[0], IBV_WR_SEND, 0, 0, kMessageBytes) && complete(2, "SEND");
  }

  /// Takes `count` completions.
  bool complete(int count, std::string_view operation) {
    while (count > 0) {
      ibv_wc done{};
      const int taken = ibv_poll_cq(queue_.get(), 1, &done);
      if (taken < 0) {
        return fail("ibv_poll_cq", EIO);
      }
      if (taken > 0 && done.status != IBV_WC_SUCCESS) {
        return fail(operation, 0, ibv_wc_status_str(done.status));
      }
      count -= taken;
      if (taken == 0 && Clock::now() > end_) {
        return fail(operation, ETIMEDOUT, "no completion before the deadline");
      }
    }
    return true;
  }

  bool compare(std::size_t area, std::string_view operation) {
    return std::ranges::equal(memory(0), memory(area)) ||
           fail(operation, 0, "what arrived is not what was sent");
  }

  bool measure_latency() {
    constexpr std::size_t kBytes = 8;
    std::vector<double> took;
    while (took.size() < kLatencyRounds) {
      const auto start = Clock::now();
      if (!post(*pairs_[0], IBV_WR_RDMA_WRITE, 0, 1, kBytes) || !complete(1, "WRITE of 8 bytes")) {
        return false;
      }
      took.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    }
    std::ranges::sort(took);
    report_.latency_p50_us = took[took.size() / 2];
    report_.latency_p99_us = took[took.size() * 99 / 100];
    return true;
  }

  bool measure_bandwidth() {
    const auto start = Clock::now();
    std::size_t posted = 0;
    std::size_t completed = 0;
    bool open = true;
    while (open || completed < posted) {
      while (open && posted - completed < kWindow) {
        if (!post(*pairs_[0], IBV_WR_RDMA_WRITE, 0, 1, kMessageBytes)) {
          return false;
        }
        ++posted;
      }
      if (!complete(1, "WRITE")) {
        return false;
      }
      ++completed;
      open = Clock::now() - start < kBandwidthTime;
    }
    const std::chrono::duration<double> took = Clock::now() - start;
    constexpr double kBitsOfByte = 8;
    report_.bits_per_second =
        static_cast<double>(completed * kMessageBytes) * kBitsOfByte / took.count();
    return true;
  }

  const protocol::LoopbackRequest& request_;
  protocol::LoopbackReport& report_;
  Clock::time_point end_;
  ibv_port_attr port_{};
  ibv_gid_entry gid_{};
  // In creation order: verbs takes them apart in the reverse.
  Pages pages_{kAreas * kMessageBytes};
  Context context_;
  ProtectionDomain domain_;
  CompletionQueue queue_;
  MemoryRegion region_;
  std::array<QueuePair, 2> pairs_;
};

}  // namespace

protocol::LoopbackReport run_loopback(const protocol::LoopbackRequest& request) {
  protocol::LoopbackReport report;
  Run(request, report).all();
  return report;
}

}  // namespace spark::helpers
