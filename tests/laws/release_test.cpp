// What was there before the first apply comes back, whatever happened since: for every kind, every
// order of what can happen to a machine ends with a release that leaves it as it was.

#include "plan/release.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <ranges>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "apply/recovery.hpp"
#include "fake/fake_pass.hpp"
#include "fake/names.hpp"
#include "kinds/all.hpp"
#include "kinds/network/address_origin.hpp"
#include "kinds/other_managers/manager_files.hpp"
#include "laws/every_kind.hpp"

namespace spark::test {
namespace {

/// Like every_kind_text, and everything in it is another.
std::string other_text() {
  return R"(
version: 1
cluster: pair
nodes:
  spark1: { number: 21, management: enP7s7 }
  spark2: { number: 22, management: enP7s7 }
fabric:
  mtu: 4000
  cables:
    - { ends: [spark1:0, spark2:0], subnets: [198.51.100.0/25, 192.0.2.128/25] }
host:
  sysctl: { net.core.rmem_max: 4194304, net.core.wmem_max: 4194304 }
  hosts: { suffix: -other }
  roce: { rdma_cm_mode: v1 }
  memlock: 1GiB
environment: {}
)";
}

/// A rail by its name alone: every other line is gone, and what others have there is to leave.
std::string bare_text() {
  return R"(
version: 1
cluster: pair
nodes: { spark1: { links: { enp1s0f0np0: { exclusive: true, up: true } } } }
)";
}

/// A machine, and what can happen to it.
class World {
 public:
  World() {
    add_spark(host_);
    add_network_managers(host_);
  }

  FakeHost& host() { return host_; }

  /// All that `release` answers for, as text. What a release would restore, as a mark of ours, is
  /// in it.
  std::string state() {
    std::vector<std::string> lines;
    const auto links = host_.netlink().links().value();
    for (const auto& link : links) {
      const auto* const device = host_.bus().nm_device(link.name);
      lines.push_back(fmt::format("link {} {} mtu {} mode {} managed {}", link.name, link.up,
                                  link.mtu, link.ipv6_addr_gen_mode.value_or(9),
                                  device != nullptr && device->managed));
      for (const auto* key : {"arp_ignore", "arp_announce", "promote_secondaries"}) {
        lines.push_back(
            fmt::format("{} {} {}", link.name, key,
                        host_.sysctl().text(fmt::format("net/ipv4/conf/{}/{}", link.name, key))));
      }
    }
    const auto addresses = host_.netlink().addresses().value();
    for (const auto& address : addresses) {
      const auto link = std::ranges::find(links, address.link_index, &host::LinkInfo::index);
      lines.push_back(fmt::format("address {} {} protocol {} metric {}", link->name,
                                  address.address.text(), address.protocol, address.route_metric));
    }
    for (const auto& route : host_.netlink().routes().value()) {
      const auto link = std::ranges::find(links, route.link_index, &host::LinkInfo::index);
      lines.push_back(fmt::format("route {} by {} metric {} protocol {}", route.destination.text(),
                                  link == links.end() ? "" : link->name, route.metric,
                                  route.protocol));
    }
    for (const auto* key : {"net.core.rmem_max", "net.core.wmem_max"}) {
      lines.push_back(fmt::format("{} {}", key, host_.sysctl().text(key)));
    }
    for (const auto* device : {"rocep1s0f0", "roceP2p1s0f0"}) {
      const auto mode = host_.rdma().cm_mode(device, 1);
      lines.push_back(fmt::format("{} {}", device, mode ? mode->value_or("unread") : "none"));
    }
    const auto mounts = host_.storage().mounts().value();
    for (const auto& mount : mounts) {
      lines.push_back("mount " + mount.path);
    }
    for (const auto& [path, text] : host_.files().all()) {
      // The state, what others note in memory, and the identity of the host, which stays.
      const bool is_noted = path.starts_with("/var/lib/spark-reconcile") ||
                            path.starts_with("/run/") || path.starts_with("/etc/nvme/");
      if (!is_noted) lines.push_back(fmt::format("file {}:\n{}", path, text));
    }
    std::ranges::sort(lines);
    return fmt::format("{}\n", fmt::join(lines, "\n"));
  }

