// spark-bus-call: one request to systemd, NetworkManager or systemd-networkd over D-Bus, as JSON on
// stdout. A process of its own: it can be killed when a service hangs, and a converged apply loads
// no D-Bus library (docs/decisions/0018).
//
//   spark-bus-call start UNIT MS | stop UNIT MS | reload-units
//   spark-bus-call run-service NAME MS PATH [ARGUMENT...] | start-timer NAME MS PATH [ARGUMENT...]
//   spark-bus-call nm-set-managed LINK yes|no | nm-reload | nm-reload-profiles | networkd-reload |
//   netplan-generate

#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <sdbus-c++/sdbus-c++.h>

#include "base/exit_code.hpp"
#include "base/json_document.hpp"
#include "base/unique_fd.hpp"
#include "base/units.hpp"
#include "protocol/bus_answer.hpp"

namespace {

// The two versions of sdbus-c++ that distributions have.
#if SPARK_SDBUS_MAJOR >= 2
using sdbus::ServiceName;
void start_listening(sdbus::IProxy& /*proxy*/) {}  // each signal is heard once it has its handler
#else
using ServiceName = std::string;
void start_listening(sdbus::IProxy& proxy) { proxy.finishRegistration(); }
#endif

using spark::ErrorCode;
using spark::protocol::BusAnswer;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using Words = std::vector<std::string>;

constexpr const char* kSystemd = "org.freedesktop.systemd1";
constexpr const char* kSystemdPath = "/org/freedesktop/systemd1";
constexpr const char* kManager = "org.freedesktop.systemd1.Manager";
constexpr const char* kNm = "org.freedesktop.NetworkManager";
constexpr const char* kNmPath = "/org/freedesktop/NetworkManager";
constexpr const char* kNmSettings = "org.freedesktop.NetworkManager.Settings";
constexpr const char* kNmSettingsPath = "/org/freedesktop/NetworkManager/Settings";
constexpr const char* kNmDevice = "org.freedesktop.NetworkManager.Device";
constexpr const char* kNetworkd = "org.freedesktop.network1";
constexpr const char* kNetworkdPath = "/org/freedesktop/network1";
constexpr const char* kNetplan = "io.netplan.Netplan";
constexpr const char* kNetplanPath = "/io/netplan/Netplan";
constexpr const char* kNetworkdManager = "org.freedesktop.network1.Manager";

/// For a method that answers at once. A reload of systemd with many units takes seconds.
constexpr std::chrono::seconds kAnswer{20};
/// For NetworkManager to let a device go, or take it.
constexpr std::chrono::seconds kNmStateTime{15};
/// For its objects, once it has its name; and how long its word on them may be lost at most.
constexpr std::chrono::seconds kNmStartTime{8};
constexpr std::chrono::milliseconds kNmLook{250};
constexpr std::uint32_t kNmUnmanaged = 10;    // NM_DEVICE_STATE_UNMANAGED
constexpr std::uint32_t kNmReloadConfig = 1;  // NM_MANAGER_RELOAD_FLAG_CONF
constexpr std::size_t kMostOutput = std::size_t{64} * 1024;

std::unique_ptr<sdbus::IProxy> proxy_of(sdbus::IConnection& connection, const char* service,
                                        const std::string& path) {
  return sdbus::createProxy(connection, ServiceName(service), sdbus::ObjectPath(path));
}

/// Calls a method that answers at once.
template <class... Arguments>
void call(sdbus::IProxy& proxy, const char* interface, const char* method,
          const Arguments&... arguments) {
  proxy.callMethod(method).onInterface(interface).withTimeout(kAnswer).withArguments(arguments...);
}

/// Such a method's answer.
template <class Answer, class... Arguments>
Answer ask(sdbus::IProxy& proxy, const char* interface, const char* method,
           const Arguments&... arguments) {
  Answer answer{};
  proxy.callMethod(method)
      .onInterface(interface)
      .withTimeout(kAnswer)
      .withArguments(arguments...)
      .storeResultsTo(answer);
  return answer;
}

[[noreturn]] void give_up(ErrorCode code, std::string what) {
  throw spark::Error{code, std::move(what)};
}

/// systemd, NetworkManager and dbus-daemon have names of their own for the same few things.
ErrorCode code_of(const sdbus::Error& error) {
  const std::string name = error.getName();
  const auto ends = [&](const char* end) { return name.ends_with(end); };
  if (ends(".NoSuchUnit") || ends(".LoadFailed") || ends(".UnknownDevice")) {
    return ErrorCode::kNotFound;
  }
  if (ends(".AccessDenied") || ends(".PermissionDenied") ||
      ends(".InteractiveAuthorizationRequired")) {
    return ErrorCode::kPermission;
  }
  if (ends(".Timeout") || ends(".NoReply") || ends(".TimedOut")) return ErrorCode::kTimeout;
  // The bus itself, or a service that is not on it and that nothing starts.
  if (ends(".ServiceUnknown") || ends(".NameHasNoOwner") || ends(".FileNotFound") ||
      ends(".NoServer") || ends(".Disconnected") || ends(".Spawn.ChildExited") ||
      ends(".UnitMasked")) {
    return ErrorCode::kUnsupported;
  }
  return ErrorCode::kSystem;
}

/// The other program's words, without its full stop, and the way out where there is one.
std::string words_of(const sdbus::Error& error, const Words& words) {
  auto text = error.getMessage();
  if (text.ends_with('.')) text.pop_back();
  return error.getName().ends_with(".UnitMasked") && !words.empty()
             ? fmt::format("{}: `systemctl unmask {}` lets it start", text, words.front())
             : text;
}

/// Of a machine that systemd has not booted, or where its bus is not up yet.
std::unique_ptr<sdbus::IConnection> system_bus() {
  try {
    return sdbus::createSystemBusConnection();
  } catch (const sdbus::Error& error) {
    give_up(code_of(error), fmt::format("systemd cannot be asked over D-Bus: {}; whether it runs "
                                        "here: `systemctl is-system-running`",
                                        words_of(error, {})));
  }
}

milliseconds deadline_of(const std::string& text) {
  const auto count = spark::number_in<long>(text).value_or(0);
  if (count <= 0) {
    give_up(ErrorCode::kInvalid, fmt::format("'{}' is no number of milliseconds", text));
  }
  return milliseconds(count);
}

/// systemd's manager, and the ends of its jobs.
class Systemd {
 public:
  Systemd() : connection_(system_bus()), manager_(proxy_of(*connection_, kSystemd, kSystemdPath)) {
    // Heard before the first job is made, so that none ends unheard.
    manager_->uponSignal("JobRemoved")
        .onInterface(kManager)
        .call([this](std::uint32_t /*id*/, const sdbus::ObjectPath& job,
                     const std::string& /*unit*/, const std::string& result) {
          const std::lock_guard lock(mutex_);
          ended_[job] = result;
          changed_.notify_all();
        });
    start_listening(*manager_);
    connection_->enterEventLoopAsync();
    call(*manager_, kManager, "Subscribe");
  }
  Systemd(const Systemd&) = delete;
  Systemd& operator=(const Systemd&) = delete;
  ~Systemd() { connection_->leaveEventLoop(); }

