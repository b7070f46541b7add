#include "daemon/daemon.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/system_error.hpp>

#include "base/paths.hpp"
#include "daemon/event_sources.hpp"
#include "daemon/keeper.hpp"
#include "daemon/notify.hpp"
#include "daemon/pacing.hpp"
#include "daemon/publish.hpp"
#include "daemon/ready_target.hpp"
#include "daemon/telling.hpp"
#include "daemon/worker.hpp"
#include "host/trusted_file.hpp"
#include "reconcile/by_hand.hpp"
#include "reconcile/journal.hpp"
#include "reconcile/node_record.hpp"
#include "reconcile/own_directories.hpp"
#include "reconcile/pause.hpp"
#include "spec/agent.hpp"

namespace spark {
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

class Daemon {
 public:
  Daemon(Host& host, const DaemonOptions& options)
      : host_(host),
        root_(options.root == "/" ? "" : options.root),
        file_(options.file.empty() ? kDefaultFile : options.file),
        keeper_(host, {.file = file_,
                       .node = options.node,
                       .version = options.version,
                       .pace = {},
                       .take = {.check =
                                    [top = options.root](const std::string& path) {
                                      return check_takeable(top, path);
                                    },
                                .settles_in = kFileSettles},
                       .check_helper = check_helper}),
        slow_(loop_),
        rest_(loop_),
        again_(loop_),
        gate_(loop_),
        watchdog_(loop_),
        alerts_(loop_),
        signals_(loop_, SIGTERM, SIGINT, SIGHUP) {}

  Result<> run() {
    telling_ = std::make_unique<Telling>(loop_, telling_options(), [this] {
      keep_alerts_ = true;
      go_on();
    });
    if (auto opened = open_sources(); !opened) return opened;
    await_signal();
    feed_watchdog();
    look_slowly();
    trigger("start");
    loop_.run();
    return {};
  }

 private:
  /// Read before the worker begins.
  TellingOptions telling_options() {
    TellingOptions options{.boot_id = boot_id(host_)};
    if (const auto identity = host_.system.identity()) {
      options.hostname = identity->hostname;
    }
    options.alerts = host_.files.read(kAlertsFile).value_or(std::nullopt).value_or("");
    const auto leave_out = [] {
      fmt::print(stderr, "spark-reconcile: '{}' is left out; all in it has its default\n",
                 kAgentFile);
    };
    if (const auto may = check_takeable(root_.empty() ? "/" : root_, kAgentFile); !may) {
      fmt::print(stderr, "spark-reconcile: {}\n", may.error().what);
      leave_out();
      return options;
    }
    const auto text = host_.files.read(kAgentFile).value_or(std::nullopt).value_or("");
    auto parsed = parse_agent(text);
    if (has_errors(parsed.diagnostics)) {
      for (const auto& diagnostic : parsed.diagnostics) {
        fmt::print(stderr, "{}\n", render(diagnostic, kAgentFile, text));
      }
      leave_out();
    } else {
      options.agent = std::move(parsed.agent);
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
      return path.starts_with(kPassingJournals) || path.ends_with(kRecordName) ||
             (path.ends_with(kLedgerName) && !is_released);
    });
    paths.push_back(file_);
    paths.emplace_back(kPauseFile);
    paths.emplace_back(kByHandFile);
    for (auto& path : paths) {
      path.insert(0, root_);
    }
    files_->watch(paths);
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
    } else if (!pending_.empty()) {
      rest_.expires_at(network_changed_ ? std::min(corrections_.next(), passes_.next())
                                        : passes_.next());
      rest_.async_wait([this](const auto& error) {
        if (!error) go_on();
      });
    } else if (std::exchange(keep_alerts_, false) && order_keeping()) {
      return;
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
      const bool corrected = keeper_.correct_network(order);
      asio::post(loop_, [this, corrected] {
        at_work_since_.reset();
        corrections_.looked(Clock::now(), corrected);
        corrected_ |= corrected;
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
                    .sinks = telling_->sinks()};
    worker_.start([this, order = std::move(order)] {
      auto outcome = keeper_.pass(order);
      publish(host_.files, outcome.state);
      asio::post(loop_,
                 [this, outcome = std::move(outcome)]() mutable { end_pass(std::move(outcome)); });
    });
  }

  void end_pass(PassOutcome outcome) {
    at_work_since_.reset();
    const bool changed = std::exchange(corrected_, false) || outcome.changed;
    passes_.looked(Clock::now(), changed);
    const bool moved = !ready_ || changed || outcome.state.links != telling_->state().links;
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

  void order_gate() {
    gate_due_.reset();
    // Bandwidth takes a second of the port, and a new service a few lines of the journal.
    const auto depth =
        std::exchange(measure_, false) ? GateOptions::Depth::kNormal : GateOptions::Depth::kLight;
    at_work_since_ = Clock::now();
    worker_.start([this, depth] {
      auto outcome = keeper_.gate(depth);
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
    auto alerts = telling_->alerts();
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
    telling_->update(std::move(state));
    keep_alerts_ = true;
    alerts_.cancel();
    if (const auto due = telling_->due()) {
      alerts_.expires_after(std::max(*due - now().boot, milliseconds(0)));
      alerts_.async_wait([this](const auto& error) {
        if (!error) {
          tell_of(telling_->state());
          go_on();
        }
      });
    }
  }

  void tell(std::string_view first) {
    notify_.send(fmt::format("{}STATUS={}\n", first, one_line(telling_->state())));
  }

  void feed_watchdog() {
    if (const auto every = notify_.watchdog()) {
      const bool hangs = at_work_since_ && Clock::now() - *at_work_since_ > kLongestOrder;
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
      if (number == SIGHUP) {
        notify_.send("STATUS=reading the file again\n");
        trigger("reload");
        await_signal();
        return;
      }
      stopping_ = true;
      notify_.send("STOPPING=1\nSTATUS=finishing the correction in hand\n");
      loop_.stop();
    });
  }

  Host& host_;
  std::string root_;  ///< before every path; empty: the system's own
  std::string file_;
  asio::io_context loop_{1};
  Keeper keeper_;       // the worker's
  ReadyTarget target_;  // likewise
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
  std::unique_ptr<Telling> telling_;
  bool keep_alerts_ = false;  ///< they may have changed since they were last written
  std::string kept_alerts_;   ///< as written last
  Triggers pending_;
  bool network_changed_ = false;  ///< since the last look at it
  bool corrected_ = false;        ///< since the last pass
  Pacing passes_;
  Pacing corrections_;
  std::optional<Clock::time_point> gate_due_;
  bool measure_ = true;                             ///< the bandwidth, when the gate is judged next
  std::optional<Clock::time_point> at_work_since_;  ///< the worker has an order
  bool ready_ = false;
  bool stopping_ = false;
  Worker worker_;  // last: its thread uses the others, and is waited for first
};

}  // namespace

Result<> run_daemon(Host& host, const DaemonOptions& options) {
  if (auto safe = check_own_directories(host.files); !safe) return safe;
  const auto lock = host.files.lock(kDaemonLockFile);
  if (!lock) return std::unexpected(lock.error());
  Result<> ran;
  try {
    Daemon daemon(host, options);
    ran = daemon.run();
  } catch (const boost::system::system_error& error) {
    // Asio's word for a descriptor or a signal that it cannot have.
    ran = fail(ErrorCode::kSystem, error.what());
  }
  withdraw(host.files);
  return ran;
}

}  // namespace spark
