#include "helpers/web/service.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/system_error.hpp>

#include "base/json_document.hpp"
#include "base/moment.hpp"
#include "base/unique_fd.hpp"
#include "base/wait.hpp"
#include "cluster/told.hpp"
#include "helpers/web/http_server.hpp"
#include "helpers/web/page_access.hpp"
#include "helpers/web/page_cluster.hpp"
#include "helpers/web/page_token.hpp"
#include "helpers/web/routes.hpp"
#include "host/file_lock.hpp"
#include "host/process/file_io.hpp"
#include "host/process/trusted_file.hpp"
#include "node_state/node_document.hpp"
#include "node_state/time_text.hpp"
#include "node_state/verdict_reason.hpp"
#include "protocol/alive.hpp"
#include "protocol/peers_report.hpp"

namespace spark::helpers {
namespace {

namespace asio = boost::asio;
using Watched = asio::posix::stream_descriptor;
using Steady = std::chrono::steady_clock;

/// Nothing says when a port is free, when an address comes that is not there yet, or when a token
/// that cannot be used is right.
constexpr std::chrono::seconds kListenAgain{5};
/// proc_locks(5) is not read oftener, however many ask: reading it holds up all who lock a file.
constexpr std::chrono::seconds kLockRest{1};
/// Nor is what the peers told.
constexpr std::chrono::seconds kToldRest{1};

void log_line(const std::string& text) {
  static_cast<void>(std::fputs((text + "\n").c_str(), stderr));
}

/// Says of one file lock whether it is held.
class WatchedLock {
 public:
  explicit WatchedLock(std::string path) : path_(std::move(path)) {}

  /// As of a second ago at most.
  const Result<bool>& is_held() {
    const auto now = Steady::now();
    if (!next_ || now >= *next_) {
      held_ = host::is_held(path_);
      next_ = now + kLockRest;
    }
    return held_;
  }
  void forget() { next_.reset(); }

 private:
  std::string path_;
  Result<bool> held_ = false;
  std::optional<Steady::time_point> next_;
};

/// What this node and its peers told each other in this boot.
class WatchedReports {
 public:
  WatchedReports(std::string order, std::string report, std::string alive, std::string boot_id)
      : order_(std::move(order)),
        report_(std::move(report)),
        alive_(std::move(alive)),
        boot_id_(std::move(boot_id)) {}

  /// As of a second ago at most. Empty: nothing was told.
  const std::optional<cluster::Told>& told() {
    const auto now = Steady::now();
    if (!next_ || now >= *next_) {
      read();
      next_ = now + kToldRest;
    }
    return told_;
  }

 private:
  void read() {
    told_.reset();
    const auto written =
        protocol::read_aged(host::read_plain, alive_, report_, protocol::kMostPeersBytes);
    const auto order_text = host::read_plain(order_, protocol::kMostPeersBytes);
    if (!order_text || !*order_text || !written || !written->text) return;
    auto order =
        document_from_text<protocol::PeersOrder>(protocol::kPeersOrderSchema, **order_text);
    auto report = protocol::peers_report_at(spark::now().boot, *written->text, written->alive);
    if (!order || !report || report->boot_id != boot_id_) return;
    told_ = cluster::told_of(*std::move(order), *std::move(report));
  }

  std::string order_;
  std::string report_;
  std::string alive_;
  std::string boot_id_;
  std::optional<cluster::Told> told_;
  std::optional<Steady::time_point> next_;
};

class WebService {
 public:
  WebService(WebPlaces places, UniqueFd changes)
      : places_(std::move(places)),
        folder_(places_.state.substr(0, places_.state.rfind('/'))),
        boot_id_(host::attribute("/proc/sys/kernel/random/boot_id")),
        changes_(loop_, changes.release()),
        again_(loop_),
        token_again_(loop_),
        alive_again_(loop_),
        signals_(loop_, SIGTERM, SIGINT),
        lock_(places_.lock),
        told_(places_.peers_order, places_.peers, places_.peers_alive, boot_id_) {}

  Result<> run() {
    signals_.async_wait([this](const auto& error, int /*number*/) {
      if (!error) loop_.stop();
    });
    read_state();
    await_change();
    loop_.run();
    return std::move(end_);
  }

 private:
  // --- what the daemon writes

  void await_change() {
    changes_.async_wait(Watched::wait_read, [this](const auto& error) {
      if (error) return;
      if (is_written_again()) read_state();
      await_change();
    });
  }

