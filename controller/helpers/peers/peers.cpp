// spark-peers: hears the other nodes of the cluster and answers them, as a user of its own. The
// process that may change this machine parses nothing that a network sent.
//
//   spark-peers [ORDER DOOR REPORT]
//   spark-peers bench
//   spark-peers records
//   spark-peers discover
//
// ORDER: what the daemon wants peers to know, and whom it expects; DOOR: where it hands the socket
// of the hellos over; REPORT: the file that this writes. Without them, those of the unit.
// `bench`: takes part in one measurement with a peer, which stdin names.
// `records`: asks peers, which stdin names, for what they recorded.
// `discover`: hears the nodes at the other ends of the cables, before any file names them.

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include <unistd.h>

#include "base/exit_code.hpp"
#include "helpers/peers/tasks.hpp"
#include "host/linux/linux_processes.hpp"
#include "host/linux/rdma/linux_rdma.hpp"
#include "host/process/key_file.hpp"

namespace {

int exit_with(const spark::Result<>& ran) {
  if (!ran) static_cast<void>(std::fputs((ran.error().what + "\n").c_str(), stderr));
  return status_of(ran ? spark::ExitCode::kDone : spark::ExitCode::kError);
}

}  // namespace

int main(int argc, char** argv) {
  using spark::ExitCode;
  try {
    // A peer or a probe that goes while it is written to is an error of that write alone.
    static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
    spark::host::hide_memory();
    const std::vector<std::string> words(argv + 1, argv + argc);
    constexpr std::size_t kPlaces = 3;
    if (words == std::vector<std::string>{"bench"}) {
      return exit_with(spark::helpers::run_bench_task(STDIN_FILENO, STDOUT_FILENO));
    }
    if (words == std::vector<std::string>{"records"}) {
      return exit_with(spark::helpers::run_records_task(STDIN_FILENO, STDOUT_FILENO));
    }
    if (words == std::vector<std::string>{"discover"}) {
      return exit_with(spark::helpers::run_discover(STDIN_FILENO, STDOUT_FILENO));
    }
    if (!words.empty() && words.size() != kPlaces) {
      static_cast<void>(
          std::fputs("usage: spark-peers [ORDER DOOR REPORT]\n"
                     "       spark-peers bench\n"
                     "       spark-peers records\n"
                     "       spark-peers discover\n",
                     stderr));
      return status_of(ExitCode::kUsage);
    }
    spark::helpers::PeersPlaces places;
    if (!words.empty()) places = {.order = words[0], .door = words[1], .report = words[2]};
    return exit_with(spark::helpers::run_peers_service(places, [](const std::string& device) {
      spark::host::LinuxRdma rdma;
      spark::host::LinuxProcesses processes;
      return spark::helpers::job_on(rdma, processes, device);
    }));
  } catch (const std::exception& error) {
    static_cast<void>(std::fputs(error.what(), stderr));
    return EXIT_FAILURE;
  }
}
