#include "daemon/daemon.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include <fcntl.h>
#include <fmt/format.h>
#include <syslog.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/system_error.hpp>

#include "base/unique_fd.hpp"
#include "daemon/agenda.hpp"
#include "daemon/agent_file.hpp"
#include "daemon/ask_programs.hpp"
#include "daemon/export/publish.hpp"
#include "daemon/hello_door.hpp"
#include "daemon/jobs_record.hpp"
#include "daemon/news.hpp"
#include "daemon/notifier.hpp"
#include "daemon/reconcile/observe_gate.hpp"
#include "daemon/reconcile/reconciler.hpp"
#include "daemon/records.hpp"
#include "daemon/sd_notify.hpp"
#include "daemon/sources.hpp"
#include "daemon/worker.hpp"
#include "host/file_lock.hpp"
#include "host/process/trusted_file.hpp"
#include "jobs/kernel_lines.hpp"
#include "protocol/alive.hpp"
#include "protocol/paths.hpp"
#include "protocol/web.hpp"
#include "state/journal.hpp"
#include "state/own_directories.hpp"
#include "state/pause.hpp"
#include "state/published_file.hpp"
#include "state/source.hpp"

namespace spark::daemon {
namespace {

namespace asio = boost::asio;
using Steady = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// A writer that closes the file in between, as `cat a > f; cat b >> f`, goes on within that time.
constexpr seconds kFileSettles{2};
/// Alerts are not looked at oftener where nothing happens.
constexpr milliseconds kReviewsAfter{100};

bool has_terminal() { return UniqueFd(::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)).valid(); }

bool is_ignored(int signal) {
  struct sigaction action{};
  return sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

/// A file that the user names with -f is followed, whatever agent.yaml says of a repository.
SourceRules source_rules(host::Files& files, const DaemonOptions& options) {
  if (!options.file.empty()) return {};
  const auto root = options.root;
  return {.settings = [&files, root] { return state::read_source(files, root); },
          .judgement = [&files] { return state::read_judgement(files); },
          .offer = [&files] { return state::read_offer(files); }};
}

/// Carries out what the agenda says: passes on one worker, the gate on another, programs that are
/// asked on a third, everything else on the loop.
class Daemon {
 public:
  Daemon(host::Host& host, host::Host& gate_host, const DaemonOptions& options,
         host::FileLock& lock)
      : host_(host),
        gate_host_(gate_host),
        root_(options.root == "/" ? "" : options.root),
        file_(options.file.empty() ? protocol::kDefaultFile : options.file),
        node_(options.node),
        version_(options.version),
        log_(options.log),
        clock_(options.clock),
        lock_(lock),
        reconciler_(
            host,
            {.file = file_,
             .node = options.node,
             .version = options.version,
             .take = {.check =
                          [top = options.file.empty() ? options.root : "/"](
                              const std::string& path) { return host::check_takeable(top, path); },
                      .settles_in = kFileSettles},
             .source_rules = source_rules(host.files, options),
             .check_helper = host::check_helper,
             .source = &options.source,
             .is_anybody_asked =
                 [directory = root_ + kAskDirectory] { return has_ask_programs(directory); },
             .clock = options.clock}),
        agenda_(Steady::now()),
        records_(host.files, options.log),
        wake_(loop_),
        watchdog_(loop_),
        signals_(loop_, SIGTERM, SIGINT),
        sources_(root_, options.file.empty() ? root_ + file_ : file_) {
    // nohup(1) has it ignored, and so it stays.
    if (!is_ignored(SIGHUP)) signals_.add(SIGHUP);
  }

  Result<> run() {
    notifier_ = std::make_unique<Notifier>(loop_, notifier_options(), [this] {
      agenda_.records_changed();
      go_on();
    });
    if (auto opened = sources_.open(loop_, [this](std::string_view source) { report(source); });
        !opened) {
      return opened;
    }
    if (auto door = HelloDoor::open(loop_, root_)) {
      hello_door_.emplace(std::move(*door));
    } else {
      log_(LOG_WARNING, fmt::format("other nodes are not heard: {}", door.error().what));
    }
    report_news(
        {LOG_NOTICE, "started",
         fmt::format("started, version {}: keeps this node as '{}' says", version_, file_)});
    announce();
    await_signal();
    feed_watchdog();
    report("start");
    loop_.run();
    log_(LOG_NOTICE, fmt::format("ended{}; everything stays as it is", why_it_ends_));
    worker_.end();
    if (end_) jobs_->end(clock_());  // else another daemon records
    return std::move(end_);
  }

 private:
  /// Read before the worker begins.
  NotifierOptions notifier_options() {
    auto agent = read_agent_file(host_.files, root_, log_);
    const auto identity = host_.system.identity();
    document_ = {.listen = agent.listen.value,
                 .token_file = agent.token_file ? agent.token_file->value : "",
                 .hostname = identity ? identity->hostname : "",
                 .boot_id = state::boot_id(host_),
                 .state = {}};
    patience_ =
        agent.disturb.patience ? std::optional(agent.disturb.patience->value) : std::nullopt;
    JobsRecord::Options jobs{.keeps_names = agent.jobs.names.value, .kernel_lines = {}};
    if (root_.empty()) {  // else the journal is another machine's
      jobs.kernel_lines = [](auto since, auto until) { return jobs::kernel_lines(since, until); };
    }
    jobs_.emplace(host_, std::move(jobs), log_, clock_());
    NodeState state;
    read_mutes(state);
    return {.agent = std::move(agent),
            .root = root_,
            .alerts = host_.files.read(kAlertsFile).value_or(std::nullopt).value_or(""),
            .state = std::move(state),
            .boot_id = document_.boot_id,
            .log = log_,
            .clock = clock_};
  }

  /// The page is there before the first pass is over.
  void announce() {
    document_.state.version = version_;
    document_.state.started = clock_();
    document_.state.file.path = file_;
    static_cast<void>(publish_document(host_.files, document_));  // the first pass tries again
    log_(LOG_NOTICE, fmt::format("listens nowhere: {} serves the page and the metrics on {}",
                                 protocol::kWebUnit, config::text_of(document_.listen)));
  }

  void report(std::string_view source) {
    agenda_.reported(source, Steady::now());
    go_on();
  }

  /// Begins all that is due, and sleeps until more is.
  void go_on() {
    while (const auto task = agenda_.next(Steady::now())) {
      std::visit([this](const auto& what) { begin(what); }, *task);
    }
    wake_.expires_at(agenda_.wake_at());
    wake_.async_wait([this](const auto& error) {
      if (!error) go_on();
    });
  }

  /// The worker does `job`; then the loop does `end` with the result, and goes on.
  template <class Job, class End>
  void give(Worker& worker, Job job, End end) {
    worker.start([this, job = std::move(job), end = std::move(end)] {
      asio::post(loop_, [this, end, result = job()]() mutable {
        end(std::move(result));
        go_on();
      });
    });
  }

  // --- the tasks

  void begin(const CorrectNetwork& /*task*/) {
    give(
        worker_,
        [this, writers = sources_.writers()] { return reconciler_.correct_network(writers); },
        [this](bool corrected) { agenda_.corrected(corrected, Steady::now()); });
  }

  void begin(const MakePass& task) {
    log_(LOG_DEBUG, fmt::format("looks at everything: {}", sources_text(task.triggers)));
    give(
        worker_,
        [this, sinks = notifier_->sinks(), mutes = notifier_->mutes(),
         order =
             PassOrder{.triggers = task.triggers,
                       .writers = sources_.take_writers(),
                       .network_alone = task.network_alone,
                       .answer = std::exchange(answer_, std::nullopt)}]() -> Result<PassOutcome> {
          if (auto held = hold_lock(); !held) return std::unexpected(held.error());
          auto outcome = reconciler_.pass(order);
          // What the pass found may end a job, or come after its end.
          if (jobs_->is_due()) observe_jobs(outcome.file.get());
          // Before the status: who reads that reads this too. One that cannot be written is as of
          // no daemon.
          static_cast<void>(state::write_published_file(host_.files, outcome.published));
          show(outcome.state, sinks, mutes);
          return outcome;
        },
        [this](Result<PassOutcome> outcome) {
          if (outcome) {
            end_pass(std::move(*outcome));
          } else {
            end_by(outcome.error());
          }
        });
  }

  void begin(const ObserveGate& task) {
    give(
        gate_worker_,
        [this, file = file_in_force_,
         depth =
             task.deeply ? gate::GateOptions::Depth::kNormal : gate::GateOptions::Depth::kLight] {
          return file ? observe_gate(gate_host_, file->cluster, node_, depth, cabling_, clock_)
                      : std::nullopt;
        },
        [this](std::optional<GateObservation> seen) {
          gate_seen_ = std::move(seen);
          agenda_.gate_observed();
        });
  }

  void begin(const TakeVerdict& /*task*/) {
    give(
        worker_,
        [this, sinks = notifier_->sinks(), mutes = notifier_->mutes(),
         seen = std::exchange(gate_seen_, std::nullopt), file = file_in_force_] {
          auto outcome = reconciler_.take_verdict(seen);
          observe_jobs(file.get());
          show(outcome.state, sinks, mutes);  // first: what the target starts reads it
          const auto again_in = target_.follow(host_, outcome.state.verdict, clock_());
          if (again_in) {
            outcome.again_in =
                std::min<milliseconds>(*again_in, outcome.again_in.value_or(*again_in));
          }
          return outcome;
        },
        [this](PassOutcome outcome) {
          if (outcome.pass_due) agenda_.reported("trial", Steady::now());
          tell_of(std::move(outcome.state));
          agenda_.verdict_taken(outcome.look_deeper, outcome.again_in, Steady::now());
          agenda_.jobs_seen(jobs_->is_due(), Steady::now());
          tell_systemd("");
        });
  }

  void begin(const ObserveUsers& /*task*/) {
    give(
        worker_, [this] { return reconciler_.users_changed(); },
        [this](bool changed) { agenda_.users_seen(changed, Steady::now()); });
  }

  void begin(const ObserveJobs& /*task*/) {
    give(
        worker_,
        [this, sinks = notifier_->sinks(), mutes = notifier_->mutes(), file = file_in_force_] {
          observe_jobs(file.get());
          auto state = document_.state;
          show(state, sinks, mutes);
          return state;
        },
        [this](NodeState state) {
          tell_of(std::move(state));
          agenda_.jobs_seen(jobs_->is_due(), Steady::now());
        });
  }

  /// On the worker, since a disk may be slow.
  void begin(const KeepRecords& /*task*/) {
    auto changed = records_.take_changed(notifier_->alerts());
    if (changed.empty()) {
      agenda_.records_kept();
      return;
    }
    give(
        worker_,
        [this, changed = std::move(changed)] { return write_records(host_.files, changed); },
        [this](const Result<>& /*kept*/) { agenda_.records_kept(); });
  }

  void begin(const ReviewAlerts& /*task*/) { tell_of(notifier_->state()); }

  /// Beside the corrections, as the gate: programs take their time. Another question waits for the
  /// pass that this answer asks for.
  void ask(const AskOrder& order) {
    if (std::exchange(is_asking_, true)) return;
    give(
        ask_worker_,
        [this, order] {
          return AskAnswer{order, ask_programs(root_ + kAskDirectory, order, log_)};
        },
        [this](AskAnswer answer) {
          is_asking_ = false;
          answer_ = std::move(answer);
          agenda_.reported("ask", Steady::now());
        });
  }

  // --- what came of them

  /// On the worker, but for the first time.
  void read_mutes(NodeState& state) const {
    auto mutes = state::read_mutes(host_, clock_());
    state.mutes_error = mutes ? "" : mutes.error().what;
    state.mutes_asked = std::move(mutes).value_or(std::vector<state::Mute>{});
  }

  /// On the worker. `file`: in force; null: none is.
  void observe_jobs(const GoodFile* file) {
    jobs_->look(file != nullptr ? &file->cluster : nullptr, node_, clock_());
  }

  /// On the worker.
  void show(NodeState& state, const std::vector<SinkState>& sinks, const AlertMutes& mutes) {
    state.sinks = sinks;
    read_mutes(state);
    state.mutes = mutes.records_of(state.mutes_asked);
    state.disturb_patience = patience_;
    state.jobs = jobs_->followed();
    jobs_->note(document_.state, state, clock_());
    document_.at = clock_();
    document_.state = state;
    is_published_ = publish(host_.files, document_);
    jobs_->keep(document_.at);
  }

  /// On the worker. Where somebody removed the lock, as with all of /run/spark-reconcile, it is
  /// taken again; where that fails for now, the next pass tries. Errors: kBusy, another daemon has
  /// it.
  Result<> hold_lock() {
    if (host::is_at(lock_, root_ + protocol::kDaemonLockFile)) return {};
    auto lock = host_.files.lock(protocol::kDaemonLockFile);
    if (lock) {
      lock_ = std::move(*lock);
    } else if (lock.error().code == ErrorCode::kBusy) {
      return std::unexpected(lock.error());
    }
    return {};
  }

  void end_by(const Error& error) {
    agenda_.stop();
    end_ = std::unexpected(error);
    why_it_ends_ = ": " + error.what;
    loop_.stop();
  }

  void end_pass(PassOutcome outcome) {
    say_alive();
    file_in_force_ = std::move(outcome.file);
    const bool is_released = outcome.state.released.has_value();
    const bool links_moved = outcome.state.links != notifier_->state().links;
    const bool first = !agenda_.had_pass();
    tell_of(std::move(outcome.state));
    if (outcome.sources.empty()) {
      sources_.watch_again();
    } else {
      sources_.watch_files(std::move(outcome.sources), is_released);
    }
    agenda_.passed({.changed = outcome.changed,
                    .links_moved = links_moved,
                    .waits = outcome.waits,
                    .gate_due = outcome.gate_due,
                    .again_in = outcome.again_in},
                   Steady::now());
    if (outcome.question) ask(*outcome.question);
    tell_systemd(first ? "READY=1\n" : "");
  }

  void tell_of(NodeState state) {
    for (const auto& item : news(notifier_->state(), state)) report_news(item);
    const auto shown = state.mutes;
    for (const auto& item : notifier_->update(std::move(state))) report_news(item);
    // A pass shows it.
    if (notifier_->state().mutes != shown) agenda_.reported("mutes", Steady::now());
    agenda_.records_changed();
    std::optional<Steady::time_point> review_at;
    if (const auto due = notifier_->due()) {
      // One that cannot be judged yet stays due.
      review_at = Steady::now() + std::max<milliseconds>(*due - clock_().boot, kReviewsAfter);
    }
    agenda_.alerts_due(review_at);
  }

  void report_news(const News& item) {
    log_(item.priority, item.text);
    records_.add(item, clock_());
  }

  void tell_systemd(std::string_view first) {
    notify_.send(fmt::format("{}STATUS={}\n", first, one_line(notifier_->state())));
  }

  void feed_watchdog() {
    const auto watchdog = notify_.watchdog();
    if (!agenda_.hangs(Steady::now())) {
      if (watchdog) notify_.send("WATCHDOG=1\n");
      say_alive();
    }
    const std::chrono::microseconds counts = protocol::kAliveCounts;
    watchdog_.expires_after(std::min(watchdog.value_or(counts), counts) / 3);
    watchdog_.async_wait([this](const auto& error) {
      if (!error) feed_watchdog();
    });
  }

  /// To those who read what this process wrote. What another left there, before the first pass or
  /// where it cannot be replaced, counts no longer for it.
  void say_alive() {
    if (!is_published_) return;
    // Where it cannot be written, what is there soon counts for nothing, as of one that hangs.
    static_cast<void>(alive_.write(protocol::alive_text(clock_().boot)));
  }

  void await_signal() {
    signals_.async_wait([this](const auto& error, int number) {
      if (error) return;
      if (number == SIGHUP && !lost_terminal()) {
        log_(LOG_NOTICE, "reads the file again");
        notify_.send("STATUS=reading the file again\n");
        report("reload");
        await_signal();
        return;
      }
      agenda_.stop();
      why_it_ends_ = number == SIGHUP ? ": its terminal is gone" : " by a signal";
      notify_.send("STOPPING=1\nSTATUS=finishing the correction in hand\n");
      loop_.stop();
    });
  }

  /// Who closes a terminal ends what runs in it; systemd's reload is the same signal.
  [[nodiscard]] bool lost_terminal() const { return had_terminal_ && !has_terminal(); }

  host::Host& host_;
  host::Host& gate_host_;        // the gate worker's
  gate::CablingMemory cabling_;  // the gate worker's
  std::string root_;             ///< before every path; empty: the system's own
  std::string file_;
  std::string node_;  ///< as the user named it
  std::string_view version_;
  DaemonLog log_;
  Clock clock_;
  host::FileLock& lock_;  // the worker's
  bool had_terminal_ = has_terminal();
  Result<> end_;
  std::string why_it_ends_;
  std::optional<milliseconds> patience_;  ///< for what waits for the end of a job; empty: any
  asio::io_context loop_{1};
  node_state::NodeDocument document_;  // the worker's, once it begins
  Reconciler reconciler_;              // the worker's
  std::optional<JobsRecord> jobs_;     // the worker's, once it begins
  ReadyTarget target_;                 // the worker's
  Agenda agenda_;
  Records records_;
  Notify notify_;
  std::atomic<bool> is_published_ = false;  ///< the last state that the worker showed
  host::FileInPlace alive_{root_ + protocol::kDaemonAliveFile};
  asio::steady_timer wake_;
  asio::steady_timer watchdog_;
  asio::signal_set signals_;
  Sources sources_;
  std::unique_ptr<Notifier> notifier_;
  std::optional<HelloDoor> hello_door_;
  std::shared_ptr<const GoodFile> file_in_force_;
  std::optional<GateObservation> gate_seen_;  ///< not taken in yet
  bool is_asking_ = false;
  std::optional<AskAnswer> answer_;  ///< not taken in yet
  // Last: their threads use the others, and are waited for first.
  Worker gate_worker_;
  Worker ask_worker_;
  Worker worker_;
};

}  // namespace

Result<> run_daemon(host::Host& host, host::Host& gate_host, const DaemonOptions& options) {
  if (auto safe = state::check_own_directories(host.files); !safe) return safe;
  auto lock = host.files.lock(protocol::kDaemonLockFile);
  if (!lock) return std::unexpected(lock.error());
  // Where somebody applies, the next start sees to it.
  if (const auto alone = host.files.lock(protocol::kLockFile)) state::discard_leftovers(host.files);
  Result<> ran;
  try {
    Daemon daemon(host, gate_host, options, *lock);
    ran = daemon.run();
  } catch (const boost::system::system_error& error) {
    // Asio's word for a descriptor or a signal that it cannot have.
    ran = fail(ErrorCode::kSystem, error.what());
  }
  // The other daemon's, where it is another's turn.
  if (ran || ran.error().code != ErrorCode::kBusy) remove(host.files);
  return ran;
}

}  // namespace spark::daemon