  [[nodiscard]] sdbus::IProxy& manager() const { return *manager_; }

  /// "done", "failed", "timeout", …; "overdue" when there is none by the deadline.
  std::string result_of(const sdbus::ObjectPath& job, Clock::time_point end) {
    std::unique_lock lock(mutex_);
    const bool heard = changed_.wait_until(lock, end, [&] { return ended_.contains(job); });
    return heard ? ended_[job] : "overdue";
  }

  template <class T>
  T property(const sdbus::ObjectPath& unit, const char* interface, const char* name) {
    return proxy_of(*connection_, kSystemd, unit)
        ->getProperty(name)
        .onInterface(interface)
        .template get<T>();
  }

 private:
  std::unique_ptr<sdbus::IConnection> connection_;
  std::unique_ptr<sdbus::IProxy> manager_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::string> ended_;  ///< result by job
};

/// What the unit says of its failure: "exit-code, status 3".
std::string failure_of(Systemd& systemd, const std::string& unit) {
  const auto path = ask<sdbus::ObjectPath>(systemd.manager(), kManager, "LoadUnit", unit);
  const bool is_service = unit.ends_with(".service");
  const auto interface = is_service                 ? "org.freedesktop.systemd1.Service"
                         : unit.ends_with(".mount") ? "org.freedesktop.systemd1.Mount"
                                                    : nullptr;
  if (interface == nullptr) return {};
  auto said = systemd.property<std::string>(path, interface, "Result");
  if (is_service) {
    said += fmt::format(", status {}",
                        systemd.property<std::int32_t>(path, interface, "ExecMainStatus"));
  }
  return " (" + said + ")";
}

BusAnswer run_job(const char* method, const std::string& unit,
                  const std::string& milliseconds_text) {
  const auto deadline = deadline_of(milliseconds_text);
  const auto end = Clock::now() + deadline;
  Systemd systemd;
  const auto job =
      ask<sdbus::ObjectPath>(systemd.manager(), kManager, method, unit, std::string("replace"));
  const auto result = systemd.result_of(job, end);
  if (result == "done") return BusAnswer{};
  const std::string verb = std::string(method) == "StartUnit" ? "start" : "stop";
  if (result == "overdue") {
    give_up(ErrorCode::kTimeout,
            fmt::format("{} '{}': not done within {} ms", verb, unit, deadline.count()));
  }
  give_up(result == "timeout" ? ErrorCode::kTimeout : ErrorCode::kSystem,
          fmt::format("{} '{}': the job ended as '{}'{}", verb, unit, result,
                      failure_of(systemd, unit)));
}

BusAnswer start(const Words& words) { return run_job("StartUnit", words.at(0), words.at(1)); }

BusAnswer stop(const Words& words) {
  try {
    return run_job("StopUnit", words.at(0), words.at(1));
  } catch (const sdbus::Error& error) {
    if (code_of(error) != ErrorCode::kNotFound) throw;
    return BusAnswer{};  // not loaded: nothing of it runs
  }
}

BusAnswer reload_units(const Words& /*words*/) {
  const auto connection = system_bus();
  call(*proxy_of(*connection, kSystemd, kSystemdPath), kManager, "Reload");
  return BusAnswer{};
}

using Property = sdbus::Struct<std::string, sdbus::Variant>;
using Auxiliary = sdbus::Struct<std::string, std::vector<Property>>;

Property exec_start(const Words& command) {
  using Exec = sdbus::Struct<std::string, std::vector<std::string>, bool>;
  return {"ExecStart", sdbus::Variant{std::vector<Exec>{Exec{command.at(0), command, false}}}};
}

Property micros(const char* name, std::chrono::microseconds time) {
  return {name, sdbus::Variant{static_cast<std::uint64_t>(time.count())}};
}

Property text(const char* name, const char* value) {
  return {name, sdbus::Variant{std::string(value)}};
}

/// The job that starts a unit of which there is no file.
sdbus::ObjectPath start_transient(Systemd& systemd, const std::string& name,
                                  const std::vector<Property>& properties,
                                  const std::vector<Auxiliary>& others) {
  return ask<sdbus::ObjectPath>(systemd.manager(), kManager, "StartTransientUnit", name,
                                std::string("fail"), properties, others);
}

std::vector<Property> service_properties(const Words& command, int output, milliseconds deadline) {
  return {
      text("Description", "a look at what a new service gets"),
      // A oneshot's job ends with the program.
      text("Type", "oneshot"),
      exec_start(command),
      // Ends it also when nobody is left to see to that.
      micros("TimeoutStartUSec", deadline),
      Property{"StandardOutputFileDescriptor", sdbus::Variant{sdbus::UnixFd{output}}},
      // Nothing of it stays loaded, also when it failed.
      text("CollectMode", "inactive-or-failed"),
  };
}

/// What can be read by now: the program has ended.
std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer{};
  while (text.size() < kMostOutput) {
    const auto size = read(descriptor, buffer.data(), buffer.size());
    if (size <= 0 && !(size < 0 && errno == EINTR)) break;
    text.append(buffer.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  }
  return text;
}

BusAnswer run_service(const Words& words) {
  const auto& name = words.at(0);
  const auto deadline = deadline_of(words.at(1));
  const auto end = Clock::now() + deadline;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0) give_up(ErrorCode::kSystem, "make a pipe");
  const spark::UniqueFd out(ends[0]);
  spark::UniqueFd write_end(ends[1]);
  Systemd systemd;
  const Words command(words.begin() + 2, words.end());
  const auto job =
      start_transient(systemd, name, service_properties(command, write_end.get(), deadline), {});
  write_end.reset();
  const auto result = systemd.result_of(job, end);
  if (result == "overdue") {
    call(systemd.manager(), kManager, "KillUnit", name, std::string("all"), std::int32_t{9});
    give_up(ErrorCode::kTimeout, fmt::format("'{}' was not done in time, and was killed", name));
  }
  if (result == "timeout") {
    give_up(ErrorCode::kTimeout, fmt::format("'{}' was not done in time, and was ended", name));
  }
  return {.output = read_all(out.get())};
}

