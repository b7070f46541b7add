// What FakeNetlink claims to do as the kernel does: the same steps on both, the same state after
// each.

#include <algorithm>
#include <functional>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/if_addr.h>

#include "fake/fake_host.hpp"
#include "fake/names.hpp"
#include "host/linux/linux_system.hpp"
#include "kernel/namespace.hpp"

namespace spark::test {
namespace {

constexpr const char* kMac = "02:00:5e:10:00:01";

struct World {
  host::Netlink& netlink;
  host::Sysctl& sysctl;
};

/// Links, addresses and routes as text, without what the two need not agree on: numbers of links,
/// order, and how far duplicate address detection has come.
std::vector<std::string> describe(World world) {
  std::vector<std::string> lines;
  const auto links = world.netlink.links();
  const auto name_of = [&](int index) {
    const auto link = std::ranges::find(*links, index, &host::LinkInfo::index);
    return link == links->end() ? std::to_string(index) : link->name;
  };
  for (const auto& link : *links) {
    if (!link.loopback) {
      lines.push_back(fmt::format("link {} up {} carrier {} mtu {} mode {}", link.name, link.up,
                                  link.carrier, link.mtu, link.ipv6_addr_gen_mode.value_or(255)));
    }
  }
  const auto addresses = world.netlink.addresses();
  for (const auto& a : *addresses) {
    lines.push_back(fmt::format("address {} on {} flags {:x} scope {} protocol {} label '{}'",
                                a.address.text(), name_of(a.link_index),
                                a.flags & ~std::uint32_t{IFA_F_TENTATIVE}, a.scope, a.protocol,
                                a.label));
  }
  const auto routes = world.netlink.routes();
  for (const auto& r : *routes) {
    lines.push_back(fmt::format("route {} table {} type {} protocol {} dev {} source {} metric {}",
                                r.destination.text(), r.table, r.type, r.protocol,
                                name_of(r.link_index), r.source ? r.source->text() : "-",
                                r.metric));
  }
  std::ranges::sort(lines);
  return lines;
}

class NetlinkFake : public NamespaceTest {
 protected:
  void SetUp() override {
    NamespaceTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    add_cable(kRail);
    ip(fmt::format("link set {} address {}", kRail, kMac));
    // A loopback that is down, as in a new namespace, has no addresses.
    fake_.netlink().unplug("lo");
    fake_.netlink().plug({.name = kRail,
                          .mtu = 1500,
                          .min_mtu = 68,
                          .max_mtu = 65535,
                          .mac = kMac,
                          .ipv6_addr_gen_mode = 0});
    ASSERT_TRUE(netlink_.watch());
    expect_the_same("start");
  }

  /// The kernel makes link-local addresses when it gets to it, so the comparison waits for events.
  void expect_the_same(const std::string& step) {
    const auto faked = describe(fake());
    while (describe({netlink_, sysctl_}) != faked &&
           netlink_.wait_for_event(std::chrono::seconds(3)).value()) {
    }
    EXPECT_EQ(describe({netlink_, sysctl_}), faked) << "after: " << step;
  }
  /// Does it to both: both succeed, or both fail and say the same code.
  void both(const std::string& step, const std::function<Result<>(World)>& act) {
    const auto real = act({netlink_, sysctl_});
    const auto faked = act(fake());
    EXPECT_EQ(real.has_value(), faked.has_value()) << step;
    if (!real && !faked) {
      EXPECT_EQ(real.error().code, faked.error().code)
          << step << ": " << real.error().what << " / " << faked.error().what;
    }
    expect_the_same(step);
  }

  void add(const char* prefix) {
    both(fmt::format("add {}", prefix), [&](World world) {
      return world.netlink.add_address(kRail, {.address = *IpPrefix::parse(prefix)});
    });
  }
  void remove(const char* prefix) {
    both(fmt::format("remove {}", prefix), [&](World world) {
      return world.netlink.remove_address(kRail, *IpPrefix::parse(prefix));
    });
  }
  static host::RouteInfo route(const char* to, const char* via, const char* source = nullptr,
                               std::uint32_t metric = 0) {
    return {.destination = *IpPrefix::parse(to),
            .table = host::kMainTable,
            .protocol = host::kMadeByUs,
            .gateway = IpAddress::parse(via),
            .source = source == nullptr ? std::nullopt : IpAddress::parse(source),
            .metric = metric};
  }
  void add_route(const host::RouteInfo& route) {
    both(fmt::format("add route {}", route.destination.text()),
         [&](World world) { return world.netlink.add_route(kRail, route); });
  }
  void remove_route(const host::RouteInfo& route) {
    both(fmt::format("remove route {}", route.destination.text()),
         [&](World world) { return world.netlink.remove_route(kRail, route); });
  }
  void set_up(bool up) {
    both(up ? "up" : "down", [&](World world) { return world.netlink.set_up(kRail, up); });
  }
  void set_mtu(std::uint32_t mtu_bytes) {
    both(fmt::format("mtu {}", mtu_bytes),
         [&](World world) { return world.netlink.set_mtu(kRail, mtu_bytes); });
  }
  void set_mode(std::uint8_t mode) {
    both(fmt::format("mode {}", mode),
         [&](World world) { return world.netlink.set_addr_gen_mode(kRail, mode); });
  }
  void promote_secondaries() {
    both("promote", [](World world) {
      return world.sysctl.write("net/ipv4/conf/enp1s0f0np0/promote_secondaries", "1");
    });
  }

