#include "protocol/discover.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <utility>
#include <vector>

#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/json_document.hpp"
#include "base/unique_fd.hpp"
#include "base/wait.hpp"
#include "helpers/peers/frames.hpp"
#include "helpers/peers/gathering.hpp"
#include "helpers/peers/lines.hpp"
#include "helpers/peers/own_user.hpp"
#include "helpers/peers/rail_sockets.hpp"
#include "helpers/peers/tasks.hpp"
#include "host/hello_socket.hpp"
#include "host/process/file_io.hpp"
#include "protocol/peer_probe.hpp"

namespace spark::helpers {
namespace {

using protocol::CageLink;
using protocol::CageState;
using protocol::DiscoverOrder;
using protocol::DiscoverTask;
using Steady = std::chrono::steady_clock;

constexpr std::chrono::seconds kTaskPatience{10};
/// Who floods us does not keep us from the rest.
constexpr int kMostFramesAtOnce = 256;
constexpr std::size_t kMostLinks = 8;
/// The verb ends first, and says why.
constexpr std::chrono::seconds kLongerThanTheVerb{10};

/// The flags of links, which need no privilege (netdevice(7)).
class LinkFlags {
 public:
  LinkFlags() : socket_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {}

  [[nodiscard]] CageState state(const CageLink& link) const {
    ifreq request{};
    link.name.copy(request.ifr_name, IFNAMSIZ - 1);
    if (ioctl(socket_.get(), SIOCGIFFLAGS, &request) != 0) return CageState::kDown;
    const auto flags = static_cast<unsigned>(request.ifr_flags);
    if ((flags & IFF_UP) == 0) return CageState::kDown;
    return (flags & IFF_RUNNING) != 0 ? CageState::kCarrier : CageState::kNoCarrier;
  }

 private:
  UniqueFd socket_;
};

template <class Line>
Result<> print_line(int out, const Line& line) {
  return host::write_all(out, protocol::peer_line_text(line), "stdout");
}

std::chrono::milliseconds since_start(Steady::time_point now) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch());
}

class Discovery {
 public:
  Discovery(HelloSocket socket, DiscoverTask task, LineReader& orders, int in, int out)
      : socket_(std::move(socket)),
        task_(std::move(task)),
        gathering_(task_),
        orders_(orders),
        in_(in),
        out_(out) {}

  /// Others need not wait until this node has been silent for long enough.
  void run() {
    listen();
    gathering_.leave();
    send_round();
  }

 private:
  /// Until the verb has ended, or ten minutes have passed.
  void listen() {
    const auto end = Steady::now() + protocol::kDiscoverTime + kLongerThanTheVerb;
    for (auto next = Steady::now(); Steady::now() < end;) {
      std::array<pollfd, 2> entries{{{.fd = socket_.fd(), .events = POLLIN, .revents = 0},
                                     {.fd = in_, .events = POLLIN, .revents = 0}}};
      static_cast<void>(poll_until(entries, next));
      if (entries[1].revents != 0 && !take_orders()) return;
      take_frames();
      if (Steady::now() < next) continue;
      next = Steady::now() + kDiscoverEvery;
      send_round();
      if (!report()) return;
    }
  }

  /// False: the verb has ended.
  bool take_orders() {
    const bool is_open = orders_.fill();
    while (const auto line = orders_.take()) {
      if (const auto order = value_from_text<DiscoverOrder>(*line)) gathering_.take(*order);
    }
    return is_open;
  }

  void take_frames() {
    const auto now = since_start(Steady::now());
    for (int i = 0; i < kMostFramesAtOnce; ++i) {
      const auto received = socket_.receive();
      if (!received) return;
      const auto* link = link_with(received->link_index);
      if (link == nullptr) continue;
      if (const auto frame = decode_discover(received->bytes)) {
        gathering_.take(link->cage, *frame, now);
      }
    }
  }

  [[nodiscard]] const CageLink* link_with(int index) const {
    for (const auto& link : task_.links) {
      if (link.index == index) return &link;
    }
    return nullptr;
  }

  void send_round() {
    std::map<int, CageState> states;
    std::vector<const CageLink*> carriers;
    for (const auto& link : task_.links) {
      const auto state = flags_.state(link);
      auto& of_cage = states.try_emplace(link.cage, CageState::kDown).first->second;
      of_cage = std::max(of_cage, state);
      if (state == CageState::kCarrier) carriers.push_back(&link);
    }
    for (const auto& [cage, state] : states) gathering_.set_state(cage, state);
    for (auto& frame : gathering_.next_round(since_start(Steady::now()))) {
      for (const auto* link : carriers) {
        frame.cage = link->cage;
        // A link that has just gone takes nothing; the next round sees that it has.
        if (const auto bytes = encode_discover(frame); !bytes.empty()) {
          static_cast<void>(socket_.send(link->index, bytes));
        }
      }
    }
  }

  Result<> report() {
    const auto now = since_start(Steady::now());
    if (const auto file = gathering_.new_file(now)) {
      if (auto printed = print_line(out_, *file); !printed) return printed;
    }
    auto seen = gathering_.seen(now);
    if (seen == said_) return {};
    said_ = std::move(seen);
    return print_line(out_, said_);
  }

  HelloSocket socket_;
  DiscoverTask task_;
  Gathering gathering_;
  LineReader& orders_;
  int in_;
  int out_;
  LinkFlags flags_;
  protocol::DiscoverSeen said_;
};

}  // namespace

Result<> run_discover(int in, int out) {
  auto socket = host::open_discover_socket();
  if (!socket) return std::unexpected(socket.error());
  if (auto dropped = become_peers_user(); !dropped) return dropped;
  LineReader orders(in, protocol::kLongestDiscoverLine);
  const auto line = orders.await(Steady::now() + kTaskPatience);
  if (!line) return std::unexpected(line.error());
  auto task = value_from_text<DiscoverTask>(*line);
  if (!task) return std::unexpected(task.error());
  if (task->links.size() > kMostLinks) return fail(ErrorCode::kInvalid, "too many links");
  Discovery(HelloSocket(*std::move(socket)), *std::move(task), orders, in, out).run();
  return {};
}

}  // namespace spark::helpers
