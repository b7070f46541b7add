#include "host/neighbours.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <map>
#include <utility>

#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/unique_fd.hpp"

namespace spark::host {
namespace {

using NeighbourClock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kBetweenQuestions{1000 / kMostQuestionsASecond};

/// Classic BPF: takes a frame whose byte at `first` and byte at `second` have these values. All
/// others never reach this process, however busy the link is.
std::array<sock_filter, 6> filter_of(unsigned first, unsigned first_value, unsigned second,
                                     unsigned second_value) {
  return {{BPF_STMT(BPF_LD | BPF_B | BPF_ABS, first),
           BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, first_value, 0, 3),
           BPF_STMT(BPF_LD | BPF_B | BPF_ABS, second),
           BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, second_value, 0, 1),
           BPF_STMT(BPF_RET | BPF_K, kLongestAnswer), BPF_STMT(BPF_RET | BPF_K, 0)}};
}

/// ARP replies, or IPv6 neighbour advertisements.
std::array<sock_filter, 6> answers_of(IpFamily family) {
  constexpr unsigned kOperationAt = 20;
  constexpr unsigned kIsReply = 2;
  constexpr unsigned kProtocolAt = 20;
  constexpr unsigned kIsIcmpv6 = 58;
  constexpr unsigned kTypeAt = 54;
  constexpr unsigned kIsAdvertisement = 136;
  return family == IpFamily::kV4 ? filter_of(kOperationAt, 0, kOperationAt + 1, kIsReply)
                                 : filter_of(kProtocolAt, kIsIcmpv6, kTypeAt, kIsAdvertisement);
}

/// The packet socket of one link and one family.
class Asker {
 public:
  /// False with errno.
  bool open(const std::string& link, IpFamily family) {
    const auto protocol = htons(family == IpFamily::kV4 ? ETH_P_ARP : ETH_P_IPV6);
    const auto index = if_nametoindex(link.c_str());
    if (index == 0) return false;
    // Without a protocol it hears nothing: no frame comes in before the filter is there.
    socket_ = UniqueFd(::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket_.valid()) return false;
    auto filter = answers_of(family);
    const sock_fprog program{.len = filter.size(), .filter = filter.data()};
    sockaddr_ll place{};
    place.sll_family = AF_PACKET;
    place.sll_protocol = protocol;
    place.sll_ifindex = static_cast<int>(index);
    auto size = static_cast<socklen_t>(sizeof place);
    if (setsockopt(fd(), SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) != 0 ||
        bind(fd(), reinterpret_cast<const sockaddr*>(&place), size) != 0 ||
        getsockname(fd(), reinterpret_cast<sockaddr*>(&place), &size) != 0) {
      return false;
    }
    if (place.sll_halen != own_.size()) {
      errno = EAFNOSUPPORT;  // no Ethernet
      return false;
    }
    std::memcpy(own_.data(), place.sll_addr, own_.size());
    return true;
  }

  [[nodiscard]] int fd() const { return socket_.get(); }

  /// False with errno.
  [[nodiscard]] bool send(const NeighbourQuestion& question) const {
    const auto frame = question_frame({.own = own_,
                                       .sender = question.sender.value_or(IpAddress()),
                                       .target = question.target,
                                       .to = question.to});
    return ::send(fd(), frame.data(), frame.size(), 0) >= 0;
  }

  /// Empty: nothing more is there.
  [[nodiscard]] std::optional<std::optional<NeighbourAnswer>> receive() const {
    std::array<std::uint8_t, kLongestAnswer> frame{};
    sockaddr_ll from{};
    auto size = static_cast<socklen_t>(sizeof from);
    const auto got =
        recvfrom(fd(), frame.data(), frame.size(), 0, reinterpret_cast<sockaddr*>(&from), &size);
    if (got < 0) return std::nullopt;
    // The kernel's own answers to others pass here too.
    return from.sll_pkttype == PACKET_OUTGOING
               ? std::optional<NeighbourAnswer>()
               : read_answer(std::span(frame).first(static_cast<std::size_t>(got)));
  }

