// spark-peers: hears the other nodes of the cluster and answers them, as a user of its own. The
// process that may change this machine parses nothing that a network sent.
//
//   spark-peers [ORDER DOOR REPORT]
//
// ORDER: what the daemon wants peers to know, and whom it expects; DOOR: where it hands the socket
// of the hellos over; REPORT: the file that this writes. Without them, those of the unit.

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "base/exit_code.hpp"
#include "helpers/peers/service.hpp"
#include "host/linux/linux_processes.hpp"
#include "host/linux/rdma/linux_rdma.hpp"

int main(int argc, char** argv) {
  using spark::ExitCode;
  try {
    // A peer or a probe that goes while it is written to is an error of that write alone.
    static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
    const std::vector<std::string> words(argv + 1, argv + argc);
    constexpr std::size_t kPlaces = 3;
    if (!words.empty() && words.size() != kPlaces) {
      static_cast<void>(std::fputs("usage: spark-peers [ORDER DOOR REPORT]\n", stderr));
      return static_cast<int>(ExitCode::kUsage);
    }
    spark::helpers::PeersPlaces places;
    if (!words.empty()) places = {.order = words[0], .door = words[1], .report = words[2]};
    const auto ran = spark::helpers::run_peers_service(places, [](const std::string& device) {
      spark::host::LinuxRdma rdma;
      spark::host::LinuxProcesses processes;
      return spark::helpers::users_text(rdma, processes, device);
    });
    if (!ran) static_cast<void>(std::fputs((ran.error().what + "\n").c_str(), stderr));
    return static_cast<int>(ran ? ExitCode::kDone : ExitCode::kError);
  } catch (const std::exception& error) {
    static_cast<void>(std::fputs(error.what(), stderr));
    return EXIT_FAILURE;
  }
}