/// The pause after a try that failed. Tries never end: another process may hold the lock for long,
/// and nobody can come and look.
constexpr std::chrono::seconds kRetry{10};

BusAnswer start_timer(const Words& words) {
  const auto& service = words.at(0);
  const std::chrono::microseconds delay = deadline_of(words.at(1));
  const Words command(words.begin() + 2, words.end());
  const auto timer = service.substr(0, service.rfind('.')) + ".timer";
  const auto about = text("Description", "rolls back what is not confirmed in time");
  // As systemd-run(1) asks for it: the name of the setting, beside a time in microseconds.
  using Monotonic = sdbus::Struct<std::string, std::uint64_t>;
  const std::vector<Monotonic> elapses{
      Monotonic{"OnActiveSec", static_cast<std::uint64_t>(delay.count())}};
  const std::vector<Property> of_timer{about, Property{"TimersMonotonic", sdbus::Variant{elapses}},
                                       micros("AccuracyUSec", milliseconds(1)),
                                       Property{"RemainAfterElapse", sdbus::Variant{false}}};
  const std::vector<Property> of_service{about,
                                         text("Type", "exec"),
                                         exec_start(command),
                                         text("Restart", "on-failure"),
                                         micros("RestartUSec", kRetry),
                                         micros("StartLimitIntervalUSec", milliseconds(0)),
                                         text("CollectMode", "inactive-or-failed")};
  Systemd systemd;
  const auto job = start_transient(systemd, timer, of_timer, {Auxiliary{service, of_service}});
  if (const auto result = systemd.result_of(job, Clock::now() + kAnswer); result != "done") {
    give_up(ErrorCode::kSystem, fmt::format("start '{}': the job ended as '{}'", timer, result));
  }
  return BusAnswer{};
}

