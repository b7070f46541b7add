#include "config/netplan.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <ranges>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fnmatch.h>
#include <yaml-cpp/yaml.h>

#include "base/text.hpp"
#include "base/units.hpp"
#include "config/nm_keys.hpp"

namespace spark::config {
namespace {

/// Sections that hold devices. Wi-Fi and modems are no rails.
constexpr std::array<std::string_view, 5> kSections{"ethernets", "bonds", "bridges", "vlans",
                                                    "nm-devices"};

// What may go together with an entry of `ethernets`: what this program sets itself, and what says
// how its renderer brings the device up (netplan(5)). All else makes the file stay.
constexpr std::array<std::string_view, 20> kOfAnEntry{"match",
                                                      "renderer",
                                                      "addresses",
                                                      "mtu",
                                                      "dhcp4",
                                                      "dhcp6",
                                                      "dhcp-identifier",
                                                      "dhcp4-overrides",
                                                      "dhcp6-overrides",
                                                      "link-local",
                                                      "accept-ra",
                                                      "optional",
                                                      "optional-addresses",
                                                      "ignore-carrier",
                                                      "critical",
                                                      "activation-mode",
                                                      "ipv6-address-generation",
                                                      "ipv6-privacy",
                                                      "wakeonlan",
                                                      "networkmanager"};
constexpr std::array<std::string_view, 3> kOfMatch{"name", "macaddress", "driver"};
constexpr std::array<std::string_view, 5> kOfNetworkManager{"uuid", "name", "device", "stable-id",
                                                            "passthrough"};
constexpr std::string_view kNmRenderer = "NetworkManager";
/// NetworkManager calls its own "Wired connection 1" and so on (nm_settings_add_connection).
constexpr std::string_view kAutomaticName = "Wired connection ";

std::string text_of(const YAML::Node& node) {
  return node.IsDefined() && node.IsScalar() ? node.Scalar() : "";
}

/// A scalar, or the scalars of a list.
std::vector<std::string> texts_of(const YAML::Node& node) {
  std::vector<std::string> texts;
  if (!node.IsDefined()) return texts;
  if (node.IsScalar()) {
    texts.push_back(node.Scalar());
  } else if (node.IsSequence()) {
    for (const auto& item : node) texts.push_back(text_of(item));
  }
  return texts;
}

/// `map[key]` of a node that may be anything; an undefined node where there is none.
YAML::Node at(const YAML::Node& node, const char* key) {
  return node.IsDefined() && node.IsMap() ? node[key] : YAML::Node(YAML::NodeType::Undefined);
}

/// `addresses`: "192.0.2.1/24", or a map of options under it.
std::vector<IpPrefix> addresses_of(const YAML::Node& body) {
  std::vector<IpPrefix> addresses;
  const auto list = at(body, "addresses");
  if (!list.IsDefined() || !list.IsSequence()) return addresses;
  for (const auto& item : list) {
    const auto text =
        item.IsMap() && item.size() > 0 ? text_of(item.begin()->first) : text_of(item);
    if (const auto address = IpPrefix::parse(text)) addresses.push_back(*address);
  }
  return addresses;
}

NetplanEntry read_entry(const std::string& section, const YAML::Node& id, const YAML::Node& body) {
  NetplanEntry entry{.id = text_of(id), .line = id.Mark().line + 1};
  if (const auto match = at(body, "match"); match.IsDefined() && match.IsMap()) {
    entry.names = texts_of(at(match, "name"));
    entry.mac = ascii_lower(text_of(at(match, "macaddress")));
    entry.drivers = texts_of(at(match, "driver"));
  } else {
    entry.names = {entry.id};
  }
  // NetworkManager has them so in any case.
  const auto passthrough = at(at(body, "networkmanager"), "passthrough");
  if (auto name = text_of(at(passthrough, "connection.interface-name")); !name.empty()) {
    entry.names = {std::move(name)};
  }
  if (const auto mac = text_of(at(passthrough, "ethernet.mac-address")); !mac.empty()) {
    entry.mac = ascii_lower(mac);
  }
  entry.addresses = addresses_of(body);
  if (const auto mtu = parse_decimal(text_of(at(body, "mtu")));
      mtu && *mtu > 0 && *mtu <= std::numeric_limits<std::uint32_t>::max()) {
    entry.mtu = static_cast<std::uint32_t>(*mtu);
  }
  entry.members = texts_of(at(body, "interfaces"));
  if (section == "vlans") entry.members = texts_of(at(body, "link"));
  const auto profile = text_of(at(at(body, "networkmanager"), "name"));
  entry.automatic = section == "ethernets" && profile.starts_with(kAutomaticName);
  return entry;
}

bool matches_any(const std::vector<std::string>& patterns, const std::string& text) {
  return std::ranges::any_of(patterns, [&](const std::string& pattern) {
    return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
  });
}

NetplanRest rest_of(const YAML::Node& key, const std::string& owner = {}) {
  return {.what = fmt::format("`{}`", printable(text_of(key))),
          .owner = owner,
          .line = key.Mark().line + 1};
}

/// The keys of `map` of which `is_ours` is false, and those that stand there twice: netplan reads
/// both, and this reads the first.
template <class IsOurs>
void add_rest(const YAML::Node& map, const std::string& owner, IsOurs is_ours,
              std::vector<NetplanRest>& rest) {
  if (!map.IsDefined() || !map.IsMap()) return;
  std::set<std::string> seen;
  for (const auto& item : map) {
    const auto key = text_of(item.first);
    if (!seen.insert(key).second || !is_ours(key)) rest.push_back(rest_of(item.first, owner));
  }
}

void add_rest_of_entry(const YAML::Node& id, const YAML::Node& body,
                       std::vector<NetplanRest>& rest) {
  const auto one_of = [](const auto& names) {
    return
        [&names](const std::string& key) { return std::ranges::find(names, key) != names.end(); };
  };
  const auto name = text_of(id);
  if (body.IsDefined() && !body.IsMap() && !body.IsNull()) rest.push_back(rest_of(id, name));
  const auto networkmanager = at(body, "networkmanager");
  add_rest(body, name, one_of(kOfAnEntry), rest);
  add_rest(at(body, "match"), name, one_of(kOfMatch), rest);
  add_rest(networkmanager, name, one_of(kOfNetworkManager), rest);
  const auto passthrough = at(networkmanager, "passthrough");
  const auto is_of_profile = [&](const std::string& key) {
    const auto value = passthrough[key];
    return value.IsDefined() && (value.IsScalar() || value.IsNull()) &&
           is_of_a_device(nm_key_of(key, text_of(value)));
  };
  add_rest(passthrough, name, is_of_profile, rest);
}

/// Its own `renderer` goes before that of its section, which counts for what stands below it
/// (handle_network_type of parse.c).
void read_renderers(const YAML::Node& devices, int& networkmanager_line) {
  int section_line = 0;
  for (const auto& device : devices) {
    const bool is_of_section = text_of(device.first) == "renderer" && device.second.IsScalar();
    const auto renderer = is_of_section ? device.second : at(device.second, "renderer");
    const bool is_nm = text_of(renderer) == kNmRenderer;
    const int line = is_nm ? renderer.Mark().line + 1 : 0;
    if (is_of_section) {
      section_line = line;
    } else if (networkmanager_line == 0) {
      networkmanager_line = renderer.IsDefined() ? line : section_line;
    }
  }
}

Netplan read_network(const YAML::Node& network) {
  Netplan file;
  if (!network.IsMap()) return file;
  // By pairs and not by name: netplan reads all of a section that stands there twice.
  for (const auto& item : network) {
    const auto& key = item.first;
    const auto& devices = item.second;
    const auto section = text_of(key);
    if (section == "renderer" && devices.IsScalar()) {
      file.renderer = text_of(devices);
      file.renderer_line = key.Mark().line + 1;
    }
    if (devices.IsMap()) read_renderers(devices, file.networkmanager_line);
    const bool holds_rails = std::ranges::find(kSections, section) != kSections.end();
    if (!holds_rails || !devices.IsMap()) continue;
    for (const auto& device : devices) {
      if (text_of(device.first) == "renderer" && device.second.IsScalar()) continue;
      file.entries.push_back(read_entry(section, device.first, device.second));
      if (section == "ethernets") add_rest_of_entry(device.first, device.second, file.rest);
    }
    add_rest(devices, "", [&](const std::string&) { return true; }, file.rest);
  }
  const auto is_plain = [&](const std::string& key) {
    const auto value = network[key];
    return key == "version" || (key == "renderer" && value.IsScalar()) ||
           (key == "ethernets" && value.IsMap());
  };
  add_rest(network, "", is_plain, file.rest);
  return file;
}

}  // namespace

Result<Netplan> read_netplan(const std::string& text) {
  Netplan file;
  try {
    const auto documents = YAML::LoadAll(text);
    const auto root = documents.empty() ? YAML::Node() : documents.front();
    if (!root.IsMap() || !root["network"].IsDefined()) {
      return fail(ErrorCode::kInvalid, "no netplan file: it has no `network`");
    }
    file = read_network(root["network"]);
    add_rest(root, "", [](const std::string& key) { return key == "network"; }, file.rest);
    for (const auto& more : documents | std::views::drop(1)) {
      file.rest.push_back({.what = "a second document", .line = more.Mark().line + 1});
    }
  } catch (const YAML::Exception& error) {
    return fail(ErrorCode::kInvalid, fmt::format("no YAML: {}", error.what()));
  }
  std::ranges::sort(file.entries, {}, &NetplanEntry::line);
  std::ranges::sort(file.rest, {}, &NetplanRest::line);
  return file;
}

bool claims(const NetplanEntry& entry, const std::string& name, const std::string& mac) {
  const bool is_member = std::ranges::find(entry.members, name) != entry.members.end();
  if (is_member) return true;
  // A match by driver alone may mean any port of the card: ours are among them. One by nothing
  // means all devices (netplan(5)).
  return (entry.names.empty() || matches_any(entry.names, name)) &&
         (entry.mac.empty() || entry.mac == ascii_lower(mac));
}

}  // namespace spark::config
