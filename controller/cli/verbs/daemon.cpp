// The verb `daemon`, which main.cpp runs: the daemon is no part of this library.

#include <array>

#include "cli/input/verb.hpp"

namespace spark::cli {
namespace {

constexpr auto kDaemonMeant = std::to_array<Meaning>({
    {"--foreground,--no-daemon,--nodaemon",
     "it stays in the foreground anyway: `sudo spark-reconcile daemon`"},
    {"start,run,up", "it is a service: `sudo systemctl start spark-reconcile`"},
    {"stop,down,disable", "it is a service: `sudo systemctl stop spark-reconcile`"},
    {"restart", "it is a service: `sudo systemctl restart spark-reconcile`"},
    {"reload", "it is a service: `sudo systemctl reload spark-reconcile`"},
    {"status", "it is a service: `systemctl status spark-reconcile`"},
    {"enable,install", "it is a service: `sudo systemctl enable --now spark-reconcile`"},
});

}  // namespace

extern const VerbSpec kDaemonVerb{.name = "daemon",
                                  .group = VerbGroup::kService,
                                  .about = "run as the daemon: keep this node as the file says",
                                  .needs_root = true,
                                  .meant = kDaemonMeant};

}  // namespace spark::cli