// NetworkManager ----------------------------------------------------------------------------------

/// GDBus's words for an object that is not there.
bool is_absent_object(const sdbus::Error& error) {
  const auto& name = error.getName();
  return name.ends_with(".UnknownObject") || name.ends_with(".UnknownMethod");
}

struct Nm {
  std::unique_ptr<sdbus::IConnection> connection = system_bus();

  /// While the machine boots, NetworkManager has its name for seconds before it has its objects.
  Nm() {
    std::mutex mutex;
    std::condition_variable told;
    const auto objects = at("/org/freedesktop");
    objects->uponSignal("InterfacesAdded")
        .onInterface("org.freedesktop.DBus.ObjectManager")
        .call([&](const sdbus::ObjectPath& /*path*/,
                  const std::map<std::string, std::map<std::string, sdbus::Variant>>& /*all*/) {
          told.notify_all();
        });
    start_listening(*objects);
    connection->enterEventLoopAsync();
    const auto end = Clock::now() + kNmStartTime;
    while (!is_there() && Clock::now() < end) {
      std::unique_lock lock(mutex);
      told.wait_for(lock, kNmLook);  // its word may have come before we listened
    }
    connection->leaveEventLoop();
  }

  [[nodiscard]] bool is_there() const {
    try {
      static_cast<void>(property<std::string>(kNmPath, kNm, "Version"));
    } catch (const sdbus::Error& error) {
      return !is_absent_object(error);
    }
    return true;
  }
  [[nodiscard]] std::unique_ptr<sdbus::IProxy> at(const std::string& path) const {
    return proxy_of(*connection, kNm, path);
  }
  template <class T>
  T property(const std::string& path, const char* interface, const char* name) const {
    return at(path)->getProperty(name).onInterface(interface).template get<T>();
  }
};

