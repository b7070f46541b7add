// spark-storage: connects to NVMe targets and disconnects from them, as systemd starts it for
// spark-nvme@ID.service; and answers questions about volumes that may never be answered. A process
// of its own: what waits for a lost target can be left behind, and systemd keeps the order at
// shutdown.
//
//   spark-storage connect ID | disconnect ID           started by systemd
//   spark-storage discover ADDRESS PORT [INTERFACE]    JSON on stdout, as all below
//   spark-storage superblock DEVICE | claim DEVICE
//   spark-storage try PATH ro|rw | sync PATH

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <exception>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "base/exit_code.hpp"
#include "base/json_document.hpp"
#include "base/unique_fd.hpp"
#include "base/units.hpp"
#include "helpers/storage/discovery.hpp"
#include "helpers/storage/fabrics.hpp"
#include "helpers/storage/volume.hpp"
#include "protocol/nvme.hpp"
#include "protocol/volume.hpp"

namespace {

using Words = std::vector<std::string>;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// A caller that waits for a connection learns its result within five seconds.
constexpr milliseconds kConnectTime{4'500};
/// For a volume that is still in use while we are told to let it go: at shutdown its users are
/// being ended at the same time.
constexpr seconds kReleaseTime{15};

std::string message_of(int error) { return std::generic_category().message(error); }

std::string text_of(const auto& answer) {
  return spark::json_text(spark::TextJsonWriter::write(answer));
}

void print(const auto& answer) { std::puts(text_of(answer).c_str()); }

/// To the journal.
void say(const std::string& text) { std::fputs((text + "\n").c_str(), stderr); }

// Connections -------------------------------------------------------------------------------------

std::string path_of(const std::string& id, const char* ending) {
  return fmt::format("{}/{}{}", spark::protocol::kNvmeFolder, id, ending);
}

/// The ID is one part of a path.
bool is_id(const std::string& id) {
  return !id.empty() && id.find('/') == std::string::npos && !id.starts_with('.');
}

std::string read_file(const std::string& path) {
  const spark::UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text(std::size_t{16} * 1024, '\0');
  const auto size = file.valid() ? read(file.get(), text.data(), text.size()) : 0;
  text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return text;
}

/// Throws: std::runtime_error, saying where the file is wrong.
spark::helpers::Connection read_connection(const std::string& path, const std::string& text) {
  auto wanted = spark::value_from_text<spark::helpers::Connection>(text);
  if (!wanted) throw std::runtime_error(fmt::format("'{}': {}", path, wanted.error().what));
  return *std::move(wanted);
}

/// In one rename, so that nobody reads half of it.
void leave_word(const std::string& id, spark::protocol::ConnectAttempt attempt) {
  timespec now{};
  static_cast<void>(clock_gettime(CLOCK_BOOTTIME, &now));  // cannot fail
  attempt.at = now.tv_sec;
  const auto text = text_of(attempt) + "\n";
  const auto path = path_of(id, ".state");
  const auto part = path + ".part";
  const spark::UniqueFd file(
      open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  // Who reads the old word, or none, tries again.
  if (!file.valid() || write(file.get(), text.data(), text.size()) < 0 ||
      rename(part.c_str(), path.c_str()) != 0) {
    say(fmt::format("write '{}': {}", path, message_of(errno)));
  }
}

int connect(const Words& words) {
  const auto& id = words.at(0);
  const auto path = path_of(id, ".json");
  const auto wanted = read_connection(path, read_file(path));
  leave_word(id, {.outcome = spark::protocol::kTrying, .what = {}});
  const auto connected = spark::helpers::connect_to(wanted, kConnectTime);
  if (const auto& failure = connected.failure) {
    leave_word(id, {spark::protocol::kFailed, failure->reason, failure->what});
    say(failure->what);
    return status_of(spark::ExitCode::kError);
  }
  leave_word(id, {spark::protocol::kConnected, {}, connected.controller});
  say(fmt::format("'{}' at {} port {} is {}", wanted.nqn, wanted.address, wanted.port,
                  connected.controller));
  return status_of(spark::ExitCode::kDone);
}

/// The first of the volumes that somebody holds; empty: none.
std::string held_one(const std::vector<std::string>& volumes) {
  for (const auto& volume : volumes) {
    if (spark::helpers::claim("/dev/" + volume) == EBUSY) return volume;
  }
  return {};
}

/// Waits until no volume is held, hearing of every unmount. The held one, or empty.
std::string await_release(const std::vector<std::string>& volumes) {
  const auto end = std::chrono::steady_clock::now() + kReleaseTime;
  const spark::UniqueFd mounts(open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC));
  while (true) {
    const auto held = held_one(volumes);
    const auto left = std::chrono::ceil<milliseconds>(end - std::chrono::steady_clock::now());
    if (held.empty() || left.count() <= 0) return held;
    // Mounts of other namespaces and device mappers tell nobody, hence the second.
    pollfd entry{.fd = mounts.get(), .events = POLLPRI, .revents = 0};
    static_cast<void>(poll(&entry, 1, static_cast<int>(std::min<long>(left.count(), 1000))));
  }
}

int disconnect(const Words& words) {
  const auto& id = words.at(0);
  const auto path = path_of(id, ".json");
  const auto text = read_file(path);
  if (text.empty()) {
    return status_of(spark::ExitCode::kDone);  // nothing is known of it, and nothing is ours
  }
  const auto wanted = read_connection(path, text);
  const auto controllers = spark::helpers::controllers_of(wanted);
  // Without its connection a mounted file system loses what it has not written.
  if (const auto held = await_release(spark::helpers::namespaces_behind(controllers));
      !held.empty()) {
    say(fmt::format("'{}' stays connected: /dev/{} is in use", wanted.nqn, held));
    return status_of(spark::ExitCode::kBusy);
  }
  for (const auto& controller : controllers) {
    if (const int error = spark::helpers::disconnect(controller); error != 0) {
      say(fmt::format("disconnect {}: {}", controller, message_of(error)));
      return status_of(spark::ExitCode::kError);
    }
  }
  leave_word(id, {.outcome = spark::protocol::kStopped, .what = {}});
  return status_of(spark::ExitCode::kDone);
}

// Questions ---------------------------------------------------------------------------------------

int answer(int error) {
  print(spark::protocol::VolumeAnswer{.error = error, .what = error == 0 ? "" : message_of(error)});
  return status_of(spark::ExitCode::kDone);
}

int discover(const Words& words) {
  spark::helpers::Connection wanted{.address = words.at(0)};
  const auto port = spark::number_in<std::uint16_t>(words.at(1));
  if (!port) return status_of(spark::ExitCode::kUsage);
  wanted.port = *port;
  wanted.via = words.size() > 2 ? words.at(2) : "";
  auto found = spark::helpers::discover(wanted, kConnectTime);
  const auto failure = found.failure.value_or(spark::helpers::ConnectFailure{});
  print(spark::protocol::DiscoveryAnswer{
      .offers = std::move(found.offers), .reason = failure.reason, .what = failure.what});
  return status_of(spark::ExitCode::kDone);
}

int superblock(const Words& words) {
  const auto [found, error] = spark::helpers::read_superblock(words.at(0));
  if (error != 0) return answer(error);
  print(spark::protocol::SuperblockAnswer{.error = 0, .superblock = found});
  return status_of(spark::ExitCode::kDone);
}

int claim(const Words& words) { return answer(spark::helpers::claim(words.at(0))); }
int try_out(const Words& words) {
  return answer(spark::helpers::try_out(words.at(0), words.at(1) == "rw"));
}
int sync(const Words& words) { return answer(spark::helpers::sync_at(words.at(0))); }

struct Verb {
  std::size_t least_words = 0;
  std::function<int(const Words&)> run;
  bool names_connection = false;
};

const std::map<std::string, Verb>& verbs() {
  static const std::map<std::string, Verb> kVerbs{{"connect", {1, connect, true}},
                                                  {"disconnect", {1, disconnect, true}},
                                                  {"discover", {2, discover}},
                                                  {"superblock", {1, superblock}},
                                                  {"claim", {1, claim}},
                                                  {"try", {2, try_out}},
                                                  {"sync", {1, sync}}};
  return kVerbs;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const Words all(argv + 1, argv + argc);
    const auto found = all.empty() ? verbs().end() : verbs().find(all.front());
    const Words words(all.begin() + (all.empty() ? 0 : 1), all.end());
    const bool fits = found != verbs().end() && words.size() >= found->second.least_words &&
                      (!found->second.names_connection || is_id(words.front()));
    if (!fits) {
      say("spark-storage: part of spark-reconcile, which calls it");
      return status_of(spark::ExitCode::kUsage);
    }
    const int status = found->second.run(words);
    return std::fflush(stdout) == 0 ? status : status_of(spark::ExitCode::kError);
  } catch (const std::exception& error) {
    say(fmt::format("spark-storage: {}", error.what()));
    return status_of(spark::ExitCode::kError);
  }
}