  /// Some of these files clash with the LAN, or with what was set up by hand, and would be refused.
  apply::Report apply(const std::string& text) {
    return carry_out_on(ports_, node_on(host_, text), {.text = text});
  }

  apply::Report release() { return release_on(ports_, {.name = "spark1"}); }

  /// False: it ended before that change.
  bool die(std::size_t nth, const std::function<void()>& act) {
    host_.kill(nth);
    try {
      act();
    } catch (const Killed&) {
      return true;
    }
    host_.kill(0);
    return false;
  }

  /// The verb `rollback`, where something is open.
  void roll_back() {
    if (const auto open = apply::find_open_journal(host_.files()).value()) {
      std::string said;
      apply::TransactionObserver observer;
      observer.on_step = [&](const plan::Step& step, const apply::StepReport& report, bool) {
        if (!report.is_done()) said += step.name() + ": " + report.why_not() + "\n";
      };
      const auto report = apply::roll_back_open(ports_, *open, observer);
      EXPECT_EQ(report.outcome, apply::Report::Outcome::kRolledBack)
          << fmt::format("{}; {}", fmt::join(report.differs, "\n"), said);
    }
  }

  std::vector<host::AddressInfo> addresses_of_rail() {
    const auto links = host_.netlink().links().value();
    const auto link = std::ranges::find(links, kRail, &host::LinkInfo::name);
    auto addresses = host_.netlink().addresses().value();
    std::erase_if(addresses, [&](const auto& one) { return one.link_index != link->index; });
    return addresses;
  }

  /// The device of the rail goes, with its addresses and settings.
  void take_away() {
    const auto links = host_.netlink().links().value();
    away_ = *std::ranges::find(links, kRail, &host::LinkInfo::name);
    foreign_ = addresses_of_rail();
    const auto ledger = ledger_on(ports_);
    std::erase_if(foreign_, [&](const host::AddressInfo& address) {
      return kinds::is_kernel_link_local(address) ||
             address.protocol == kinds::kOurAddressProtocol ||
             kinds::entries_of(ledger, kinds::Address::kName)
                 .contains(kinds::Address::label(kinds::Address::Key{kRail, address.address.ip}));
    });
    host_.netlink().unplug(kRail);
  }

  /// It comes back with our MTU and mode, and who set up the addresses that are not enforced
  /// does so again.
  void bring_back() {
    host_.netlink().plug(away_);
    // NetworkManager manages a device that is new to it, unless our file keeps it off.
    const auto ours =
        host_.files().read(kinds::unmanaged_file(kinds::Manager::kNetworkManager)).value();
    const bool managed =
        !kinds::unmanaged_links(kinds::Manager::kNetworkManager, ours.value_or("")).contains(kRail);
    ASSERT_TRUE(host_.bus().nm_set_managed(kRail, managed));
    for (const auto& address : foreign_) {
      host_.netlink().add_foreign(kRail, address);
    }
  }

 private:
  host::LinkInfo away_;
  std::vector<host::AddressInfo> foreign_;
  FakeHost host_;
  host::Host ports_ = host_.host();
};

using Event = std::function<void(World&)>;

