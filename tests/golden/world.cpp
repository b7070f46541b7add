#include "golden/world.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <linux/if_link.h>

#include "golden/world_text.hpp"
#include "kinds/network/address_origin.hpp"

namespace spark::test {
namespace {

using config::Value;

class WorldBuilder {
 public:
  explicit WorldBuilder(FakeHost& host) : host_(host), ports_(host.host()) {
    add_spark(host_);
    host_.netlink().plug({.name = "wlP9s9",
                          .mtu = 1500,
                          .min_mtu = 68,
                          .max_mtu = 2304,
                          .mac = "02:00:5e:10:00:06",
                          .ipv6_addr_gen_mode = IN6_ADDR_GEN_MODE_EUI64});
    host_.netlink().set_cable("wlP9s9", false);
    host_.files().put("/etc/hosts", "127.0.0.1 localhost\n");
    host_.files().put(kLimits, "* - memlock unlimited\nroot - memlock unlimited\n");
    host_.files().put(kManager, "[Manager]\nDefaultLimitMEMLOCK=infinity\n");
  }

  void build(const Value& world) {
    const auto entries = [this](auto read) {
      return [this, read](const Value& map) {
        each_entry(map, [&](const Value& entry) { (this->*read)(entry); });
      };
    };
    const auto items = [this](auto read) {
      return [this, read](const Value& list) {
        each_item(list, [&](const Value& item) { (this->*read)(item); });
      };
    };
    read_map(world, {{"hostname", [this](const Value& value) { name(value); }},
                     {"links", entries(&WorldBuilder::link)},
                     {"routes", items(&WorldBuilder::route)},
                     {"rules", items(&WorldBuilder::rule)},
                     {"sysctl",
                      [this](const Value& map) {
                        each_entry(map, [&](const Value& value) { sysctl(value.key, value); });
                      }},
                     {"managers", items(&WorldBuilder::manager)},
                     {"rdma", entries(&WorldBuilder::rdma)},
                     {"modules", entries(&WorldBuilder::module)},
                     {"memlock", [this](const Value& value) { memlock(value); }},
                     {"nvme", items(&WorldBuilder::nvme)},
                     {"mounts", items(&WorldBuilder::mount)},
                     {"files", [this](const Value& map) {
                        each_entry(map, [&](const Value& value) {
                          host_.files().put(value.key, text(value));
                        });
                      }}});
    host_.forget_writes();
  }

 private:
  // They let everything that starts lock all memory.
  static constexpr const char* kLimits = "/etc/security/limits.d/99-nv-spark-limits.conf";
  static constexpr const char* kManager = "/etc/systemd/system.conf.d/99-nv-spark-limits.conf";

  void name(const Value& value) {
    auto identity = ports_.system.identity().value();
    identity.hostname = text(value);
    host_.system().set_identity(std::move(identity));
  }

  host::LinkInfo existing(const Value& value, const std::string& name) {
    const auto links = host_.netlink().links().value();
    const auto link = std::ranges::find(links, name, &host::LinkInfo::name);
    if (link == links.end()) refuse(value, fmt::format("this machine has no link '{}'", name));
    return *link;
  }

  void link(const Value& entry) {
    const auto& name = entry.key;
    if (is_word(entry, "absent")) {
      host_.netlink().unplug(existing(entry, name).name);
      return;
    }
    const auto with = [&](auto change) {
      return [this, &name, change](const Value& value) { change(existing(value, name), value); };
    };
    auto& netlink = ports_.netlink;
    read_map(entry, {{"kind",
                      [&](const Value& value) {
                        host_.netlink().plug({.name = name,
                                              .up = true,
                                              .mtu = 1500,
                                              .min_mtu = 68,
                                              .mac = "02:00:5e:10:00:07",
                                              .kind = text(value),
                                              .ipv6_addr_gen_mode = IN6_ADDR_GEN_MODE_EUI64});
                      }},
                     {"mtu", with([&](const host::LinkInfo& link, const Value& value) {
                        must(value, netlink.set_mtu(link.name, number<std::uint32_t>(value)));
                      })},
                     {"cable", with([&](const host::LinkInfo& link, const Value& value) {
                        host_.netlink().set_cable(link.name, boolean(value));
                      })},
                     {"up", with([&](const host::LinkInfo& link, const Value& value) {
                        must(value, netlink.set_up(link.name, boolean(value)));
                      })},
                     {"ipv6", with([&](const host::LinkInfo& link, const Value& value) {
                        if (!is_word(value, "none")) refuse(value, "'ipv6' is none, or not there");
                        must(value, netlink.set_addr_gen_mode(link.name, IN6_ADDR_GEN_MODE_NONE));
                        remove_addresses(link, true);
                      })},
                     {"addresses", with([&](const host::LinkInfo& link, const Value& list) {
                        remove_addresses(link, false);
                        add_addresses(link, list, 0);
                      })},
                     {"ours", with([&](const host::LinkInfo& link, const Value& list) {
                        add_addresses(link, list, kinds::kOurAddressProtocol);
                      })},
                     {"sysctl", with([&](const host::LinkInfo& link, const Value& map) {
                        each_entry(map, [&](const Value& value) {
                          sysctl(fmt::format("net/ipv4/conf/{}/{}", link.name, value.key), value);
                        });
                      })}});
    existing(entry, name);
  }

