#include "daemon/daemon.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <syslog.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/system_error.hpp>

#include "base/unique_fd.hpp"
#include "config/agent.hpp"
#include "daemon/common/backoff.hpp"
#include "daemon/events/event_sources.hpp"
#include "daemon/export/publish.hpp"
#include "daemon/notifier.hpp"
#include "daemon/ready_target.hpp"
#include "daemon/reconcile/observe_gate.hpp"
#include "daemon/reconcile/reconciler.hpp"
#include "daemon/sd_notify.hpp"
#include "daemon/worker.hpp"
#include "host/file_lock.hpp"
#include "host/process/trusted_file.hpp"
#include "protocol/paths.hpp"
#include "state/by_hand.hpp"
#include "state/journal.hpp"
#include "state/node_record.hpp"
#include "state/own_directories.hpp"
#include "state/pause.hpp"

namespace spark::daemon {
namespace {

constexpr const char* kAgentFile = "/etc/spark-reconcile/agent.yaml";

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// For what nobody tells of, such as sysctls.
constexpr seconds kSlowLook{60};
/// A writer that closes the file in between, as `cat a > f; cat b >> f`, goes on within that time.
constexpr seconds kFileSettles{2};
/// Links settle before the gate is judged; and not oftener than that.
constexpr seconds kGateRest{2};
constexpr seconds kGateEvery{60};
/// One order that takes longer hangs: the longest step is a check of a large filesystem.
constexpr std::chrono::minutes kLongestOrder{30};

bool has_terminal() { return UniqueFd(::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)).valid(); }

bool is_ignored(int signal) {
  struct sigaction action{};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

class Daemon {
 public:
  Daemon(host::Host& host, host::Host& gate_host, const DaemonOptions& options,
         host::FileLock& lock)
      : host_(host),
        gate_host_(gate_host),
        root_(options.root == "/" ? "" : options.root),
        file_(options.file.empty() ? protocol::kDefaultFile : options.file),
        watched_file_(options.file.empty() ? root_ + file_ : file_),
        node_(options.node),
        log_(options.log),
        lock_(lock),
        reconciler_(
            host,
            {.file = file_,
             .node = options.node,
             .version = options.version,
             .pace = {},
             .take = {.check =
                          [top = options.file.empty() ? options.root : "/"](
                              const std::string& path) { return host::check_takeable(top, path); },
                      .settles_in = kFileSettles},
             .check_helper = host::check_helper,
             .source = &options.source}),
        slow_(loop_),
        rest_(loop_),
        again_(loop_),
        gate_(loop_),
        watchdog_(loop_),
        alerts_(loop_),
        signals_(loop_, SIGTERM, SIGINT) {
    // nohup(1) has it ignored, and so it stays.
    if (!is_ignored(SIGHUP)) signals_.add(SIGHUP);
  }

  Result<> run() {
    notifier_ = std::make_unique<Notifier>(loop_, notifier_options(), [this] {
      keep_alerts_ = true;
      go_on();
    });
    if (auto opened = open_sources(); !opened) return opened;
    log_(LOG_NOTICE, fmt::format("started: keeps this node as '{}' says", file_));
    await_signal();
    feed_watchdog();
    look_slowly();
    trigger("start");
    loop_.run();
    log_(LOG_NOTICE, fmt::format("ended{}; everything stays as it is", why_it_ends_));
    return std::move(end_);
  }

 private:
  /// Read before the worker begins.
  NotifierOptions notifier_options() {
    NotifierOptions options{.boot_id = state::boot_id(host_), .log = log_};
    if (const auto identity = host_.system.identity()) {
      options.hostname = identity->hostname;
    }
    options.alerts = host_.files.read(kAlertsFile).value_or(std::nullopt).value_or("");
    const auto leave_out = [this] {
      log_(LOG_WARNING, fmt::format("'{}' is left out; all in it has its default", kAgentFile));
    };
    if (const auto may = host::check_takeable(root_.empty() ? "/" : root_, kAgentFile); !may) {
      log_(LOG_WARNING, may.error().what);
      leave_out();
      return options;
    }
    const auto text = host_.files.read(kAgentFile).value_or(std::nullopt).value_or("");
    auto parsed = config::parse_agent(text);
    if (config::has_errors(parsed.diagnostics)) {
      for (const auto& diagnostic : parsed.diagnostics) {
        fmt::print(stderr, "{}\n", config::render(diagnostic, kAgentFile, text));
      }
      leave_out();
    } else {
      options.agent = std::move(parsed.agent);
    }
    auto& [alertmanagers, webhooks, hooks] = options.agent.alerts;
    hooks.value.insert(0, root_);
    for (auto& webhook : webhooks) {
      if (webhook.authorization_file) webhook.authorization_file->value.insert(0, root_);
    }
    return options;
  }

  Result<> open_sources() {
    const OnEvent on_event = [this](std::string_view source) { trigger(source); };
    for (const auto watch : {watch_devices, watch_mounts}) {
      auto source = watch(loop_, on_event);
      if (!source) return std::unexpected(source.error());
      (*source)->start();
      sources_.push_back(std::move(*source));
    }
    auto netlink = NetlinkSource::open(loop_, on_event);
    if (!netlink) return std::unexpected(netlink.error());
    netlink_ = std::move(*netlink);
    netlink_->start();
    auto files = FileSource::open(loop_, on_event);
    if (!files) return std::unexpected(files.error());
    files_ = std::move(*files);
    files_->start();
    watch_files({}, false);
    return {};
  }

  void watch_files(std::vector<std::string> paths, bool is_released) {
    // What a correction writes tells nothing new; the journal of an apply by hand does, and where
    // nothing is corrected, the end of a release.
    std::erase_if(paths, [&](const std::string& path) {
      return path.starts_with(protocol::kVolatileJournals) || path.ends_with(state::kRecordName) ||
             (path.ends_with(protocol::kLedgerName) && !is_released);
    });
    // The last two are for somebody who removes them.
    paths.insert(paths.end(), {protocol::kPauseFile, state::kByHandFile, protocol::kLastGoodFile,
                               protocol::kDaemonLockFile});
    for (auto& path : paths) {
      path.insert(0, root_);
    }
    paths.push_back(watched_file_);
    files_->watch(paths, root_);
  }

  // --- when

  void trigger(std::string_view source) {
    ++pending_[std::string(source)];
    const auto now = Clock::now();
    passes_.told(now);
    if (source == "netlink") {
      corrections_.told(now);
      network_changed_ = true;
    }
    go_on();
  }

  /// Gives the worker what is to be done next, if it is idle and that is due.
  void go_on() {
    if (at_work_since_ || stopping_) {
      return;
    }
    const auto now = Clock::now();
    if (network_changed_ && now >= corrections_.next()) {
      order_correction();
    } else if (!pending_.empty() && now >= passes_.next()) {
      order_pass();
    } else if (gate_look_) {
      order_taking_in();
    } else if (!pending_.empty()) {
      rest_.expires_at(network_changed_ ? std::min(corrections_.next(), passes_.next())
                                        : passes_.next());
      rest_.async_wait([this](const auto& error) {
        if (!error) go_on();
      });
    } else if (std::exchange(keep_alerts_, false) && order_keeping()) {
      return;
    } else if (gate_since_) {
      return;  // it is being looked at
    } else if (gate_due_ && now >= *gate_due_) {
      order_gate();
    } else if (gate_due_) {
      gate_.expires_at(*gate_due_);
      gate_.async_wait([this](const auto& error) {
        if (!error) go_on();
      });
    }
  }

  void look_slowly() {
    slow_.expires_after(kSlowLook);
    slow_.async_wait([this](const auto& error) {
      if (!error) {
        trigger("timer");
        look_slowly();
      }
    });
  }

  void gate_within(Clock::duration time) {
    const auto due = Clock::now() + time;
    gate_due_ = gate_due_ ? std::min(*gate_due_, due) : due;
  }

  // --- what

  /// What netlink told of does not wait for the rest of a pass.
  void order_correction() {
    network_changed_ = false;
    at_work_since_ = Clock::now();
    worker_.start([this, order = PassOrder{.writers = netlink_->writers()}] {
      const bool corrected = reconciler_.correct_network(order);
      asio::post(loop_, [this, corrected] {
        at_work_since_.reset();
        corrections_.looked(Clock::now(), corrected);
        corrected_ |= corrected;
        if (corrected) changed_at_ = Clock::now();
        go_on();
      });
    });
  }

  void order_pass() {
    network_changed_ = false;
    at_work_since_ = Clock::now();
    // A boot waits for the network and not for a volume.
    PassOrder order{.triggers = std::exchange(pending_, {}),
                    .writers = netlink_->take_writers(),
                    .scope = ready_ ? PassOrder::Scope::kAll : PassOrder::Scope::kNetwork,
                    .sinks = notifier_->sinks()};
    worker_.start([this, order = std::move(order)] {
      if (auto held = hold_lock(); !held) {
        asio::post(loop_, [this, error = held.error()] { end_by(error); });
        return;
      }
      auto outcome = reconciler_.pass(order);
      publish(host_.files, outcome.state);
      asio::post(loop_,
                 [this, outcome = std::move(outcome)]() mutable { end_pass(std::move(outcome)); });
    });
  }

  /// On the worker. Where somebody removed the lock, as with all of /run/spark-reconcile, it is
  /// taken again; where that fails for now, the next pass tries. Errors: kBusy, another daemon has
  /// it.
  Result<> hold_lock() {
    if (host::is_at(lock_, root_ + protocol::kDaemonLockFile)) {
      return {};
    }
    auto lock = host_.files.lock(protocol::kDaemonLockFile);
    if (lock) {
      lock_ = std::move(*lock);
    } else if (lock.error().code == ErrorCode::kBusy) {
      return std::unexpected(lock.error());
    }
    return {};
  }

  void end_by(const Error& error) {
    stopping_ = true;
    end_ = std::unexpected(error);
    why_it_ends_ = ": " + error.what;
    loop_.stop();
  }

  void end_pass(PassOutcome outcome) {
    at_work_since_.reset();
    file_in_force_ = std::move(outcome.file);
    if (outcome.changed) changed_at_ = Clock::now();
    const bool changed = std::exchange(corrected_, false) || outcome.changed;
    passes_.looked(Clock::now(), changed);
    const bool moved = !ready_ || changed || outcome.state.links != notifier_->state().links;
    measure_ |= moved;
    const bool is_released = outcome.state.released.has_value();
    tell_of(std::move(outcome.state));
    if (!outcome.sources.empty()) {
      watch_files(std::move(outcome.sources), is_released);
    }
    again_.cancel();
    if (outcome.again_in) {
      again_.expires_after(*outcome.again_in);
      again_.async_wait([this](const auto& error) {
        if (!error) trigger("again");
      });
    }
    if (moved) {
      gate_within(kGateRest);
    }
    const bool first = !std::exchange(ready_, true);
    tell(first ? "READY=1\n" : "");
    if (first) {
      trigger("storage");
    }
    go_on();
  }

  /// Beside the worker: a peer that does not answer must not keep a correction waiting.
  void order_gate() {
    gate_due_.reset();
    // Bandwidth takes a second of the port, and a new service a few lines of the journal.
    const auto depth = std::exchange(measure_, false) ? gate::GateOptions::Depth::kNormal
                                                      : gate::GateOptions::Depth::kLight;
    gate_since_ = Clock::now();
    looks_deeply_ = depth == gate::GateOptions::Depth::kNormal;
    gate_worker_.start([this, depth, file = file_in_force_] {
      auto look = file ? observe_gate(gate_host_, file->cluster, node_, depth) : std::nullopt;
      asio::post(loop_, [this, look = std::move(look)]() mutable {
        gate_look_ = std::move(look);
        go_on();
      });
    });
  }

  void order_taking_in() {
    auto look = *std::exchange(gate_look_, std::nullopt);
    const auto since = *std::exchange(gate_since_, std::nullopt);
    if (changed_at_ > since) {
      // It saw some of the node as it was before, and some as it is now.
      measure_ |= looks_deeply_;
      gate_within(kGateRest);
      go_on();
      return;
    }
    at_work_since_ = Clock::now();
    worker_.start([this, look = std::move(look)] {
      auto outcome = reconciler_.take_verdict(look);
      publish(host_.files, outcome.state);  // first: what the target starts reads it
      outcome.again_in = target_.follow(host_, outcome.state.verdict, now());
      asio::post(loop_, [this, outcome = std::move(outcome)]() mutable {
        at_work_since_.reset();
        measure_ |= outcome.look_deeper;
        tell_of(std::move(outcome.state));
        gate_within(outcome.again_in.value_or(kGateEvery));
        tell("");
        go_on();
      });
    });
  }

  /// On the worker, since a disk may be slow. False: they are kept as they are.
  bool order_keeping() {
    auto alerts = notifier_->alerts();
    if (alerts == kept_alerts_) {
      return false;
    }
    kept_alerts_ = std::move(alerts);
    at_work_since_ = Clock::now();
    worker_.start([this, text = kept_alerts_] {
      constexpr unsigned kMode = 0600;
      static_cast<void>(host_.files.write_durably(kAlertsFile, text, kMode));
      asio::post(loop_, [this] {
        at_work_since_.reset();
        go_on();
      });
    });
    return true;
  }

  void tell_of(NodeState state) {
    log_what_is_new(state);
    notifier_->update(std::move(state));
    keep_alerts_ = true;
    alerts_.cancel();
    if (const auto due = notifier_->due()) {
      alerts_.expires_after(std::max(*due - now().boot, milliseconds(0)));
      alerts_.async_wait([this](const auto& error) {
        if (!error) {
          tell_of(notifier_->state());
          go_on();
        }
      });
    }
  }

  void log_what_is_new(const NodeState& state) {
    const auto& file = state.file;
    const auto& former = notifier_->state();
    if (file.digest != former.file.digest) {
      log_(LOG_NOTICE, fmt::format("in force for node '{}': '{}', digest {:.12}", state.node,
                                   file.path, file.digest));
    }
    if (file.refused != former.file.refused && !file.refused.empty()) {
      log_(LOG_WARNING, fmt::format("refused: {}", file.refused_first));
    }
    if (state.pass_error != former.pass_error && !state.pass_error.empty()) {
      log_(LOG_ERR, state.pass_error);
    }
    if (state.verdict != former.verdict || state.paused.has_value() != former.paused.has_value()) {
      log_(LOG_NOTICE, one_line(state));
    }
  }

  void tell(std::string_view first) {
    notify_.send(fmt::format("{}STATUS={}\n", first, one_line(notifier_->state())));
  }

  void feed_watchdog() {
    if (const auto every = notify_.watchdog()) {
      const auto hangs_since = [now = Clock::now()](const auto& since) {
        return since && now - *since > kLongestOrder;
      };
      const bool hangs = hangs_since(at_work_since_) || (!gate_look_ && hangs_since(gate_since_));
      if (!hangs) {
        notify_.send("WATCHDOG=1\n");
      }
      watchdog_.expires_after(*every / 3);
      watchdog_.async_wait([this](const auto& error) {
        if (!error) feed_watchdog();
      });
    }
  }

  void await_signal() {
    signals_.async_wait([this](const auto& error, int number) {
      if (error) {
        return;
      }
      if (number == SIGHUP && !lost_terminal()) {
        log_(LOG_NOTICE, "reads the file again");
        notify_.send("STATUS=reading the file again\n");
        trigger("reload");
        await_signal();
        return;
      }
      stopping_ = true;
      why_it_ends_ = number == SIGHUP ? ": its terminal is gone" : " by a signal";
      notify_.send("STOPPING=1\nSTATUS=finishing the correction in hand\n");
      loop_.stop();
    });
  }

  /// Who closes a terminal ends what runs in it; systemd's reload is the same signal.
  [[nodiscard]] bool lost_terminal() const { return had_terminal_ && !has_terminal(); }

  host::Host& host_;
  host::Host& gate_host_;  // the gate worker's
  std::string root_;       ///< before every path; empty: the system's own
  std::string file_;
  std::string watched_file_;  ///< as this process would open it
  std::string node_;          ///< as the user named it
  DaemonLog log_;
  host::FileLock& lock_;  // the worker's
  bool had_terminal_ = has_terminal();
  Result<> end_;
  std::string why_it_ends_;
  asio::io_context loop_{1};
  Reconciler reconciler_;  // the worker's
  ReadyTarget target_;     // the worker's
  Notify notify_;
  asio::steady_timer slow_;
  asio::steady_timer rest_;
  asio::steady_timer again_;
  asio::steady_timer gate_;
  asio::steady_timer watchdog_;
  asio::steady_timer alerts_;
  asio::signal_set signals_;
  std::vector<std::unique_ptr<EventSource>> sources_;
  std::unique_ptr<NetlinkSource> netlink_;
  std::unique_ptr<FileSource> files_;
  std::unique_ptr<Notifier> notifier_;
  bool keep_alerts_ = false;  ///< they may have changed since they were last written
  std::string kept_alerts_;   ///< as written last
  Triggers pending_;
  bool network_changed_ = false;  ///< since the last look at it
  bool corrected_ = false;        ///< since the last pass
  Pacing passes_;
  Pacing corrections_;
  std::shared_ptr<const GoodFile> file_in_force_;
  std::optional<Clock::time_point> gate_due_;
  std::optional<Clock::time_point> gate_since_;  ///< its look began, and is not taken in
  std::optional<std::optional<GateObservation>> gate_look_;  ///< it is over
  bool looks_deeply_ = false;
  Clock::time_point changed_at_;                    ///< the last correction
  bool measure_ = true;                             ///< the bandwidth, when the gate is judged next
  std::optional<Clock::time_point> at_work_since_;  ///< the worker has an order
  bool ready_ = false;
  bool stopping_ = false;
  // Last: their threads use the others, and are waited for first.
  Worker gate_worker_;
  Worker worker_;
};

}  // namespace

Result<> run_daemon(host::Host& host, host::Host& gate_host, const DaemonOptions& options) {
  if (auto safe = state::check_own_directories(host.files); !safe) return safe;
  auto lock = host.files.lock(protocol::kDaemonLockFile);
  if (!lock) return std::unexpected(lock.error());
  // Where somebody applies, the next start sees to it.
  if (const auto alone = host.files.lock(protocol::kLockFile)) {
    state::discard_leftovers(host.files);
  }
  Result<> ran;
  try {
    Daemon daemon(host, gate_host, options, *lock);
    ran = daemon.run();
  } catch (const boost::system::system_error& error) {
    // Asio's word for a descriptor or a signal that it cannot have.
    ran = fail(ErrorCode::kSystem, error.what());
  }
  // The other daemon's, where it is another's turn.
  if (ran || ran.error().code != ErrorCode::kBusy) {
    remove(host.files);
  }
  return ran;
}

}  // namespace spark::daemon