/// What somebody does to what the kind holds.
const std::map<std::string_view, Event>& drifts() {
  static const auto file_goes = [](const char* path) -> Event {
    return [path](World& world) { world.host().files().erase(path); };
  };
  static const std::map<std::string_view, Event> kDrifts{
      {"other_managers", file_goes("/etc/NetworkManager/conf.d/90-spark-reconcile.conf")},
      {"module", file_goes("/etc/modules-load.d/spark-reconcile.conf")},
      {"mtu", [](World& world) { ASSERT_TRUE(world.host().netlink().set_mtu(kRail, 2000)); }},
      {"link", [](World& world) { ASSERT_TRUE(world.host().netlink().set_up(kRail, false)); }},
      {"address",
       [](World& world) {
         for (const auto& address : world.addresses_of_rail()) {
           if (address.address.ip == *IpAddress::parse("198.51.100.11")) {
             world.host().netlink().remove_foreign(kRail, address.address);
           }
         }
       }},
      {"route",
       [](World& world) {
         auto& netlink = world.host().netlink();
         for (const auto& route : netlink.routes().value()) {
           if (route.protocol == host::kMadeByUs) netlink.remove_route(route);
         }
       }},
      {"sysctl", [](World& world) { world.host().sysctl().set("net.core.rmem_max", "5"); }},
      {"roce",
       [](World& world) { world.host().rdma().lose_gid(*IpAddress::parse("198.51.100.11")); }},
      {"host_identity", file_goes("/etc/nvme/hostid")},
      {"rdma_cm",
       [](World& world) {
         ASSERT_TRUE(world.host().rdma().set_cm_mode("rocep1s0f0", 1, host::kRoceV1));
       }},
      {"hosts",
       [](World& world) {
         auto& files = world.host().files();
         auto text = files.read("/etc/hosts").value().value_or("");
         const auto at = text.find("198.51.100");
         if (at != std::string::npos) files.put("/etc/hosts", text.insert(at, "# by hand\n"));
       }},
      {"memlock", file_goes("/etc/security/limits.d/90-spark-reconcile.conf")},
      {"environment", file_goes("/etc/profile.d/spark-reconcile-nccl.sh")},
      {"nvme",
       [](World& world) { world.host().storage().disconnect("nqn.2014-08.org.example:data"); }},
      {"mount", [](World& world) { world.host().storage().cut_power(); }},
  };
  return kDrifts;
}

/// Somebody has set the rails up already: partly as the file wants it, partly not.
void set_up_by_hand(World& world) {
  auto& host = world.host();
  host.netlink().add_foreign(
      kRail, {.address = *IpPrefix::parse("198.51.100.11/24"), .protocol = 4, .route_metric = 7});
  host.netlink().add_foreign(kRail, {.address = *IpPrefix::parse("203.0.113.200/24")});
  host.netlink().add_foreign(kRail, {.address = *IpPrefix::parse("203.0.113.200/16")});
  host.netlink().add_foreign("enP2p1s0f0np0", {.address = *IpPrefix::parse("203.0.113.11/25")});
  ASSERT_TRUE(host.netlink().set_mtu(kRail, 9000));
  host.sysctl().set("net.core.rmem_max", "268435456");
  host.sysctl().set("net/ipv4/conf/enP2p1s0f0np0/arp_ignore", "1");
  ASSERT_TRUE(host.rdma().set_cm_mode("rocep1s0f0", 1, host::kRoceV2));
  host.files().put("/etc/hosts", "127.0.0.1 localhost");  // without the end of its line
}

const std::map<std::string, Event>& worlds() {
  static const std::map<std::string, Event> kWorlds{{"as it comes", [](World&) {}},
                                                    {"set up by hand", set_up_by_hand},
                                                    {"with an empty hosts file", [](World& world) {
                                                       world.host().files().put("/etc/hosts", "");
                                                     }}};
  return kWorlds;
}

/// What can happen between the first apply and the release, by name; first what leaves the same
/// file in force.
std::map<std::string, Event> events_within_the_file() {
  return {{"apply", [](World& world) { world.apply(every_kind_text()); }},
          {"device away and back",
           [](World& world) {
             world.take_away();
             world.bring_back();
           }},
          {"killed and rolled back", [](World& world) {
             static_cast<void>(world.die(9, [&] { world.apply(other_text()); }));
             world.roll_back();
           }}};
}
std::map<std::string, Event> events() {
  auto all = events_within_the_file();
  all.emplace("another file", [](World& world) { world.apply(other_text()); });
  all.emplace("lines removed", [](World& world) { world.apply(bare_text()); });
  all.emplace("killed", [](World& world) {
    static_cast<void>(world.die(7, [&] { world.apply(other_text()); }));
  });
  return all;
}

/// The lines of either text that the other lacks.
std::string difference_of(const std::string& is, const std::string& was) {
  const auto lines = [](const std::string& text) {
    std::vector<std::string> all;
    for (const auto line : std::views::split(text, '\n')) {
      all.emplace_back(line.begin(), line.end());
    }
    std::ranges::sort(all);
    return all;
  };
  const auto now = lines(is);
  const auto then = lines(was);
  std::vector<std::string> added;
  std::vector<std::string> gone;
  std::ranges::set_difference(now, then, std::back_inserter(added));
  std::ranges::set_difference(then, now, std::back_inserter(gone));
  return fmt::format("is {}, and was {}", added, gone);
}