  /// Whether the document may be another one since the last call. The folder holds much else.
  bool is_written_again() {
    alignas(inotify_event) std::array<char, 4096> events{};
    bool is_ours = false;
    while (true) {
      const auto got = ::read(changes_.native_handle(), events.data(), events.size());
      if (got <= 0) return is_ours;
      for (std::ptrdiff_t at = 0; at < got;) {
        const auto* event = reinterpret_cast<const inotify_event*>(events.data() + at);
        if ((event->mask & (IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED)) != 0) {
          end_ = fail(ErrorCode::kNotFound, fmt::format("'{}' was removed; begins again", folder_));
          loop_.stop();
          return false;
        }
        const std::string_view name = event->len == 0 ? "" : event->name;
        is_ours |= (event->mask & IN_Q_OVERFLOW) != 0 ||
                   name == std::string_view(places_.state).substr(folder_.size() + 1);
        at += static_cast<std::ptrdiff_t>(sizeof(inotify_event) + event->len);
      }
    }
  }

  void read_state() {
    read_document();
    use_document();
  }

  void read_document() {
    lock_.forget();
    document_.reset();
    unread_.clear();
    const auto text = host::read_plain(places_.state, protocol::kMostNodeStateBytes);
    if (!text) {
      unread_ = text.error().what;
    } else if (*text) {
      auto document = node_state::node_document_from(**text);
      if (document) {
        document_.emplace(std::move(*document));
      } else {
        unread_ = fmt::format("'{}' is not understood: {}; `systemctl restart spark-reconcile`",
                              places_.state, document.error().what);
      }
    }
    if (!unread_.empty()) log_line(unread_);
  }

  void use_document() {
    if (document_) serve_at(*document_);
    if (access_) {
      observe_token();
    } else {
      write_report();
    }
  }

  // --- who asks

  /// Why what the daemon wrote last is not shown; empty: it holds.
  std::string why_gone() {
    // First, as in read_aged: what was written before it is read before it counts.
    const auto alive = host::read_plain(places_.daemon_alive, protocol::kMostAliveBytes);
    if (is_written_again()) {
      read_document();
      boost::asio::post(loop_, [this] { use_document(); });  // it may end the server that asks
    }
    if (!unread_.empty()) return unread_;
    const auto& held = lock_.is_held();
    if (!held) return "whether the daemon runs cannot be seen: " + held.error().what;
    if (!*held) return "the daemon does not run: no drift is corrected, and no alert is sent";
    if (!document_ || (document_->boot_id != boot_id_ && !document_->boot_id.empty())) {
      return "the daemon has said nothing in this boot yet";
    }
    // Before its first pass it has written nothing that could count.
    if (!node_state::is_set(document_->at)) return {};
    if (!alive) return alive.error().what;
    const auto silent = node_state::why_silent(*alive, now());
    if (silent.empty()) return {};
    return fmt::format("{}; {}", silent, node_state::kRestartDaemon);
  }

  Response answer(const Request& request) {
    if (!access_) return answer_of_site(request.path);
    if (auto refused = access_->answer(request, observe_token(), Steady::now())) return *refused;
    auto answer = answer_of_site(request.path);
    return request.path == "/healthz" ? health_alone(answer) : answer;
  }

  Response answer_of_site(std::string_view path) {
    const auto why = why_gone();
    if (!why.empty()) return site_without_state(path, why);
    const auto at = now();
    const auto& state = document_->state;
    const auto view = is_page(path) && told_.told() ? view_of(state, *told_.told(), at)
                                                    : std::optional<ShownCluster>();
    return site(path, state, at, view ? &*view : nullptr);
  }

  void serve_at(const node_state::NodeDocument& document) {
    if (asked_ == document.listen && hostname_ == document.hostname &&
        token_.path() == document.token_file) {
      return;
    }
    asked_ = document.listen;
    listen_ = document.listen;
    hostname_ = document.hostname;
    token_ = TokenFile(document.token_file, places_.top);
    access_.reset();
    access_failed_.clear();
    failed_.clear();
    if (!asked_->ip.is_loopback()) guard();
    listen();
  }

  /// Nobody is told anything off this machine without a token.
  void guard() {
    if (!token_.path().empty()) {
      access_.emplace();
      return;
    }
    const auto* const loopback = asked_->ip.is_v4() ? "127.0.0.1" : "::1";
    listen_->ip = *IpAddress::parse(loopback);
    access_failed_ = fmt::format(
        "others reach {}, and agent.yaml names no 'token_file': served on this machine alone, "
        "on {} [SR-SPEC-141]",
        config::text_of(*asked_), config::text_of(*listen_));
    log_line(access_failed_);
  }

