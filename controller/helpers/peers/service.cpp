#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <net/if.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/json_document.hpp"
#include "base/moment.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "base/unique_fd.hpp"
#include "base/wait.hpp"
#include "helpers/peers/exchanges.hpp"
#include "helpers/peers/frames.hpp"
#include "helpers/peers/heard.hpp"
#include "helpers/peers/machine_id.hpp"
#include "helpers/peers/own_key.hpp"
#include "helpers/peers/peer_details.hpp"
#include "helpers/peers/proofs.hpp"
#include "helpers/peers/rail_sockets.hpp"
#include "helpers/peers/sessions.hpp"
#include "helpers/peers/tasks.hpp"
#include "host/process/trusted_file.hpp"
#include "protocol/alive.hpp"
#include "protocol/board.hpp"
#include "protocol/peers_report.hpp"
#include "protocol/verdict.hpp"
#include "protocol/web.hpp"

namespace spark::helpers {
namespace {

using protocol::ExpectedPeer;
using protocol::PeersOrder;
using protocol::short_digest;
using std::chrono::milliseconds;
using std::chrono::seconds;
/// CLOCK_BOOTTIME.
using Time = milliseconds;

/// However fast something changes here.
constexpr seconds kHelloRest{1};
/// peers.json is not written oftener.
constexpr milliseconds kWriteRest{500};
/// Nor is boards.json, for which all nodes wait.
constexpr milliseconds kBoardsRest{200};
/// In one turn of the loop: a flood of frames keeps nothing else waiting.
constexpr int kMostFrames = 64;
constexpr int kMostConnections = 16;

Time boot_time() { return now().boot; }

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

/// When a proof that came to nothing is tried again.
seconds rest_after(protocol::RdmaHindrance hindrance) {
  using protocol::RdmaHindrance;
  switch (hindrance) {
    case RdmaHindrance::kJob:
      return seconds(30);  // it may have ended
    case RdmaHindrance::kProbe:
    case RdmaHindrance::kPeerWaits:  // while its details say nothing of it: it comes or goes
      return Proofs::kTryChanged;
    default:
      return Proofs::kTryAgain;
  }
}

bool has_device(const PeersOrder& order) {
  return std::ranges::any_of(order.own.rails,
                             [](const auto& rail) { return !rail.device.empty(); });
}

/// The unit shows this process the devices that were there when it began, and all later ones of
/// their directory.
bool sees_devices() { return access("/dev/infiniband", F_OK) == 0; }

std::string this_machine() {
  constexpr std::size_t kMostBytes = 64;
  const auto text = host::read_plain("/etc/machine-id", kMostBytes);
  return text && *text ? machine_of(**text) : std::string();
}

class Service {
 public:
  Service(PeersPlaces places, DeviceUsers users, UniqueFd changes, UniqueFd wake, UniqueFd stop)
      : places_(std::move(places)),
        machine_(this_machine()),
        changes_(std::move(changes)),
        wake_(std::move(wake)),
        stop_(std::move(stop)),
        sessions_(wake_.get(), std::move(users), folder_of(places_.order)) {}

  Result<> run() {
    // What peers had on their boards is what they have now only once they were asked.
    static_cast<void>(unlink(boards_path_.c_str()));  // mostly there is none
    if (auto read = read_order(); !read) return read;
    read_board();
    fetch_socket();
    while (true) {
      do_what_is_due();
      if (auto slept = sleep(); !slept) return slept;
      if (auto taken = take_all(); !taken) return taken;
    }
  }

 private:
  // --- what comes in

  /// Sleeps until something may have come in.
  Result<> sleep() {
    std::vector<pollfd> entries;
    const auto add = [&](int fd) { entries.push_back({.fd = fd, .events = POLLIN, .revents = 0}); };
    add(changes_.get());
    add(wake_.get());
    add(stop_.get());
    if (socket_) add(socket_->fd());
    for (const auto& [link, listener] : listeners_.all()) add(listener.get());
    const auto left = std::clamp<Time>(next_time() - boot_time(), Time(0), seconds(60));
    if (poll(entries.data(), entries.size(), static_cast<int>(left.count())) < 0 &&
        errno != EINTR) {
      return fail_errno(errno, "poll");
    }
    return {};
  }

