#include "helpers/verbs/endpoint.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <random>

namespace spark::helpers {
namespace {

bool carries(const ibv_gid& gid, const IpAddress& ip) {
  return IpAddress::from_bytes(std::span(gid.raw))->unmapped() == ip;
}

}  // namespace

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

std::optional<ibv_mtu> path_mtu_of(std::uint32_t bytes) {
  for (const auto mtu : {IBV_MTU_256, IBV_MTU_512, IBV_MTU_1024, IBV_MTU_2048, IBV_MTU_4096}) {
    if (bytes_of(mtu) == bytes) return mtu;
  }
  return std::nullopt;
}

Attempt<ibv_port_attr> query_port(ibv_context& device, std::uint8_t number) {
  ibv_port_attr port{};
  if (const int error = ibv_query_port(&device, number, &port); error != 0) {
    return failed("ibv_query_port", error);
  }
  return port;
}

Attempt<ibv_gid_entry> find_gid(ibv_context& device, std::uint8_t number, const ibv_port_attr& port,
                                int link_index, const IpAddress& ip) {
  std::vector<ibv_gid_entry> table(static_cast<std::size_t>(std::max(port.gid_tbl_len, 0)));
  const auto used = ibv_query_gid_table(&device, table.data(), table.size(), 0);
  if (used < 0) return failed("ibv_query_gid_table", static_cast<int>(-used));
  table.resize(static_cast<std::size_t>(used));
  const auto found = std::ranges::find_if(table, [&](const ibv_gid_entry& entry) {
    return entry.port_num == number && entry.gid_type == IBV_GID_TYPE_ROCE_V2 &&
           entry.ndev_ifindex == static_cast<std::uint32_t>(link_index) && carries(entry.gid, ip);
  });
  if (found == table.end()) {
    return failed("find the GID", ENODATA, "no RoCE v2 GID of " + ip.text());
  }
  if (found->gid_index > UINT8_MAX) {
    return failed("find the GID", ERANGE, "its index is beyond what verbs can name");
  }
  return *found;
}

namespace {

// A receiver that is not ready is asked again six times: seven would mean forever
// (ibv_modify_qp(3)).
constexpr std::uint8_t kReceiverRetries = 6;
constexpr std::uint8_t kReceiverTimer = 12;  // 0.64 ms
constexpr std::uint8_t kHopLimit = 64;       // the kernel wants one, and sets its own
constexpr std::uint32_t kMessagesToReceive = 2;

}  // namespace

Attempt<> Endpoint::open(const std::string& device, std::uint8_t port) {
  port_number_ = port;
  auto context = open_device(device);
  if (!context) return std::unexpected(std::move(context.error()));
  context_ = std::move(*context);
  const auto queried = query_port(*context_, port);
  if (!queried) return std::unexpected(queried.error());
  port_ = *queried;
  return {};
}

Attempt<> Endpoint::select_gid(int link_index, const IpAddress& ip) {
  const auto found = find_gid(*context_, port_number_, port_, link_index, ip);
  if (!found) return std::unexpected(found.error());
  gid_ = *found;
  return {};
}

Attempt<> Endpoint::allocate(std::size_t completions, Events events) {
  domain_.reset(ibv_alloc_pd(context_.get()));
  if (!domain_) return failed("ibv_alloc_pd", errno);
  if (events == Events::kOnChannel) {
    channel_.reset(ibv_create_comp_channel(context_.get()));
    if (!channel_) return failed("ibv_create_comp_channel", errno);
  }
  queue_.reset(
      ibv_create_cq(context_.get(), static_cast<int>(completions), nullptr, channel_.get(), 0));
  if (!queue_) return failed("ibv_create_cq", errno);
  if (!pages_.valid()) return failed("mmap", ENOMEM);
  constexpr int kAccess = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
  region_.reset(ibv_reg_mr(domain_.get(), pages_.start(), pages_.bytes().size(), kAccess));
  if (!region_) return failed("ibv_reg_mr", errno);
  return {};
}

Attempt<> Endpoint::create_queue_pairs(std::size_t count, std::size_t depth) {
  ibv_qp_init_attr wanted{};
  wanted.send_cq = queue_.get();
  wanted.recv_cq = queue_.get();
  wanted.qp_type = IBV_QPT_RC;
  wanted.cap = {.max_send_wr = static_cast<std::uint32_t>(depth),
                .max_recv_wr = kMessagesToReceive,
                .max_send_sge = 1,
                .max_recv_sge = 1,
                .max_inline_data = 0};
  for (std::size_t i = 0; i < count; ++i) {
    auto& pair = pairs_.emplace_back(ibv_create_qp(domain_.get(), &wanted));
    if (!pair) return failed("ibv_create_qp", errno);
  }
  ibv_qp_attr to{};
  to.qp_state = IBV_QPS_INIT;
  to.port_num = port_number_;
  to.qp_access_flags = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
  for (const auto& pair : pairs_) {
    const int error = ibv_modify_qp(
        pair.get(), &to, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
    if (error != 0) return failed("ibv_modify_qp to INIT", error);
  }
  return {};
}

Attempt<> Endpoint::make_receive(std::size_t pair, const Path& path) {
  ibv_qp_attr to{};
  to.qp_state = IBV_QPS_RTR;
  to.path_mtu = path.mtu;
  to.dest_qp_num = path.queue_pair;
  to.rq_psn = path.other_psn;
  to.max_dest_rd_atomic = path.reads_answered;
  to.min_rnr_timer = kReceiverTimer;
  to.ah_attr.is_global = 1;
  to.ah_attr.port_num = port_number_;
  to.ah_attr.grh.dgid = path.gid;
  to.ah_attr.grh.sgid_index = static_cast<std::uint8_t>(gid_.gid_index);
  to.ah_attr.grh.hop_limit = kHopLimit;
  const int error =
      ibv_modify_qp(pairs_[pair].get(), &to,
                    IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                        IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
  if (error != 0) return failed("ibv_modify_qp to RTR", error);
  return {};
}

Attempt<> Endpoint::make_send(std::size_t pair, const Path& path) {
  ibv_qp_attr to{};
  to.qp_state = IBV_QPS_RTS;
  to.sq_psn = path.own_psn;
  to.timeout = path.ack_timeout;
  to.retry_cnt = path.retries;
  to.rnr_retry = kReceiverRetries;
  to.max_rd_atomic = path.reads_asked;
  const int error = ibv_modify_qp(pairs_[pair].get(), &to,
                                  IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
                                      IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC);
  if (error != 0) return failed("ibv_modify_qp to RTS", error);
  return {};
}

Attempt<> Endpoint::post(std::size_t pair, const Work& work) {
  ibv_sge part{.addr = reinterpret_cast<std::uintptr_t>(work.local.data()),
               .length = static_cast<std::uint32_t>(work.local.size()),
               .lkey = region_->lkey};
  std::array<ibv_send_wr, kMostInWork> requests{};
  const auto used = std::span(requests).first(work.count);
  for (std::size_t i = 0; i < used.size(); ++i) {
    auto& request = used[i];
    request.wr_id = work.id;
    request.next = i + 1 < used.size() ? &used[i + 1] : nullptr;
    request.sg_list = &part;
    request.num_sge = 1;
    request.opcode = work.operation;
    request.send_flags = request.next == nullptr ? IBV_SEND_SIGNALED : 0;
    if (work.operation != IBV_WR_SEND) {
      request.wr.rdma.remote_addr = work.remote.address;
      request.wr.rdma.rkey = work.remote.rkey;
    }
  }
  ibv_send_wr* refused = nullptr;
  const int error = ibv_post_send(pairs_[pair].get(), used.data(), &refused);
  if (error != 0) return failed("ibv_post_send", error);
  return {};
}

Attempt<> Endpoint::post_receive(std::size_t pair, std::span<std::uint8_t> local,
                                 std::uint64_t id) {
  ibv_sge part{.addr = reinterpret_cast<std::uintptr_t>(local.data()),
               .length = static_cast<std::uint32_t>(local.size()),
               .lkey = region_->lkey};
  ibv_recv_wr work{};
  work.wr_id = id;
  work.sg_list = &part;
  work.num_sge = 1;
  ibv_recv_wr* refused = nullptr;
  const int error = ibv_post_recv(pairs_[pair].get(), &work, &refused);
  if (error != 0) return failed("ibv_post_recv", error);
  return {};
}

Attempt<std::span<ibv_wc>> Endpoint::poll(std::span<ibv_wc> room) {
  const int taken = ibv_poll_cq(queue_.get(), static_cast<int>(room.size()), room.data());
  if (taken < 0) return failed("ibv_poll_cq", EIO);
  return room.first(static_cast<std::size_t>(taken));
}

Attempt<> Endpoint::arm() {
  const int error = ibv_req_notify_cq(queue_.get(), 0);
  if (error != 0) return failed("ibv_req_notify_cq", error);
  return {};
}

Attempt<> Endpoint::disarm() {
  ibv_cq* queue = nullptr;
  void* unused = nullptr;
  if (ibv_get_cq_event(channel_.get(), &queue, &unused) != 0) {
    return failed("ibv_get_cq_event", errno);
  }
  // ibv_destroy_cq waits for events that were taken and not acknowledged.
  ibv_ack_cq_events(queue, 1);
  return {};
}

Attempt<std::pair<std::uint8_t, std::uint8_t>> Endpoint::most_reads() const {
  ibv_device_attr device{};
  if (const int error = ibv_query_device(context_.get(), &device); error != 0) {
    return failed("ibv_query_device", error);
  }
  const auto in_byte = [](int number) {
    return static_cast<std::uint8_t>(std::clamp(number, 1, UINT8_MAX));
  };
  return std::pair{in_byte(device.max_qp_rd_atom), in_byte(device.max_qp_init_rd_atom)};
}

RemoteMemory Endpoint::remote(std::span<std::uint8_t> part) const {
  return {.address = reinterpret_cast<std::uintptr_t>(part.data()), .rkey = region_->rkey};
}

Attempt<> check_completion(const ibv_wc& done, std::string_view operation) {
  if (done.status == IBV_WC_SUCCESS) return {};
  return failed(operation, 0, ibv_wc_status_str(done.status));
}

Latency latency_of(std::vector<double> took_us) {
  constexpr std::size_t kPercent = 100;
  constexpr std::size_t kMost = 99;
  std::ranges::sort(took_us);
  return {.p50_us = took_us[took_us.size() / 2],
          .p99_us = took_us[took_us.size() * kMost / kPercent]};
}

void fill_pattern(std::span<std::uint8_t> memory, std::uint64_t seed) {
  // The standard fixes its numbers, and so the bytes of a seed are the same everywhere.
  std::mt19937_64 random(seed);
  constexpr std::size_t kBytesOfNumber = 8;
  constexpr unsigned kBitsOfByte = 8;
  for (std::size_t at = 0; at < memory.size(); at += kBytesOfNumber) {
    auto number = random();
    for (auto& byte : memory.subspan(at, std::min(kBytesOfNumber, memory.size() - at))) {
      byte = static_cast<std::uint8_t>(number);
      number >>= kBitsOfByte;
    }
  }
}

}  // namespace spark::helpers
