#include <array>
#include <cerrno>
#include <csignal>
#include <memory>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/text.hpp"
#include "base/unique_fd.hpp"
#include "daemon/alerts/sinks/hooks.hpp"
#include "host/process/child.hpp"
#include "host/process/file_io.hpp"

namespace spark::daemon {
namespace {

namespace asio = boost::asio;
using BoostError = boost::system::error_code;

constexpr std::size_t kMostLine = 512;
constexpr std::size_t kMostLines = 100;
/// A killed process that is not gone by then is stuck in the kernel; output that is still open then
/// belongs to a process that left the group.
constexpr std::chrono::seconds kDyingTime{1};
constexpr int kSignalBase = 128;

class HookRun : public std::enable_shared_from_this<HookRun> {
 public:
  HookRun(asio::io_context& context, std::function<void(std::string_view)> line,
          std::function<void(Result<int>)> done)
      : process_(context),
        output_(context),
        timer_(context),
        line_(std::move(line)),
        done_(std::move(done)) {}
  HookRun(const HookRun&) = delete;
  HookRun& operator=(const HookRun&) = delete;
  /// The context ends before the program does.
  ~HookRun() {
    if (!is_running_) return;
    static_cast<void>(kill(-child_, SIGKILL));
    static_cast<void>(waitpid(child_, nullptr, WNOHANG));  // init reaps it otherwise
  }

  void start(const HookCall& call) {
    const auto what = fmt::format("run hook '{}'", call.path);
    if (auto started = spawn(call, what); !started) {
      finish(std::unexpected(started.error()));
      return;
    }
    wait();
    read();
    timer_.expires_after(call.deadline);
    timer_.async_wait(
        [self = shared_from_this(), what, deadline = call.deadline](const BoostError& error) {
          if (!error)
            self->too_late(fmt::format("{}: not done within {} ms", what, deadline.count()));
        });
  }

 private:
  Result<> spawn(const HookCall& call, const std::string& what) {
    const auto input = host::unnamed_file(call.input, what);
    if (!input) return std::unexpected(input.error());
    auto pipe = host::make_pipe(what);
    if (!pipe) return std::unexpected(pipe.error());
    auto environment = call.environment;
    environment.emplace_back("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin");
    const auto spawned = spark::host::spawn({.words = {call.path},
                                             .environment = std::move(environment),
                                             .in = input->get(),
                                             .out = pipe->write_end.get(),
                                             .err = pipe->write_end.get(),
                                             .directory = "/",
                                             .forgets_signals = true},
                                            what);
    if (!spawned) return std::unexpected(spawned.error());
    child_ = *spawned;
    is_running_ = true;
    auto process = host::process_handle(child_);
    if (!process.valid()) return fail_errno(errno, what);
    process_.assign(process.release());
    output_.assign(pipe->read_end.release());
    return {};
  }

  void read() {
    output_.async_read_some(asio::buffer(buffer_),
                            [self = shared_from_this()](const BoostError& error, std::size_t size) {
                              if (self->is_finished_) return;
                              self->take(std::string_view(self->buffer_.data(), size));
                              if (!error) {
                                self->read();
                                return;
                              }
                              self->output_ended_ = true;
                              self->finish_when_all_ended();
                            });
  }

  void take(std::string_view text) {
    for (const char c : text) {
      if (c == '\n') {
        flush();
      } else if (rest_.size() < kMostLine) {
        rest_ += c;
      }
    }
  }

  void flush() {
    ++lines_;
    if (lines_ <= kMostLines) line_(printable(rest_, kMostLine));
    if (lines_ == kMostLines + 1) line_("(more output is left out)");
    rest_.clear();
  }

  void wait() {
    process_.async_wait(asio::posix::stream_descriptor::wait_read,
                        [self = shared_from_this()](const BoostError& error) {
                          if (!error) self->woken();
                        });
  }

  /// Asio may wake us for an event of the descriptor that had this number before.
  void woken() {
    siginfo_t info{};
    const bool has_ended =
        waitid(P_PID, static_cast<id_t>(child_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == child_;
    if (has_ended) {
      ended();
    } else {
      wait();
    }
  }

  void ended() {
    // Before it is reaped: until then nobody else can get its number.
    static_cast<void>(kill(-child_, SIGKILL));
    int status = 0;
    if (waitpid(child_, &status, WNOHANG) != child_) return;
    is_running_ = false;
    status_ = WIFEXITED(status) ? WEXITSTATUS(status) : kSignalBase + WTERMSIG(status);
    if (is_finished_) return;
    finish_when_all_ended();
    if (is_finished_) return;
    timer_.expires_after(kDyingTime);
    timer_.async_wait([self = shared_from_this()](const BoostError& error) {
      if (error) return;
      self->output_ended_ = true;
      self->finish_when_all_ended();
    });
  }

  void too_late(const std::string& what) {
    late_ = what;
    static_cast<void>(kill(-child_, SIGKILL));
    timer_.expires_after(kDyingTime);
    timer_.async_wait([self = shared_from_this()](const BoostError& error) {
      if (!error) {
        self->finish(
            fail(ErrorCode::kTimeout, self->late_ + "; it cannot be killed, and is left behind"));
      }
    });
  }

  void finish_when_all_ended() {
    if (is_running_ || !output_ended_) return;
    if (!rest_.empty()) flush();
    if (late_.empty()) {
      finish(status_);
    } else {
      finish(fail(ErrorCode::kTimeout, late_ + "; it was killed"));
    }
  }

  void finish(Result<int> result) {
    if (std::exchange(is_finished_, true)) return;
    timer_.cancel();
    BoostError ignored;  // nobody reads it any more
    if (output_.is_open()) static_cast<void>(output_.close(ignored));
    std::exchange(done_, nullptr)(std::move(result));
  }

  asio::posix::stream_descriptor process_;
  asio::posix::stream_descriptor output_;
  asio::steady_timer timer_;
  std::function<void(std::string_view)> line_;
  std::function<void(Result<int>)> done_;
  std::array<char, 4096> buffer_{};
  std::string rest_;
  std::size_t lines_ = 0;
  std::string late_;  ///< empty: it ended in time
  pid_t child_ = 0;
  int status_ = 0;
  bool is_running_ = false;
  bool output_ended_ = false;
  bool is_finished_ = false;
};

}  // namespace

void run_hook(asio::io_context& context, const HookCall& call,
              std::function<void(std::string_view)> line, std::function<void(Result<int>)> done) {
  const auto run = std::make_shared<HookRun>(context, std::move(line), std::move(done));
  asio::post(context, [run, call] { run->start(call); });
}

}  // namespace spark::daemon
