// spark-reconcile: the command line becomes a verb, run on the real machine. The only file that
// names the real adapters.

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "cli/command.hpp"
#include "cli/completion/completion.hpp"
#include "cli/input/engine.hpp"
#include "cli/input/named_file.hpp"
#include "cli/input/parse_arguments.hpp"
#include "cli/input/user_name.hpp"
#include "cli/input/verb.hpp"
#include "cli/log.hpp"
#include "cli/run.hpp"
#include "cli/terminal.hpp"
#include "cli/version.hpp"
#include "daemon/daemon.hpp"
#include "host/linux/helper_probe.hpp"
#include "host/linux/linux_files.hpp"
#include "host/linux/linux_hardware.hpp"
#include "host/linux/linux_processes.hpp"
#include "host/linux/linux_storage.hpp"
#include "host/linux/linux_system.hpp"
#include "host/linux/netlink/linux_netlink.hpp"
#include "host/linux/rdma/linux_rdma.hpp"

namespace {

/// The next file that is opened would take the number of a standard stream that is closed, and what
/// is printed would land in that file: the lock, or one below /etc.
bool open_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // open(2) gives the lowest free number, and those below are open by now.
    if (fcntl(stream, F_GETFD) == -1 && open("/dev/null", O_RDWR) != stream) return false;
  }
  return true;
}

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// What could not be printed is an error of its own, whatever was done.
int end(const spark::cli::Terminal& terminal, spark::ExitCode code) {
  if (const auto printed = terminal.finish(); !printed) {
    terminal.complain("spark-reconcile: " + printed.error().what + "\n");
    code = worse(code, spark::ExitCode::kError);
  }
  return static_cast<int>(code);
}

/// The real adapters, and the ports that they make.
struct Adapters {
  explicit Adapters(const std::string& root)
      : files(root), system(files, from_environment("SSH_CONNECTION")), storage(files, root) {}
  ~Adapters() = default;
  Adapters(const Adapters&) = delete;
  Adapters& operator=(const Adapters&) = delete;

  spark::host::LinuxNetlink netlink;
  spark::host::LinuxSysctl sysctl;
  spark::host::LinuxFiles files;
  spark::host::LinuxSystem system;
  spark::host::LinuxRdma rdma;
  spark::host::HelperBus bus;
  spark::host::HelperProbe probe{bus};
  spark::host::LinuxHardware hardware;
  spark::host::LinuxStorage storage;
  spark::host::LinuxModules modules;
  spark::host::LinuxProcesses processes;
  spark::host::Host host{netlink, sysctl,   files,   system,  rdma,     probe,
                         bus,     hardware, storage, modules, processes};
};

spark::ExitCode keep(const spark::cli::Command& command) {
  const auto& arguments = command.arguments;
  Adapters of_the_gate(arguments.root);
  // As for every other verb: what the user names is a path of the user's.
  spark::host::LinuxFiles named;
  const auto file =
      arguments.file.empty() ? "" : std::filesystem::absolute(arguments.file).string();
  const auto kept =
      spark::daemon::run_daemon(command.host, of_the_gate.host,
                                {.file = file,
                                 .node = arguments.node,
                                 .root = arguments.root,
                                 .version = spark::cli::version_number(),
                                 .source = arguments.file.empty() ? command.host.files : named,
                                 .log = [&log = command.log](int priority, std::string_view text) {
                                   log.write(priority, text);
                                 }});
  if (kept) return spark::ExitCode::kDone;
  const bool busy = kept.error().code == spark::ErrorCode::kBusy;
  return spark::cli::report_error(command, kept.error(),
                                  busy ? spark::ExitCode::kBusy : spark::ExitCode::kError);
}

/// Answers a shell, in the middle of a line: whatever goes wrong, it only has less to offer.
int complete_words(const std::vector<std::string>& words) {
  Adapters adapters(spark::cli::typed_arguments(words).root);
  const auto completion = spark::cli::complete(words, spark::cli::live_values(adapters.host));
  static_cast<void>(std::fputs(spark::cli::lines_for_shell(completion).c_str(), stdout));
  return 0;
}

/// Runs the adapter of an engine in place of this program; returns only where it is not there.
int run_adapter(spark::cli::EngineCall call) {
  std::vector<char*> words;
  for (auto& word : call.words) words.push_back(word.data());
  words.push_back(nullptr);
  execv(call.program.c_str(), words.data());
  const auto why = errno == ENOENT ? call.program + " is not there"
                                   : "run " + call.program + ": " + std::strerror(errno);
  const spark::cli::Terminal plain(stdout, stderr, spark::cli::Color::kNever, false);
  plain.complain("spark-reconcile: " + why +
                 "; it is of a package of its own: `sudo apt-get install " + call.package + "`\n");
  return end(plain, spark::ExitCode::kError);
}

int run_main(int argc, char** argv) {
  if (!open_closed_streams()) {
    return static_cast<int>(spark::ExitCode::kError);  // there is nowhere to say why
  }
  if (auto call = spark::cli::engine_call({argv, static_cast<std::size_t>(argc)})) {
    return run_adapter(std::move(*call));
  }
  // A reader that goes away (`apply | head`) must not kill a transaction half-way.
  static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
  if (const auto words = spark::cli::words_to_complete(argc, argv)) return complete_words(*words);
  const auto parsed = spark::cli::parse_arguments(argc, argv);
  if (const auto* answer = std::get_if<spark::cli::Answer>(&parsed)) {
    const spark::cli::Terminal plain(stdout, stderr, spark::cli::Color::kNever, false);
    return end(plain, spark::cli::report(plain, *answer));
  }
  const auto& arguments = std::get<spark::cli::Arguments>(parsed);
  const auto terminal =
      spark::cli::Terminal(stdout, stderr, arguments.color, arguments.quiet,
                           spark::cli::width_of(stdout, from_environment("COLUMNS")))
          .with_sudo(spark::cli::is_no_root());
  // Who starts the daemon by hand sits there to see what it does.
  const bool is_watched = arguments.verb->run == nullptr && isatty(STDERR_FILENO) == 1;
  const spark::cli::Log log(stderr, {.color = arguments.color,
                                     .verbosity = std::max(arguments.verbosity, is_watched ? 1 : 0),
                                     .journal_stream = from_environment("JOURNAL_STREAM")});

  Adapters adapters(arguments.root);
  const spark::cli::Command command{arguments, terminal, log, adapters.host};
  // Else an absent root looks like an empty one, and changing anything there fails half-way.
  const auto root = adapters.files.check_root();
  if (!root) {
    return end(terminal, spark::cli::report_error(
                             command, spark::cli::fault_of_root(arguments.root, root.error())));
  }
  return end(terminal, spark::cli::run(command, keep));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run_main(argc, argv);
  } catch (const std::exception& error) {
    // No memory, mostly: errors are values everywhere else.
    std::fputs(error.what(), stderr);
    return static_cast<int>(spark::ExitCode::kError);
  }
}