 private:
  UniqueFd socket_;
  MacAddress own_{};
};

using Place = std::pair<std::string, IpFamily>;

/// All questions under way.
class Questions {
 public:
  explicit Questions(std::span<const NeighbourQuestion> questions)
      : questions_(questions), reports_(questions.size()) {}

  /// False with errno: this process may not ask.
  bool open() {
    for (std::size_t i = 0; i < questions_.size(); ++i) {
      const auto& question = questions_[i];
      if (!question.target.is_v4() && (!question.sender || question.sender->is_unspecified())) {
        reports_[i].refused = "no address of ours to ask from";
        continue;
      }
      const Place place(question.link, question.target.family());
      if (!askers_.contains(place)) {
        Asker asker;
        if (!asker.open(question.link, question.target.family())) {
          if (errno == EPERM || errno == EACCES) return false;
          reports_[i].refused = std::strerror(errno);
          continue;
        }
        askers_.emplace(place, std::move(asker));
      }
      waiting_[question.link].push_back(i);
    }
    return true;
  }

  /// Sends one question over each link that still has some. False: none was left.
  bool send_next() {
    for (auto& [link, left] : waiting_) {
      const auto i = left.back();
      left.pop_back();
      const auto& question = questions_[i];
      if (!askers_.at({link, question.target.family()}).send(question)) {
        reports_[i].refused = std::strerror(errno);
      }
    }
    std::erase_if(waiting_, [](const auto& entry) { return entry.second.empty(); });
    return !waiting_.empty();
  }

  void listen_until(NeighbourClock::time_point until) {
    for (;;) {
      std::vector<pollfd> sockets;
      std::ranges::transform(askers_, std::back_inserter(sockets), [](const auto& asker) {
        return pollfd{.fd = asker.second.fd(), .events = POLLIN, .revents = 0};
      });
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - NeighbourClock::now());
      if (left.count() <= 0) return;
      static_cast<void>(poll(sockets.data(), sockets.size(), static_cast<int>(left.count())));
      for (const auto& [place, asker] : askers_) take_answers(place.first, asker);
    }
  }

  std::vector<NeighbourReport> take() { return std::move(reports_); }

 private:
  /// At most so many in one go: who floods us does not keep us beyond the deadline.
  static constexpr int kMostAtOnce = 256;

  void take_answers(const std::string& link, const Asker& asker) {
    for (int i = 0; i < kMostAtOnce; ++i) {
      const auto answer = asker.receive();
      if (!answer) return;
      if (*answer) note(link, **answer);
    }
  }

  void note(const std::string& link, const NeighbourAnswer& answer) {
    constexpr std::size_t kMostMacs = 8;
    for (std::size_t i = 0; i < questions_.size(); ++i) {
      auto& macs = reports_[i].macs;
      if (questions_[i].link != link || questions_[i].target != answer.ip) continue;
      const auto place = std::ranges::lower_bound(macs, answer.mac);
      const bool is_new = place == macs.end() || *place != answer.mac;
      if (is_new && macs.size() < kMostMacs) macs.insert(place, answer.mac);
    }
  }

  std::span<const NeighbourQuestion> questions_;
  std::vector<NeighbourReport> reports_;
  std::map<Place, Asker> askers_;
  std::map<std::string, std::vector<std::size_t>> waiting_;  ///< by link; the last is next
};

}  // namespace

Result<std::vector<NeighbourReport>> ask_neighbours(std::span<const NeighbourQuestion> questions,
                                                    std::chrono::milliseconds patience) {
  Questions under_way(questions);
  if (!under_way.open()) {
    return fail(ErrorCode::kPermission, "this process may not ask by ARP: it lacks CAP_NET_RAW");
  }
  if (!questions.empty()) {
    while (under_way.send_next()) under_way.listen_until(NeighbourClock::now() + kBetweenQuestions);
    under_way.listen_until(NeighbourClock::now() + patience);
  }
  return under_way.take();
}

}  // namespace spark::host