  /// All that is there. Nothing blocks, so each descriptor is asked itself: what poll(2) said of
  /// them is of before the first of these calls, and a new order opens and closes listeners.
  Result<> take_all() {
    observe_key();
    // Whose last word this node is about to repeat.
    const bool is_hello_due = order_ && order_->enabled && boot_time() >= hello_at_;
    if (is_hello_due && daemon_hangs() != is_daemon_hung_) {
      if (auto read = read_order(); !read) return read;
    }
    if (auto read = take_changes(); !read) return read;
    take_outcomes();
    if (signalfd_siginfo info{}; ::read(stop_.get(), &info, sizeof info) > 0) end();
    take_frames();
    for (const auto& [link, listener] : listeners_.all()) take_connections(link, listener.get());
    return {};
  }

  /// The report outlives this process, and must not show its last good news as if it were new: what
  /// was told and proven is there for the next process, and counts for nobody else.
  /// Threads that wait for a peer, or for a port that hangs, end with the process.
  [[noreturn]] void end() {
    failed_ = "spark-reconcile-peers was stopped";
    heard_.mark_silent(Time::max());
    write_report(boot_time());
    if (alive_.is_written()) say_alive(boot_time() - protocol::kAliveCounts - Time(1));
    std::_Exit(EXIT_SUCCESS);
  }

  /// The folder of the order holds much else, which changes oftener.
  Result<> take_changes() {
    alignas(inotify_event) std::array<char, 4096> events{};
    bool order = false;
    bool door = false;
    bool board = false;
    const auto got = ::read(changes_.get(), events.data(), events.size());
    if (got <= 0) return {};
    for (std::ptrdiff_t at = 0; at < got;) {
      const auto* event = reinterpret_cast<const inotify_event*>(events.data() + at);
      if ((event->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED)) != 0) {
        return fail(ErrorCode::kNotFound,
                    fmt::format("'{}' was removed; begins again", folder_of(places_.order)));
      }
      const bool lost = (event->mask & IN_Q_OVERFLOW) != 0;
      const std::string_view name = event->len == 0 ? "" : event->name;
      order |= lost || name == file_name(places_.order);
      door |= lost || name == file_name(places_.door);
      board |= lost || name == file_name(board_path_);
      at += static_cast<std::ptrdiff_t>(sizeof(inotify_event) + event->len);
    }
    if (order) {
      if (auto read = read_order(); !read) return read;
    }
    if (door || !socket_) fetch_socket();
    if (board) read_board();
    return {};
  }

  void read_board() {
    const auto text = host::read_plain(board_path_, protocol::kMostBoardBytes);
    std::optional<protocol::Board> board;
    if (!text) {
      say(text.error().what);
    } else if (*text) {
      auto read = document_from_text<protocol::Board>(protocol::kBoardSchema, **text);
      if (read) {
        board = std::move(*read);
      } else {
        say(fmt::format("'{}' is not understood: {}", board_path_, read.error().what));
      }
    }
    sessions_.set_board(board ? board_line(board->said) : nullptr);
    exchanges_.set_board(std::move(board));
  }

  /// What was proven and told before this process began, in this boot. Everybody is asked again.
  void restore() {
    const auto text = host::read_plain(places_.report, protocol::kMostPeersBytes);
    if (!text || !*text) return;
    auto report = protocol::peers_report_from(**text);
    // One of another version is replaced, and what it proved is proven again.
    if (!report || report->boot_id != order_->own.boot_id) return;
    // What was proven before the nodes had a key may have been proven with anybody.
    if (report->has_key != (key_.secret != nullptr)) return;
    proofs_.restore(std::move(report->rdma));
    details_.restore(report->told);
  }

