#pragma once
// FakeHost: one machine in memory. Its parts act on each other as on a real one: an address brings
// its route, a link that goes down loses its IPv6 addresses, a removed primary takes its
// secondaries along.

#include <array>
#include <string>

#include "fake/fake_bus.hpp"
#include "fake/fake_files.hpp"
#include "fake/fake_hardware.hpp"
#include "fake/fake_modules.hpp"
#include "fake/fake_netlink.hpp"
#include "fake/fake_probe.hpp"
#include "fake/fake_processes.hpp"
#include "fake/fake_rdma.hpp"
#include "fake/fake_storage.hpp"
#include "fake/fake_sysctl.hpp"
#include "fake/fake_system.hpp"
#include "fake/fake_writes.hpp"
#include "host/host.hpp"

namespace spark::test {

class FakeHost {
 public:
  /// Only the loopback link, and the keys of net/ipv4/conf and net/core that this program knows.
  FakeHost();

  host::Host host() {
    return {netlink_, sysctl_,   files_,   system_,  rdma_,     probe_,
            bus_,     hardware_, storage_, modules_, processes_};
  }

  /// systemd is PID 1 from now on, and modprobe@.service loads what there is.
  void run_systemd();

  // The parts of the world, for what happens to it without us.
  FakeNetlink& netlink() { return netlink_; }
  FakeSysctl& sysctl() { return sysctl_; }
  FakeFiles& files() { return files_; }
  FakeSystem& system() { return system_; }
  FakeRdma& rdma() { return rdma_; }
  FakeProbe& probe() { return probe_; }
  FakeBus& bus() { return bus_; }
  FakeHardware& hardware() { return hardware_; }
  FakeStorage& storage() { return storage_; }
  FakeModules& modules() { return modules_; }
  FakeProcesses& processes() { return processes_; }

  /// Changes made through the ports, all and by port. A refused one is none.
  [[nodiscard]] std::size_t writes() const { return writes_.entries().size(); }
  [[nodiscard]] std::size_t writes(FakePort port) const;
  /// What they were, in their order.
  [[nodiscard]] std::vector<std::string> written() const;
  /// Changes that were tried, as `refuse` and `kill` count them.
  [[nodiscard]] std::size_t tried() const { return writes_.tried(); }
  void forget_writes() { writes_.forget(); }

  /// The n-th change from now on fails, n counting from 1.
  void refuse(std::size_t nth) { writes_.refuse(nth); }
  /// The process dies before the n-th change from now on (`Killed`); 0: it does not.
  void kill(std::size_t nth) { writes_.kill(nth); }
  /// Every change whose description contains `text` fails; none when it is empty.
  void refuse_if(std::string text, ErrorCode as = ErrorCode::kSystem) {
    writes_.refuse_if(std::move(text), as);
  }
  /// Somebody else acts at once after each change whose description contains `text`.
  void add_overwriter(std::string text, std::function<void()> acts) {
    writes_.add_overwriter(std::move(text), std::move(acts));
  }
  /// "links", "addresses", "routes", "rules", "identity", "ssh sessions", "RDMA ports", "NVMe
  /// targets", "mounts", a sysctl key or a path.
  void make_unreadable(const std::string& what) { writes_.make_unreadable(what); }

 private:
  FakeWrites writes_;
  FakeSysctl sysctl_{writes_};
  FakeNetlink netlink_{writes_, sysctl_};
  FakeFiles files_{writes_};
  FakeSystem system_{writes_};
  FakeRdma rdma_{writes_, netlink_};
  FakeProbe probe_;
  FakeBus bus_{writes_};
  FakeHardware hardware_;
  FakeStorage storage_{writes_, files_, bus_};
  FakeModules modules_{writes_};
  FakeProcesses processes_{writes_};
};

/// Names for the rails in the order cage 0 rail 0, cage 0 rail 1, cage 1 rail 0, cage 1 rail 1.
using RailNames = std::array<std::string, 4>;

/// What DGX OS calls them.
RailNames dgx_rail_names();

/// A DGX Spark as it comes: the four functions of its ConnectX-7 with their RDMA devices, up and
/// cabled at MTU 1500 without IPv4, and enP7s7 with 192.0.2.10/24 and the default route. systemd
/// runs; the modules for RDMA are loaded, nvme_tcp is there to be loaded.
void add_spark(FakeHost& host, const RailNames& names = dgx_rail_names());

/// NetworkManager runs and manages all links but the loopback; systemd-networkd is installed and
/// does not run. As DGX OS has it.
void add_network_managers(FakeHost& host);

}  // namespace spark::test
