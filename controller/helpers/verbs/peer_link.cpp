#include "helpers/verbs/peer_link.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <poll.h>

#include "base/random.hpp"
#include "base/wait.hpp"

namespace spark::helpers {
namespace {

/// Own work requests under way, over all queue pairs.
constexpr std::size_t kPeerDepth = 128;
/// More than a loopback: a wire loses, and seven is the most that there is.
constexpr std::uint8_t kPeerRetries = 7;
/// 0.5 s, for measurements: on an emulated link under load an acknowledgement takes longer than the
/// usual 67 ms, and each packet that is sent again for that adds to the load.
constexpr std::uint8_t kPatientAckTimeout = 17;
/// As many as a ConnectX has; rxe has 128, which are no faster.
constexpr std::uint8_t kMostReads = 16;
constexpr std::uint32_t kPsnBits = 0xffffff;
/// Of a completion: what the other end sent has arrived. Below are the numbers of queue pairs.
constexpr std::uint64_t kReceived = protocol::kMostQueuePairs;
/// At least so often it looks whether the other end lives, however fast the completions come.
constexpr std::chrono::milliseconds kListenEach{50};
/// For the other end to say why: it is killed, or fails, at the same moment.
constexpr std::chrono::milliseconds kExplanation{300};

}  // namespace

PeerLink::PeerLink(const protocol::PeerRequest& request, PeerMemory memory,
                   protocol::PeerReport& report, int lines_in, std::FILE* lines_out)
    : request_(request),
      memory_(memory),
      report_(report),
      lines_out_(lines_out),
      deadline_(Clock::now() + request.deadline),
      listened_(Clock::now()),
      other_(lines_in, deadline_),
      endpoint_(memory.lent + memory.own) {}

Attempt<> PeerLink::meet(std::uint64_t seed, std::size_t to_receive) {
  return in_order(
      [&] { return prepare(); }, [&] { return make_offer(seed); }, [&] { return say(own_offer_); },
      [&]() -> Attempt<> {
        auto offer = other_.wait_for_offer();
        if (!offer) return std::unexpected(std::move(offer.error()));
        other_offer_ = std::move(*offer);
        if (auto good = protocol::check_offers(own_offer_, other_offer_); !good) {
          return failed("offers", EPROTO, std::move(good.error().what));
        }
        return {};
      },
      [&] { return join(); },
      [&]() -> Attempt<> {
        // Before the other end may send: a message without a place is sent again, and counted.
        return to_receive == 0 ? Attempt<>()
                               : endpoint_.post_receive(0, own().last(to_receive), kReceived);
      },
      [&] { return say(protocol::PeerConnected{.path_mtu = report_.path_mtu}); },
      [&] { return other_.wait_for_connected(); });
}

Attempt<> PeerLink::prepare() {
  return in_order(
      [&] {
        auto opened = endpoint_.open(request_.device, static_cast<std::uint8_t>(request_.port));
        if (opened) {
          report_.state = name_of(endpoint_.port().state);
          report_.active_mtu = bytes_of(endpoint_.port().active_mtu);
        }
        return opened;
      },
      [&] { return endpoint_.select_gid(request_.link_index, request_.ip); },
      [&] {
        report_.gid_index = endpoint_.gid().gid_index;
        auto allocated = endpoint_.allocate(2 * kPeerDepth, Events::kOnChannel);
        report_.registered = endpoint_.is_registered();
        return allocated;
      },
      [&] {
        return endpoint_.create_queue_pairs(request_.queue_pairs,
                                            kPeerDepth / request_.queue_pairs);
      });
}

Attempt<> PeerLink::make_offer(std::uint64_t seed) {
  const auto reads = endpoint_.most_reads();
  if (!reads) return std::unexpected(reads.error());
  own_reads_ = std::min(reads->second, kMostReads);
  // Fresh, so that no packet of an earlier connection of the same numbers is one of this.
  std::array<std::uint8_t, 3> psn{};
  if (auto filled = fill_random(psn); !filled) {
    return failed("getrandom", EIO, std::move(filled.error().what));
  }
  const auto memory = endpoint_.remote(lent());
  own_offer_.operation = request_.operation;
  own_offer_.state = report_.state;
  own_offer_.active_mtu = report_.active_mtu;
  own_offer_.gid = *IpAddress::from_bytes(std::span(endpoint_.gid().gid.raw));
  for (std::size_t pair = 0; pair < request_.queue_pairs; ++pair) {
    own_offer_.queue_pairs.push_back(endpoint_.number(pair));
  }
  own_offer_.psn = static_cast<std::uint32_t>(psn[0] | (psn[1] << 8U) | (psn[2] << 16U)) & kPsnBits;
  own_offer_.reads = std::min(reads->first, kMostReads);
  own_offer_.address = memory.address;
  own_offer_.rkey = memory.rkey;
  own_offer_.bytes = memory_.lent;
  own_offer_.seed = seed;
  return {};
}

Attempt<> PeerLink::join() {
  report_.path_mtu = std::min(own_offer_.active_mtu, other_offer_.active_mtu);
  const auto mtu = path_mtu_of(report_.path_mtu);
  if (!mtu) return failed("offers", EPROTO, "the path has no MTU of RDMA");
  Path path{.mtu = *mtu,
            .own_psn = own_offer_.psn,
            .other_psn = other_offer_.psn,
            .reads_asked =
                static_cast<std::uint8_t>(std::min<std::uint32_t>(own_reads_, other_offer_.reads)),
            .reads_answered = static_cast<std::uint8_t>(own_offer_.reads),
            .retries = kPeerRetries};
  if (request_.operation != protocol::PeerOperation::kVerify) path.ack_timeout = kPatientAckTimeout;
  std::ranges::copy(other_offer_.gid.bytes(), std::begin(path.gid.raw));
  Attempt<> joined;
  for (std::size_t pair = 0; joined && pair < request_.queue_pairs; ++pair) {
    path.queue_pair = other_offer_.queue_pairs[pair];
    joined = in_order([&] { return endpoint_.make_receive(pair, path); },
                      [&] { return endpoint_.make_send(pair, path); });
  }
  return joined;
}

std::span<std::uint8_t> PeerLink::lent() const { return endpoint_.memory().first(memory_.lent); }

std::span<std::uint8_t> PeerLink::own() const {
  return endpoint_.memory().subspan(memory_.lent, memory_.own);
}

RemoteMemory PeerLink::remote(std::size_t offset) const {
  return {.address = other_offer_.address + offset, .rkey = other_offer_.rkey};
}

Attempt<> PeerLink::post(std::size_t pair, Work work) {
  work.id = pair;
  return endpoint_.post(pair, work);
}

Attempt<std::size_t> PeerLink::take(std::string_view operation) {
  std::array<ibv_wc, std::tuple_size_v<decltype(done_)>> room{};
  const auto taken = endpoint_.poll(room);
  if (!taken) return std::unexpected(taken.error());
  std::size_t count = 0;
  Attempt<> first;
  for (const auto& one : *taken) {
    auto good = check_completion(one, operation);
    if (!good) {
      // Where one fails, all behind it are flushed: the flush is never the reason.
      if (first || (one.status != IBV_WC_WR_FLUSH_ERR)) first = std::move(good);
    } else if (one.wr_id == kReceived) {
      has_received_ = true;
    } else {
      done_.at(count++) = static_cast<std::size_t>(one.wr_id);
    }
  }
  if (!first) return std::unexpected(std::move(first.error()));
  return count;
}

Attempt<> PeerLink::listen() {
  listened_ = Clock::now();
  pollfd wanted{.fd = other_.fd(), .events = POLLIN, .revents = 0};
  return poll(&wanted, 1, 0) > 0 ? other_.read_on() : Attempt<>();
}

Attempt<> PeerLink::arm_or_sleep(Clock::time_point until) {
  if (!is_armed_) {
    is_armed_ = true;
    return endpoint_.arm();
  }
  std::array<pollfd, 2> wanted{pollfd{.fd = endpoint_.channel(), .events = POLLIN, .revents = 0},
                               pollfd{.fd = other_.fd(), .events = POLLIN, .revents = 0}};
  const int ready = poll_until(wanted, std::min(until, deadline_));
  if (ready < 0) return failed("poll", errno);
  if (ready == 0) return {};
  if (wanted[0].revents != 0) {
    is_armed_ = false;
    if (auto done = endpoint_.disarm(); !done) return done;
  }
  return wanted[1].revents != 0 ? other_.read_on() : Attempt<>();
}

Attempt<std::span<const std::size_t>> PeerLink::completed(std::string_view operation,
                                                          Clock::time_point until,
                                                          Clock::duration spin) {
  const auto begin = Clock::now();
  until = std::min(until, deadline_);
  while (true) {
    const auto count = take(operation);
    if (!count) return std::unexpected(count.error());
    const auto now = Clock::now();
    if (now - listened_ >= kListenEach) {
      if (auto heard = listen(); !heard) return std::unexpected(std::move(heard.error()));
    }
    if (*count > 0 || now >= until) return std::span(done_).first(*count);
    if (now - begin < spin) continue;
    if (auto waited = arm_or_sleep(until); !waited) {
      return std::unexpected(std::move(waited.error()));
    }
  }
}

Attempt<> PeerLink::move(std::string_view operation, const Work& work, Clock::duration spin) {
  if (auto posted = post(0, work); !posted) return posted;
  const auto done = completed(operation, deadline_, spin);
  if (!done) return std::unexpected(done.error());
  if (done->empty()) return failed(operation, ETIMEDOUT, "no completion before the deadline");
  return {};
}

Attempt<> PeerLink::receive() {
  constexpr std::string_view kStep = "SEND of the other end";
  while (true) {
    // Asked before the look: what it sent came before its report.
    const bool has_ended = other_.report().has_value();
    const bool is_late = Clock::now() >= deadline_;
    if (const auto taken = take(kStep); !taken) return std::unexpected(taken.error());
    if (has_received_) return {};
    if (has_ended) return failed(kStep, 0, "it ended with a report before it sent");
    if (is_late) return failed(kStep, ETIMEDOUT, "nothing arrived before the deadline");
    if (auto waited = arm_or_sleep(deadline_); !waited) return waited;
  }
}

Attempt<Latency> PeerLink::measure_small_writes() {
  // Longer than any wire takes, shorter than what a virtual machine needs to make progress.
  constexpr std::chrono::milliseconds kSpin{2};
  const Work write{
      .operation = IBV_WR_RDMA_WRITE, .local = own().first(kLatencyBytes), .remote = remote(0)};
  auto latency = measure_latency([&] { return move("WRITE of 8 bytes", write, kSpin); });
  if (latency) {
    report_.latency_p50_us = latency->p50_us;
    report_.latency_p99_us = latency->p99_us;
  }
  return latency;
}

Attempt<> PeerLink::print(const std::string& line) {
  if (std::fputs(line.c_str(), lines_out_) < 0 || std::fflush(lines_out_) != 0) {
    return failed("write to the other end", errno);
  }
  return {};
}

std::string_view PeerLink::listen_for_reason() {
  if (other_.is_lost()) return {};
  static_cast<void>(other_.wait_for_report(Clock::now() + kExplanation));
  return other_.is_lost() ? "; the lines of the other end have ended" : "";
}

}  // namespace spark::helpers