  Result<> read_order() {
    const auto text = host::read_plain(places_.order, protocol::kMostPeersBytes);
    if (!text || !*text) return {};  // the daemon writes it with its first pass
    auto order = document_from_text<PeersOrder>(protocol::kPeersOrderSchema, **text);
    if (!order) {
      say(fmt::format("'{}' is not understood: {}", places_.order, order.error().what));
      return {};
    }
    if (order_ && !has_device(*order_) && has_device(*order) && !sees_devices()) {
      return fail(ErrorCode::kNotFound, "the card came; begins again, to see its devices");
    }
    is_daemon_hung_ = daemon_hangs();
    if (is_daemon_hung_) {
      order->own.verdict = name_of(protocol::Verdict::kUnknown);
      order->own.problems.clear();
      order->own.reasons = {
          "its daemon hangs, or was killed: `sudo systemctl restart spark-reconcile` there"};
    }
    const auto now = boot_time();
    std::vector<std::string> links;
    for (const auto& rail : order->own.rails) links.push_back(rail.link);
    heard_.keep_links(links);
    order->own.peers_version = protocol::kPeersVersion;
    order->own.machine = machine_;
    order->own.heard = passed_on(heard_, *order);
    const bool is_first = !order_;
    set_order(std::move(*order));
    if (const auto path = order_->enabled ? order_->key_file : ""; key_file_.path() != path) {
      key_file_ = KeyFile(path);
    }
    observe_key();
    if (is_first) restore();
    details_.keep(order_->peers);
    for (const auto& failed : listeners_.update(*order_)) say(failed);
    if (!order_->enabled) {
      hello_at_ = now + kHelloEvery;
      alive_.remove();  // who hears nobody says nothing new
    }
    changed(now);
    return {};
  }

  /// What it wrote last counts for nothing then. One whose file cannot be read is taken for such a
  /// one.
  [[nodiscard]] bool daemon_hangs() const {
    const auto alive = host::read_plain(daemon_alive_path_, protocol::kMostAliveBytes);
    if (!alive) return true;
    const auto silent = protocol::silent_since("the daemon", boot_time(), *alive);
    return !silent || *silent;
  }

  /// What this node tells; a hello says soon that it is new.
  void set_order(PeersOrder order) {
    order_ = std::make_shared<const PeersOrder>(std::move(order));
    details_digest_ =
        short_digest(sha256_of(json_text(document_of(protocol::kDetailsSchema, order_->own))));
    sessions_.set_order(order_, key_);
    hello_at_ = std::min(hello_at_, last_hello_ + kHelloRest);
  }

  void pass_on() {
    auto heard = passed_on(heard_, *order_);
    if (heard == order_->own.heard) return;
    auto order = *order_;
    order.own.heard = std::move(heard);
    set_order(std::move(order));
  }

  void observe_key() {
    if (!order_) return;
    const auto before = std::exchange(key_, key_file_.look());
    if (key_.secret == before.secret && key_.failed == before.failed) return;
    if (!key_.failed.empty()) say(key_.failed);
    if (key_.secret != before.secret) {
      // Whatever was known was said with another key, or by anybody.
      heard_ = {};
      boots_ = {};
      details_ = {};
      proofs_ = {};
      exchanges_.begin_again();
      pass_on();
    }
    sessions_.set_order(order_, key_);
    hello_at_ = std::min(hello_at_, last_hello_ + kHelloRest);
    changed(boot_time());
  }

  void fetch_socket() {
    auto socket = HelloSocket::fetch(places_.door);
    if (socket) {
      socket_.emplace(std::move(*socket));
      failed_.clear();
      hello_at_ = boot_time();
    } else if (!socket_) {
      failed_ = socket.error().what;
    }
    changed(boot_time());
  }