  /// What `doctor` reads changes with it.
  const PageToken& observe_token() {
    const auto& token = token_.look();
    if (token.failed != access_failed_) {
      access_failed_ = token.failed;
      log_line(access_failed_.empty()
                   ? "who has the token is let in"
                   : fmt::format("nobody is let in from elsewhere: {}", access_failed_));
    }
    write_report();
    if (!token.failed.empty()) {
      token_again_.expires_after(kListenAgain);
      token_again_.async_wait([this](const auto& error) {
        if (!error && access_) observe_token();
      });
    }
    return token;
  }

  void listen() {
    again_.cancel();
    server_.reset();
    const auto endpoint = config::text_of(*listen_);
    auto server = HttpServer::listen(
        loop_, {.ip = listen_->ip, .port = listen_->port}, names_of_machine(hostname_),
        [this](const Request& request) { return answer(request); }, access_ ? kLoginPath : "");
    if (server) {
      server_.emplace(std::move(*server));
      failed_.clear();
      log_line(fmt::format("serves the page and the metrics on {}", endpoint));
      return;
    }
    if (failed_ != server.error().what) {
      failed_ = server.error().what;
      log_line(fmt::format("no page and no metrics over HTTP: {}; tries again every {} s", failed_,
                           kListenAgain.count()));
    }
    again_.expires_after(kListenAgain);
    again_.async_wait([this](const auto& error) {
      if (error) return;
      listen();
      write_report();
    });
  }

  void write_report() {
    const protocol::WebReport report{.endpoint = listen_ ? config::text_of(*listen_) : "",
                                     .failed = failed_,
                                     .token_file = access_ ? token_.path() : "",
                                     .access_failed = access_failed_};
    if (report != reported_) {
      const auto text = json_text(document_of(protocol::kWebReportSchema, report)) + "\n";
      const auto written = host::replace_file(places_.report, text);
      // Where it is not there, each request tries it again.
      reported_ = written ? std::optional(report) : std::nullopt;
      auto what = written ? "" : written.error().what;
      if (!what.empty() && what != unreported_) log_line(what);
      unreported_ = std::move(what);
    }
    say_alive();
  }

  /// Of a report that is this process's, while it serves: one that says that nobody is served is
  /// acted on as it is.
  void say_alive() {
    alive_again_.cancel();
    if (!reported_) return;
    if (!server_) return alive_.remove();
    // Where it cannot be written, the report soon counts for nothing, as of one that hangs.
    static_cast<void>(alive_.write(protocol::alive_text(now().boot)));
    alive_again_.expires_after(protocol::kAliveCounts / 3);
    alive_again_.async_wait([this](const auto& error) {
      if (!error) say_alive();
    });
  }

  WebPlaces places_;
  std::string folder_;  ///< of the document
  std::string boot_id_;
  Result<> end_;
  asio::io_context loop_{1};
  Watched changes_;  ///< inotify
  asio::steady_timer again_;
  asio::steady_timer token_again_;
  asio::steady_timer alive_again_;
  asio::signal_set signals_;
  host::FileInPlace alive_{places_.alive};
  WatchedLock lock_;
  WatchedReports told_;
  std::optional<node_state::NodeDocument> document_;
  std::string unread_;  ///< why the document cannot be read; empty: it can, or there is none
  std::optional<config::Endpoint> asked_;   ///< empty: the daemon has named none yet
  std::optional<config::Endpoint> listen_;  ///< the same, or this machine alone
  TokenFile token_{""};
  std::optional<PageAccess> access_;  ///< empty: only this machine's own people come
  std::string access_failed_;         ///< why nobody off this machine is shown anything
  std::string hostname_;
  std::string failed_;  ///< why nobody is served there
  std::optional<protocol::WebReport> reported_;
  std::string unreported_;  ///< why the report could not be written; empty: it was
  std::optional<HttpServer> server_;
};

}  // namespace

Result<> run_web_service(const WebPlaces& places) {
  auto changes = make_inotify();
  if (!changes) return std::unexpected(changes.error());
  const auto folder = places.state.substr(0, places.state.rfind('/'));
  if (inotify_add_watch(changes->get(), folder.c_str(),
                        IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_DELETE | IN_DELETE_SELF |
                            IN_MOVE_SELF) < 0) {
    return fail_errno(errno, fmt::format("watch '{}'", folder));
  }
  try {
    return WebService(places, std::move(*changes)).run();
  } catch (const boost::system::system_error& error) {
    // Asio's word for a descriptor or a signal that it cannot have.
    return fail(ErrorCode::kSystem, error.what());
  }
}

}  // namespace spark::helpers