BusAnswer nm_set_managed(const Words& words) {
  const auto& link = words.at(0);
  const bool managed = words.at(1) == "yes";
  const Nm nm;
  const auto path = ask<sdbus::ObjectPath>(*nm.at(kNmPath), kNm, "GetDeviceByIpIface", link);
  const auto device = nm.at(path);
  std::mutex mutex;
  std::condition_variable changed;
  std::uint32_t state = 0;
  const auto learn = [&](std::uint32_t now) {
    const std::lock_guard lock(mutex);
    state = now;
    changed.notify_all();
  };
  device->uponSignal("StateChanged")
      .onInterface(kNmDevice)
      .call(
          [&](std::uint32_t now, std::uint32_t /*old*/, std::uint32_t /*reason*/) { learn(now); });
  start_listening(*device);
  nm.connection->enterEventLoopAsync();
  device->setProperty("Managed").onInterface(kNmDevice).toValue(managed);
  learn(nm.property<std::uint32_t>(path, kNmDevice, "State"));
  std::unique_lock lock(mutex);
  const bool came =
      changed.wait_for(lock, kNmStateTime, [&] { return (state != kNmUnmanaged) == managed; });
  lock.unlock();
  nm.connection->leaveEventLoop();
  if (!came) {
    give_up(ErrorCode::kTimeout,
            fmt::format("NetworkManager did not {} '{}' within {} s: its state is {}",
                        managed ? "take" : "let go of", link, kNmStateTime.count(), state));
  }
  return BusAnswer{};
}

BusAnswer nm_reload(const Words& /*words*/) {
  call(*Nm().at(kNmPath), kNm, "Reload", kNmReloadConfig);
  return BusAnswer{};
}

BusAnswer nm_reload_profiles(const Words& /*words*/) {
  call(*Nm().at(kNmSettingsPath), kNmSettings, "ReloadConnections");
  return BusAnswer{};
}

BusAnswer networkd_reload(const Words& /*words*/) {
  const auto connection = system_bus();
  call(*proxy_of(*connection, kNetworkd, kNetworkdPath), kNetworkdManager, "Reload");
  return BusAnswer{};
}

BusAnswer netplan_generate(const Words& /*words*/) {
  const auto connection = system_bus();
  if (!ask<bool>(*proxy_of(*connection, kNetplan, kNetplanPath), kNetplan, "Generate")) {
    give_up(ErrorCode::kSystem,
            "netplan could not make its files: run `netplan generate` to see why");
  }
  return BusAnswer{};
}

struct Verb {
  std::size_t least_words = 0;
  std::function<BusAnswer(const Words&)> run;
};

const std::map<std::string, Verb>& verbs() {
  static const std::map<std::string, Verb> all{{"start", {2, start}},
                                               {"stop", {2, stop}},
                                               {"start-timer", {3, start_timer}},
                                               {"reload-units", {0, reload_units}},
                                               {"run-service", {3, run_service}},
                                               {"nm-set-managed", {2, nm_set_managed}},
                                               {"nm-reload", {0, nm_reload}},
                                               {"nm-reload-profiles", {0, nm_reload_profiles}},
                                               {"networkd-reload", {0, networkd_reload}},
                                               {"netplan-generate", {0, netplan_generate}}};
  return all;
}

BusAnswer answer(const std::string& name, const Verb& verb, const Words& words) {
  try {
    return verb.run(words);
  } catch (const spark::Error& error) {
    return {.error = error};
  } catch (const sdbus::Error& error) {
    const auto what = fmt::format(
        "{}: {}", fmt::join(words.empty() ? Words{name} : Words{name, words.front()}, " "),
        words_of(error, words));
    return {.error = spark::Error{code_of(error), what}};
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Words all(argv + 1, argv + argc);
  const auto found = all.empty() ? verbs().end() : verbs().find(all.front());
  const Words words(all.begin() + (all.empty() ? 0 : 1), all.end());
  if (found == verbs().end() || words.size() < found->second.least_words) {
    std::fputs("spark-bus-call: part of spark-reconcile, which calls it\n", stderr);
    return static_cast<int>(spark::ExitCode::kUsage);
  }
  const auto text =
      spark::json_text(spark::TextJsonWriter::write(answer(found->first, found->second, words)));
  std::printf("%s\n", text.c_str());
  return std::fflush(stdout) == 0 ? 0 : static_cast<int>(spark::ExitCode::kError);
}