  void take_frames() {
    if (!socket_) return;
    const auto now = boot_time();
    bool news = false;
    for (int i = 0; i < kMostFrames; ++i) {
      const auto frame = socket_->receive();
      if (!frame) break;
      if (!order_ || !order_->enabled) continue;
      std::array<char, IF_NAMESIZE> name{};
      if (if_indextoname(static_cast<unsigned>(frame->link_index), name.data()) == nullptr)
        continue;
      const auto* rail = order_->own.rail(name.data());
      if (rail == nullptr) continue;
      auto hello = decode_hello(frame->bytes);
      // Both rails of a cage are on one wire: each hears the other's hellos too.
      if (!hello || hello->cluster != order_->own.cluster || hello->node == order_->own.node ||
          hello->rail != rail->rail) {
        continue;
      }
      const bool expected = std::ranges::any_of(order_->peers, [&](const ExpectedPeer& peer) {
        return peer.link == rail->link && peer.node == hello->node;
      });
      news |= take_hello({.link = rail->link,
                          .mac = frame->mac,
                          .hello = std::move(*hello),
                          .heard_ms = now.count()},
                         key_fault(frame->bytes, key_.secret.get()), expected);
    }
    if (!news) return;
    pass_on();
    changed(now);
  }

  /// True: it is news.
  bool take_hello(const protocol::HeardHello& heard, protocol::KeyFault fault, bool is_expected) {
    if (!key_.failed.empty()) return false;  // whose it is cannot be told
    const Time now(heard.heard_ms);
    if (fault != protocol::KeyFault::kNone) {
      return is_expected && heard_.refuse(heard.link, heard.mac, heard.hello.node, fault, now);
    }
    const bool has_key = key_.secret != nullptr;
    // Nobody asks a node that the file does not have there.
    if (has_key && is_expected && !boots_.knows(heard)) return false;
    const bool is_beside_another =
        is_cable(heard.link) && heard_.is_first_beside_another(heard.link, heard.hello);
    return heard_.take(heard.link, heard.mac, heard.hello, is_expected, now, has_key) ||
           is_beside_another;
  }

  void take_connections(const std::string& link, int listener) {
    for (int i = 0; i < kMostConnections; ++i) {
      auto incoming = accept_from(listener);
      if (!incoming.connection.valid()) return;
      sessions_.serve(std::move(incoming), link);
    }
  }

  void take_outcomes() {
    eventfd_t count = 0;  // how many does not matter
    if (eventfd_read(wake_.get(), &count) != 0) return;
    const auto now = boot_time();
    for (auto& outcome : sessions_.take_outcomes()) {
      if (outcome.key != key_.secret) continue;  // of before that changed
      if (outcome.what == "board") {
        take_board(outcome, now);
      } else if (outcome.what == "details") {
        take_details(outcome, now);
      } else if (outcome.missing.kind == protocol::RdmaHindrance::kNone) {
        proofs_.tried(outcome.peer,
                      {.ours = std::move(outcome.ours),
                       .theirs = std::move(outcome.theirs),
                       .boot_id = std::move(outcome.boot_id)},
                      now);
      } else {
        proofs_.refused(outcome.peer, outcome.missing, now + rest_after(outcome.missing.kind));
      }
    }
    changed(now);
  }

  void take_board(Outcome& outcome, Time now) {
    const auto& peer = outcome.peer;
    if (outcome.peer_asked) {
      exchanges_.was_asked(peer.node, std::move(*outcome.said));
    } else if (outcome.said) {
      exchanges_.answered(peer, std::move(*outcome.said));
    } else if (outcome.missing.kind == protocol::RdmaHindrance::kOther) {
      exchanges_.answered(peer, {});  // an older version, or it knows no key
    } else {
      exchanges_.failed(peer, now);
    }
  }

  void take_details(Outcome& outcome, Time now) {
    const auto& peer = outcome.peer;
    if (!is_expected(peer.node)) return;
    if (!outcome.details) {
      details_.failed(peer, outcome.missing.why, known(), now);
      return;
    }
    if (key_.secret) {
      const auto boot = short_digest(outcome.details->boot_id);
      for (const auto& one : boots_.answered(peer.node, boot)) {
        heard_.take(one.link, one.mac, one.hello, true, Time(one.heard_ms), true);
      }
      pass_on();
    }
    details_.answered(peer, std::move(*outcome.details), outcome.digest, now);
  }

  [[nodiscard]] PeersKnown known() const {
    return {.peers = order_->peers, .heard = heard_, .boots = boots_};
  }

