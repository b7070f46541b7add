// spark-web: serves the page, status.json and the metrics over HTTP, as a user of its own. The
// process that may change this machine listens nowhere, and parses nothing that a network sent.
//
//   spark-web serve [STATE LOCK REPORT [PEERS]]
//
// STATE: what the daemon wrote last; LOCK: the lock file that the daemon holds while it lives;
// REPORT: the file that this writes, whether it listens; PEERS: what the other nodes told, without
// which the page is of this node alone. Without any, those of the unit.

#include "protocol/web.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

#include "base/exit_code.hpp"
#include "helpers/web/service.hpp"
#include "host/process/key_file.hpp"

namespace {

/// The folder that the machine of that document is in: a token that it names is there.
std::string top_of(const std::string& state) {
  const std::string_view usual = spark::protocol::kNodeStateFile;
  return state.ends_with(usual) ? state.substr(0, state.size() - usual.size()) + "/" : "/";
}

}  // namespace

int main(int argc, char** argv) {
  using spark::ExitCode;
  try {
    // Who goes while it is answered is an error of that write alone.
    static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
    spark::host::hide_memory();
    const std::vector<std::string> words(argv + 1, argv + argc);
    constexpr std::size_t kPlaces = 4;
    constexpr std::size_t kAllPlaces = 5;
    if ((words.size() != 1 && words.size() != kPlaces && words.size() != kAllPlaces) ||
        words[0] != "serve") {
      static_cast<void>(std::fputs("usage: spark-web serve [STATE LOCK REPORT [PEERS]]\n", stderr));
      return status_of(ExitCode::kUsage);
    }
    spark::helpers::WebPlaces places;
    if (words.size() >= kPlaces) {
      const auto folder_of = [](const std::string& path) {
        return path.substr(0, path.rfind('/') + 1);
      };
      places = {.state = words[1],
                .lock = words[2],
                .daemon_alive = folder_of(words[1]) + "alive",
                .report = words[3],
                .alive = folder_of(words[3]) + "alive",
                .peers_order = folder_of(words[1]) + "peers-order.json",
                .peers = words.size() == kAllPlaces ? words[4] : "",
                .peers_alive = folder_of(words.back()) + "alive",
                .top = top_of(words[1])};
    }
    const auto ran = spark::helpers::run_web_service(places);
    if (!ran) static_cast<void>(std::fputs((ran.error().what + "\n").c_str(), stderr));
    return status_of(ran ? ExitCode::kDone : ExitCode::kError);
  } catch (const std::exception& error) {
    static_cast<void>(std::fputs(error.what(), stderr));
    return EXIT_FAILURE;
  }
}