void expect_state(World& world, const std::string& before, const std::string& what) {
  const auto now = world.state();
  EXPECT_TRUE(now == before) << what << ": " << difference_of(now, before);
}

void expect_released(World& world, const std::string& before, const std::string& what) {
  const auto report = world.release();
  EXPECT_NE(report.outcome, apply::Report::Outcome::kRollbackIncomplete)
      << what << ": " << fmt::format("{}", fmt::join(report.differs, "\n"));
  EXPECT_FALSE(report.failure) << what << ": " << report.failure->what;
  expect_state(world, before, what);
}

template <class K>
class ReleaseOf : public testing::Test {};

TYPED_TEST_SUITE(ReleaseOf, TypesOf<kinds::AllKinds>::Types, KindName);

/// Drift of what is held, before and after everything else that can happen.
TYPED_TEST(ReleaseOf, RestoresWhatWasThereWhateverDrifted) {
  const auto drift = drifts().at(TypeParam::kName);
  const auto expect_after = [](const Event& set_up, const std::vector<Event>& happens,
                               const std::string& what) {
    World world;
    set_up(world);
    const auto before = world.state();
    world.apply(every_kind_text());
    for (const auto& event : happens) {
      event(world);
    }
    expect_released(world, before, what);
  };
  for (const auto& [origin, set_up] : worlds()) {
    for (const auto& [name, happens] : events()) {
      expect_after(set_up, {drift, happens}, fmt::format("{}, drift, {}", origin, name));
    }
    for (const auto& [name, happens] : events_within_the_file()) {
      expect_after(set_up, {happens, drift}, fmt::format("{}, {}, drift", origin, name));
    }
  }
}

TEST(Release, RestoresWhatWasThereAfterAnyTwoThingsThatHappened) {
  for (const auto& [origin, set_up] : worlds()) {
    for (const auto& [first, happens_first] : events()) {
      for (const auto& [second, happens_second] : events()) {
        World world;
        set_up(world);
        const auto before = world.state();
        world.apply(every_kind_text());
        happens_first(world);
        happens_second(world);
        expect_released(world, before, fmt::format("{}, {}, {}", origin, first, second));
      }
    }
  }
}

TEST(Release, KilledAnywhereIsRolledBackOrFinished) {
  for (const auto& [origin, set_up] : worlds()) {
    bool died = true;
    for (std::size_t nth = 1; died && !testing::Test::HasFailure(); ++nth) {
      World world;
      set_up(world);
      const auto before = world.state();
      world.apply(every_kind_text());
      const auto applied = world.state();
      died = world.die(nth, [&] { world.release(); });
      const auto what = fmt::format("{}, killed before change {}", origin, nth);
      if (died) {
        world.roll_back();
        expect_state(world, applied, what);
        static_cast<void>(world.die(nth, [&] { world.release(); }));
      }
      expect_released(world, before, what);
    }
  }
}

TEST(Release, OfTheFirstApplyKilledAnywhereRestoresWhatWasThere) {
  for (const auto& [origin, set_up] : worlds()) {
    bool died = true;
    for (std::size_t nth = 1; died && !testing::Test::HasFailure(); ++nth) {
      World world;
      set_up(world);
      const auto before = world.state();
      died = world.die(nth, [&] { world.apply(every_kind_text()); });
      expect_released(world, before, fmt::format("{}, killed before change {}", origin, nth));
    }
  }
}

TEST(Release, WhileADeviceIsAwayOwesItWhatItHadBefore) {
  World world;
  set_up_by_hand(world);
  const auto before = world.state();
  world.apply(other_text());
  world.take_away();
  EXPECT_EQ(world.release().exit_code(), ExitCode::kWaiting);
  world.bring_back();
  ASSERT_NE(world.state(), before);
  expect_released(world, before, "the device is back");
}

TEST(Release, LeavesALedgerThatOwesNothing) {
  World world;
  set_up_by_hand(world);
  world.apply(every_kind_text());
  world.release();
  auto ports = world.host().host();
  auto ledger = ledger_on(ports);
  EXPECT_EQ(ledger.erase("node"), 1U) << "that the node is released";
  EXPECT_EQ(ledger, kinds::Ledger{});
}

}  // namespace
}  // namespace spark::test