  // --- what is due

  void do_what_is_due() {
    const auto now = boot_time();
    if (exchanges_.changes() != boards_written_ && now >= boards_at_) write_boards(now);
    if (!order_ || !order_->enabled) {
      if (is_changed_ && now >= write_at_) write_report(now);
      return;
    }
    if (now >= hello_at_) say_hello(now);
    if (heard_.mark_silent(now)) {
      pass_on();
      changed(now);
    }
    boots_.forget_silent(now);
    while (const auto peer = details_.due(known(), now)) {
      details_.began(*peer, now);
      boots_.asked(peer->node);
      sessions_.ask_details(*peer);
    }
    while (const auto peer =
               proofs_.due(now, [this](const auto& link) { return sessions_.is_free(link); })) {
      proofs_.began(*peer, now);
      sessions_.prove(*peer);
    }
    while (const auto peer = exchanges_.due(now)) {
      exchanges_.began(*peer);
      sessions_.exchange(*peer);
    }
    if (is_changed_ && now >= write_at_) write_report(now);
  }

  Time next_time() {
    auto next = boot_time() + seconds(60);
    if (is_changed_) next = std::min(next, write_at_);
    if (exchanges_.changes() != boards_written_) next = std::min(next, boards_at_);
    if (!order_ || !order_->enabled) return next;
    next = std::min(next, hello_at_);
    if (const auto at = heard_.next_silence()) next = std::min(next, *at);
    if (const auto at = proofs_.next_due()) {
      // Where its rail is not free, the end of the other probe wakes the loop.
      if (*at > boot_time()) next = std::min(next, *at);
    }
    if (const auto at = details_.next_due(known())) next = std::min(next, *at);
    if (const auto at = exchanges_.next_due()) next = std::min(next, *at);
    return next;
  }

  /// Until when the report counts.
  void say_alive(Time now) {
    if (auto said = alive_.write(protocol::alive_text(now)); !said) say(said.error().what);
  }

  void say_hello(Time now) {
    last_hello_ = now;
    hello_at_ = now + kHelloEvery;
    // What is in the file must not count if a process before this one wrote it, or if this one
    // cannot replace it.
    if (written_.empty()) write_report(now);
    if (!written_.empty()) say_alive(now);
    if (!socket_) return;
    for (const auto& rail : order_->own.rails) {
      const auto index = if_nametoindex(rail.link.c_str());
      if (index == 0 || !rail.carrier) continue;
      const auto frame = encode_hello({.cluster = order_->own.cluster,
                                       .node = order_->own.node,
                                       .cage = rail.cage,
                                       .rail = rail.rail,
                                       .boot = short_digest(order_->own.boot_id),
                                       .sequence = static_cast<std::uint64_t>(now.count()),
                                       .file = short_digest(order_->own.file),
                                       .candidate = short_digest(order_->own.candidate),
                                       .verdict = order_->own.verdict,
                                       .mtu = rail.mtu,
                                       .details = details_digest_},
                                      key_.secret.get());
      // A link that goes down at this moment takes none; the next order says so.
      static_cast<void>(socket_->send(static_cast<int>(index), frame));
    }
  }

  void changed(Time now) {
    if (order_) {
      static_cast<void>(proofs_.update(*order_, heard_, details_.all(), now, key_.failed));
      exchanges_.update(order_->peers, heard_);
    }
    if (!is_changed_) write_at_ = std::max(write_at_, now);
    is_changed_ = true;
  }

  void write_report(Time now) {
    is_changed_ = false;
    write_at_ = now + kWriteRest;
    protocol::PeersReport report{.boot_id = order_ ? order_->own.boot_id : "",
                                 .failed = failed_,
                                 .heard = heard_.all(),
                                 .rdma = proofs_.all(),
                                 .has_key = key_.secret != nullptr,
                                 .key_failed = key_.failed,
                                 .refused = heard_.all_refused(),
                                 .machine = machine_};
    for (const auto& [node, told] : details_.all()) report.told.push_back(told);
    const auto text = json_text(document_of(protocol::kPeersReportSchema, report)) + "\n";
    if (text == written_) return;
    if (auto written = host::replace_file(places_.report, text)) {
      written_ = text;
    } else {
      written_.clear();  // tried again with the next hello
      say(written.error().what);
    }
  }