 private:
  World fake() { return {fake_.netlink(), fake_.sysctl()}; }

  host::LinuxSysctl sysctl_;
  FakeHost fake_;
};

TEST_F(NetlinkFake, ALinkMakesItsLinkLocalAddressWhenItGoesUp) {
  set_up(true);
  set_up(false);
  set_mode(1);
  set_up(true);
  set_mode(0);
  set_up(false);
  set_up(true);
}

TEST_F(NetlinkFake, AnAddressBringsItsRouteWhileTheLinkIsUp) {
  add("192.0.2.11/24");
  add("2001:db8::11/64");
  set_up(true);
  add("198.51.100.11/25");
  add("203.0.113.1/32");
  set_up(false);
  set_up(true);
}

TEST_F(NetlinkFake, AnAddressIsAddedOnce) {
  set_up(true);
  add("192.0.2.11/24");
  add("192.0.2.11/24");
  add("192.0.2.11/25");
  add("2001:db8::11/64");
  add("2001:db8::11/64");
  add("2001:db8::11/80");
  remove("192.0.2.99/24");
  remove("2001:db8::99/64");
  remove("2001:db8::11/80");
}

TEST_F(NetlinkFake, APrimaryTakesItsSecondariesAlong) {
  set_up(true);
  add("192.0.2.11/24");
  add("192.0.2.12/24");
  add("192.0.2.13/24");
  add("192.0.2.14/25");
  remove("192.0.2.12/24");
  remove("192.0.2.11/24");
}

TEST_F(NetlinkFake, APrimaryIsFollowedByItsSecondaryWhereThatIsPromoted) {
  set_up(true);
  promote_secondaries();
  add("192.0.2.11/24");
  add("192.0.2.12/24");
  add("192.0.2.13/24");
  remove("192.0.2.11/24");
  add("192.0.2.11/24");
  remove("192.0.2.12/24");
}

TEST_F(NetlinkFake, ALinkBelowTheSmallestMtuOfIpv6HasNone) {
  set_up(true);
  add("192.0.2.11/24");
  add("2001:db8::11/64");
  set_mode(1);
  set_mtu(1279);
  add("2001:db8::12/64");
  set_mode(1);
  set_mtu(1280);
}

TEST_F(NetlinkFake, AnMtuBeyondTheDeviceIsRefused) {
  set_mtu(67);
  set_mtu(65536);
  set_mtu(65535);
  set_mtu(68);
}

TEST_F(NetlinkFake, ALinkLocalModeThatThereIsNotIsRefused) {
  set_mode(2);
  set_mode(3);
  set_mode(4);
}

TEST_F(NetlinkFake, ARouteIsAddedOnceAndByASubnetOfItsLink) {
  add_route(route("10.77.0.0/16", "192.0.2.12"));  // it is down
  set_up(true);
  add_route(route("10.77.0.0/16", "192.0.2.12"));  // its gateway is nowhere
  add("192.0.2.11/24");
  add("2001:db8::11/64");
  add_route(route("10.77.0.0/16", "192.0.2.12"));
  add_route(route("10.77.0.0/16", "192.0.2.13"));
  add_route(route("10.77.0.0/16", "192.0.2.13", nullptr, 200));
  add_route(route("10.78.0.0/16", "192.0.2.13", "192.0.2.99"));
  add_route(route("2001:db8:77::/48", "2001:db8::12"));
  add_route(route("2001:db8:77::/48", "2001:db8::13", nullptr, 1024));
  remove_route(route("10.77.0.0/16", "192.0.2.14"));
  remove_route(route("10.77.0.0/16", "192.0.2.13", nullptr, 200));
  remove_route(route("10.79.0.0/16", "192.0.2.13"));
  remove_route(route("2001:db8:77::/48", "2001:db8::12", nullptr, 1024));
}

TEST_F(NetlinkFake, ARouteGoesWithItsSourceAndWithItsLink) {
  set_up(true);
  add("192.0.2.11/24");
  add("198.51.100.11/24");
  add_route(route("10.77.0.0/16", "192.0.2.12", "198.51.100.11"));
  add_route(route("10.78.0.0/16", "192.0.2.12"));
  remove("198.51.100.11/24");
  set_up(false);
  set_up(true);
  add_route(route("10.78.0.0/16", "192.0.2.12"));
  remove("192.0.2.11/24");  // the last
}

TEST_F(NetlinkFake, ADeviceThatIsAbsentIsNotFound) {
  both("absent", [](World world) { return world.netlink.set_up("none", true); });
}

}  // namespace
}  // namespace spark::test