  void remove_addresses(const host::LinkInfo& link, bool link_local) {
    const auto addresses = host_.netlink().addresses().value();
    for (const auto& address : addresses) {
      if (address.link_index == link.index && address.address.ip.is_link_local() == link_local) {
        host_.netlink().remove_foreign(link.name, address.address);
      }
    }
  }

  void add_addresses(const host::LinkInfo& link, const Value& list, std::uint8_t protocol) {
    each_item(list, [&](const Value& item) {
      must(item,
           ports_.netlink.add_address(link.name, {.address = prefix(item), .protocol = protocol}));
    });
  }

  void route(const Value& item) {
    host::RouteInfo route{.table = 254};
    read_map(item,
             {{"to", into(route.destination, prefix)},
              {"via", [&](const Value& value) { route.gateway = ip(value); }},
              {"link",
               [&](const Value& value) { route.link_index = existing(value, text(value)).index; }},
              {"table", into(route.table, number<std::uint32_t>)},
              {"metric", into(route.metric, number<std::uint32_t>)}});
    host_.netlink().add_route(route);
  }

  void rule(const Value& item) {
    host::RuleInfo rule;
    read_map(item, {{"priority", into(rule.priority, number<std::uint32_t>)},
                    {"table", into(rule.table, number<std::uint32_t>)}});
    host_.netlink().add_rule(rule);
  }

  void sysctl(const std::string& key, const Value& value) {
    if (const auto known = ports_.sysctl.read(key); !known) refuse(value, known.error().what);
    host_.sysctl().set(key, text(value));
  }

  void manager(const Value& item) {
    if (is_word(item, "NetworkManager")) {
      add_network_managers(host_);
    } else if (is_word(item, "systemd-networkd")) {
      host_.files().put("/usr/lib/systemd/network/80-container-host0.network", "");
      host_.files().put("/sys/fs/cgroup/system.slice/systemd-networkd.service/cgroup.procs",
                        "226\n");
    } else {
      refuse(item, "a manager is NetworkManager or systemd-networkd");
    }
  }

  void rdma(const Value& entry) {
    const auto ports = ports_.rdma.ports().value();
    if (std::ranges::find(ports, entry.key, &host::RdmaPort::device) == ports.end()) {
      refuse(entry.key_where.line, fmt::format("this machine has no RDMA device '{}'", entry.key));
    }
    if (is_word(entry, "absent")) {
      host_.rdma().detach(entry.key);
      return;
    }
    read_map(entry, {{"gids",
                      [this](const Value& map) {
                        each_entry(map, [&](const Value& value) {
                          const auto address = IpAddress::parse(value.key);
                          if (!address) refuse(value, value.key + " is not an address");
                          host_.rdma().place_gid(*address, number<std::uint32_t>(value));
                        });
                      }},
                     {"cm_mode", [&](const Value& value) {
                        must(value, ports_.rdma.set_cm_mode(entry.key, 1, text(value)));
                      }}});
  }

  void module(const Value& entry) {
    auto& modules = host_.modules();
    modules.remove(entry.key);
    if (is_word(entry, "built_in")) {
      modules.build_in(entry.key);
    } else if (is_word(entry, "available") || is_word(entry, "loaded")) {
      modules.add(entry.key);
      if (is_word(entry, "loaded")) modules.load(entry.key);
    } else if (!is_word(entry, "missing")) {
      refuse(entry, "a module is loaded, available, built_in or missing");
    }
  }

  void memlock(const Value& groups) {
    host_.files().erase(kLimits);
    host_.files().erase(kManager);
    each_entry(groups,
               [&](const Value& value) { host_.processes().run("/" + value.key, bytes(value)); });
  }

  void nvme(const Value& item) {
    FakeTarget target;
    std::string over;
    read_map(
        item,
        {{"nqn", into(target.nqn)},
         {"address", into(target.address)},
         {"port", into(target.port, number<std::uint16_t>)},
         {"uuid", [&](const Value& value) { target.volumes.push_back({.uuid = text(value)}); }},
         {"over", [&](const Value& value) { over = existing(value, text(value)).name; }}});
    const auto nqn = target.nqn;
    host_.storage().add_target(std::move(target));
    if (!over.empty()) host_.storage().connect(nqn, over);
  }

  void mount(const Value& item) {
    host::MountInfo mount;
    read_map(item, {{"path", into(mount.path)},
                    {"nqn",
                     [&](const Value& value) {
                       const auto* const volume = host_.storage().volume(text(value));
                       if (volume == nullptr) refuse(value, "is not connected");
                       mount.device = volume->device;
                       mount.source = "/dev/" + volume->name;
                     }},
                    {"type", into(mount.type)},
                    {"writable", into(mount.writable, boolean)},
                    {"options", [&](const Value& list) {
                       each_item(list,
                                 [&](const Value& word) { mount.options.push_back(text(word)); });
                     }}});
    host_.storage().mount(std::move(mount));
  }

  FakeHost& host_;
  host::Host ports_;
};

}  // namespace

void build_world(FakeHost& host, std::string_view text) {
  WorldBuilder(host).build(read_world_text(text));
}

}  // namespace spark::test