  void write_boards(Time now) {
    for (const auto& node : exchanges_.cut()) {
      if (!said_cut_.insert(node).second) continue;
      say(fmt::format("{} has more on its board than its share; what is beyond that is dropped",
                      node));
    }
    const auto boards = document_of(protocol::kBoardsSchema, exchanges_.all());
    boards_at_ = now + kBoardsRest;
    if (auto written = host::replace_file(boards_path_, json_text(boards) + "\n"); !written) {
      say(written.error().what);
      boards_at_ = now + kHelloEvery;
      return;
    }
    boards_written_ = exchanges_.changes();
  }

  [[nodiscard]] bool is_expected(const std::string& node) const {
    return order_ && std::ranges::any_of(order_->peers, [&](const ExpectedPeer& peer) {
             return peer.node == node;
           });
  }

  [[nodiscard]] bool is_cable(const std::string& link) const {
    return order_ && std::ranges::any_of(order_->peers, [&](const ExpectedPeer& peer) {
             return peer.link == link && !peer.on_switch;
           });
  }

  static void say(const std::string& text) {
    static_cast<void>(std::fputs((text + "\n").c_str(), stderr));
  }

  PeersPlaces places_;
  std::string daemon_alive_path_ =
      fmt::format("{}/{}", folder_of(places_.order), file_name(protocol::kDaemonAliveFile));
  std::string board_path_ =
      fmt::format("{}/{}", folder_of(places_.order), file_name(protocol::kBoardFile));
  std::string boards_path_ =
      fmt::format("{}/{}", folder_of(places_.report), file_name(protocol::kBoardsFile));
  bool is_daemon_hung_ = false;  ///< as order_ says it
  host::FileInPlace alive_{
      fmt::format("{}/{}", folder_of(places_.report), file_name(protocol::kPeersAliveFile))};
  std::string machine_;
  UniqueFd changes_;  ///< inotify
  UniqueFd wake_;     ///< eventfd of the sessions
  UniqueFd stop_;     ///< signalfd of what ends the service
  std::shared_ptr<const PeersOrder> order_;
  KeyFile key_file_;
  OwnKey key_;
  std::string details_digest_;
  std::optional<HelloSocket> socket_;
  std::string failed_;  ///< why there is no socket
  RailListeners listeners_;
  Heard heard_;
  Boots boots_;  ///< where there is a key
  PeerDetails details_;
  Proofs proofs_;
  Exchanges exchanges_;
  std::uint64_t boards_written_ = 0;  ///< changes of exchanges_ that are in boards.json
  Time boards_at_{};                  ///< not before that again
  std::set<std::string> said_cut_;
  Time hello_at_{};
  Time last_hello_{};
  bool is_changed_ = true;
  Time write_at_{};
  std::string written_;
  Sessions sessions_;  // last: its threads are waited for first
};

}  // namespace

Result<> run_peers_service(const PeersPlaces& places, DeviceUsers users) {
  auto changes = make_inotify();
  if (!changes) return std::unexpected(changes.error());
  UniqueFd wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  const auto folder = folder_of(places.order);
  if (!wake.valid() ||
      inotify_add_watch(changes->get(), folder.c_str(),
                        IN_CREATE | IN_MOVED_TO | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF) < 0) {
    return fail_errno(errno, fmt::format("watch '{}'", folder));
  }
  sigset_t ends;
  sigemptyset(&ends);
  sigaddset(&ends, SIGTERM);
  sigaddset(&ends, SIGINT);
  // Before there are threads, which take the mask over.
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  UniqueFd stop(signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!stop.valid()) return fail_errno(errno, "signalfd");
  return Service(places, std::move(users), std::move(*changes), std::move(wake), std::move(stop))
      .run();
}

}  // namespace spark::helpers
