#include "fake/fake_host.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "config/dgx_names.hpp"

namespace spark::test {
namespace {

host::LinkInfo pci_link(const std::string& name, const std::string& pci_address, int number) {
  return {.name = name,
          .up = true,
          .mtu = 1500,
          .min_mtu = 68,
          .mac = fmt::format("02:00:5e:10:00:{:02x}", number),
          .ipv6_addr_gen_mode = 0,
          .parent_bus = "pci",
          .parent_device = pci_address};
}

}  // namespace

FakeHost::FakeHost() {
  sysctl_.add_link("all");
  sysctl_.add_link("default");
  sysctl_.set("net.core.rmem_max", "212992");
  sysctl_.set("net.core.wmem_max", "212992");
  netlink_.plug({.name = "lo",
                 .up = true,
                 .loopback = true,
                 .mtu = 65536,
                 .mac = "00:00:00:00:00:00",
                 .ipv6_addr_gen_mode = 0});
}

void FakeHost::run_systemd() {
  files_.put("/run/systemd/system/a-unit-that-was-generated.service", "");
  bus_.on_start("modprobe@", [this](const std::string& unit) -> Result<> {
    const auto at = unit.find('@') + 1;
    const auto name = unit.substr(at, unit.rfind('.') - at);
    modules_.load(name);
    if (name == "rdma_ucm" && modules_.look(name)->loaded) {
      rdma_.load_cm();
    }
    return {};  // whatever came of it
  });
}

std::size_t FakeHost::writes(FakePort port) const {
  return static_cast<std::size_t>(
      std::ranges::count(writes_.entries(), port, &FakeWrites::Entry::port));
}

std::vector<std::string> FakeHost::written() const {
  std::vector<std::string> all;
  std::ranges::transform(writes_.entries(), std::back_inserter(all), &FakeWrites::Entry::what);
  return all;
}

RailNames dgx_rail_names() {
  return {config::dgx_name({0, 0}), config::dgx_name({0, 1}), config::dgx_name({1, 0}),
          config::dgx_name({1, 1})};
}

void add_spark(FakeHost& host, const RailNames& names) {
  host.run_systemd();
  constexpr std::uint64_t kEighthOfMemory = std::uint64_t{16} * 1024 * 1024 * 1024;
  host.processes().run("/init.scope", kEighthOfMemory);
  for (const auto* name : {"rdma_ucm", "ib_uverbs", "mlx5_ib", "nvme_tcp"}) {
    host.modules().add(name);
  }
  for (const auto* name : {"rdma_ucm", "ib_uverbs", "mlx5_ib"}) {
    host.modules().load(name);
  }
  auto management = pci_link("enP7s7", "0007:01:00.0", 0x01);
  management.altnames = {"enP7p1s0"};
  management.max_mtu = 9194;
  const int management_index = host.netlink().plug(std::move(management));
  host.netlink().add_foreign("enP7s7", {.address = *IpPrefix::parse("192.0.2.10/24")});
  host.netlink().add_route({.destination = *IpPrefix::parse("0.0.0.0/0"),
                            .table = 254,
                            .link_index = management_index,
                            .gateway = IpAddress::parse("192.0.2.1")});
  host.storage().add_target(
      {.nqn = "nqn.2014-08.org.example:data",
       .address = "198.51.100.12",
       .volumes = {{.nsid = 1, .uuid = "00000000-0000-4000-8000-00000000000a"}}});
  for (int cage = 0; cage <= 1; ++cage) {
    for (int rail = 0; rail <= 1; ++rail) {
      auto link =
          pci_link(names.at(2 * static_cast<std::size_t>(cage) + static_cast<std::size_t>(rail)),
                   fmt::format("{:04x}:01:00.{}", 2 * rail, cage), 0x02 + 2 * rail + cage);
      link.max_mtu = 9978;
      link.phys_switch_id = "00005e0053000001";
      link.phys_port_name = fmt::format("p{}", cage);
      const auto name = link.name;
      host.netlink().plug(std::move(link));
      host.rdma().attach(fmt::format("roce{}1s0f{}", rail == 0 ? "p" : "P2p", cage), name);
    }
  }
}

void add_network_managers(FakeHost& host) {
  auto& files = host.files();
  files.put("/etc/NetworkManager/NetworkManager.conf", "[main]\n");
  files.put("/sys/fs/cgroup/system.slice/NetworkManager.service/cgroup.procs", "225\n");
  files.put("/usr/lib/systemd/network/80-container-host0.network", "");
  const auto remember = [&host](const NmDevice& device) {
    const auto links = host.netlink().links();
    const auto link = std::ranges::find(*links, device.link, &host::LinkInfo::name);
    // As NetworkManager 1.42: a device that becomes unavailable keeps the file that it has.
    if (link != links->end() && (link->carrier || !device.managed)) {
      host.files().put(fmt::format("/run/NetworkManager/devices/{}", link->index),
                       fmt::format("[device]\nmanaged={}\n", device.managed));
    }
  };
  host.bus().on_nm_managed(remember);
  const auto links = host.netlink().links();
  for (const auto& link : *links) {
    if (!link.loopback) {
      const NmDevice device{.link = link.name, .managed = true};
      host.bus().add_nm_device(device);
      remember(device);
    }
  }
}

}  // namespace spark::test
