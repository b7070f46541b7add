// spark-reconcile: the command line becomes a verb, run on the real machine. The only file that
// names the real adapters.

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <variant>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/log.hpp"
#include "cli/terminal.hpp"
#include "host/files_kernel.hpp"
#include "host/netlink_kernel.hpp"
#include "host/rdma_kernel.hpp"
#include "host/sysctl_kernel.hpp"
#include "host/system_kernel.hpp"

int main(int argc, char** argv) {
  // A reader that goes away (`apply | head`) must not kill a transaction half-way.
  static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
  const auto parsed = spark::parse_arguments(argc, argv);
  if (const auto* answer = std::get_if<spark::Answer>(&parsed)) {
    const bool usage = answer->code != spark::ExitCode::kDone;
    static_cast<void>(std::fputs(answer->text.c_str(), usage ? stderr : stdout));
    return static_cast<int>(answer->code);
  }
  const auto& arguments = std::get<spark::Arguments>(parsed);
  spark::set_verbosity(arguments.verbosity);
  const spark::Terminal terminal(stdout, stderr, arguments.color, arguments.quiet);

  const char* ssh_connection = std::getenv("SSH_CONNECTION");
  spark::KernelNetlink netlink;
  spark::KernelSysctl sysctl;
  spark::KernelFiles files(arguments.root);
  spark::KernelSystem system(files, ssh_connection == nullptr ? "" : ssh_connection);
  spark::KernelRdma rdma;
  spark::Host host{netlink, sysctl, files, system, rdma};
  return static_cast<int>(spark::run({arguments, terminal, host}));
}
