#pragma once
// Host: the ports through which everything else reads and changes this machine.

#include "host/bus.hpp"
#include "host/files.hpp"
#include "host/hardware.hpp"
#include "host/modules.hpp"
#include "host/netlink.hpp"
#include "host/probe.hpp"
#include "host/processes.hpp"
#include "host/rdma.hpp"
#include "host/storage.hpp"
#include "host/sysctl.hpp"
#include "host/system.hpp"

namespace spark::host {

struct Host {
  Netlink& netlink;
  Sysctl& sysctl;
  Files& files;
  System& system;
  Rdma& rdma;
  Probe& probe;
  Bus& bus;
  Hardware& hardware;
  Storage& storage;
  Modules& modules;
  Processes& processes;
};

}  // namespace spark::host
