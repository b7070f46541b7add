#include "config/netplan.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>
#include <fnmatch.h>
#include <yaml-cpp/yaml.h>

#include "base/text.hpp"
#include "base/units.hpp"

namespace spark::config {
namespace {

/// Sections that hold devices. Wi-Fi and modems are no rails.
constexpr std::array kSections{"ethernets", "bonds", "bridges", "vlans", "nm-devices"};
/// NetworkManager calls its own "Wired connection 1" and so on (nm_settings_add_connection).
constexpr std::string_view kAutomaticName = "Wired connection ";

std::string text_of(const YAML::Node& node) {
  return node.IsDefined() && node.IsScalar() ? node.Scalar() : "";
}

/// A scalar, or the scalars of a list.
std::vector<std::string> texts_of(const YAML::Node& node) {
  std::vector<std::string> texts;
  if (!node.IsDefined()) {
    return texts;
  }
  if (node.IsScalar()) {
    texts.push_back(node.Scalar());
  } else if (node.IsSequence()) {
    for (const auto& item : node) {
      texts.push_back(text_of(item));
    }
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
  if (!list.IsDefined() || !list.IsSequence()) {
    return addresses;
  }
  for (const auto& item : list) {
    const auto text =
        item.IsMap() && item.size() > 0 ? text_of(item.begin()->first) : text_of(item);
    if (const auto address = IpPrefix::parse(text)) {
      addresses.push_back(*address);
    }
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
  entry.addresses = addresses_of(body);
  if (const auto mtu = parse_decimal(text_of(at(body, "mtu")));
      mtu && *mtu > 0 && *mtu <= std::numeric_limits<std::uint32_t>::max()) {
    entry.mtu = static_cast<std::uint32_t>(*mtu);
  }
  entry.members = texts_of(at(body, "interfaces"));
  if (section == "vlans") {
    entry.members = texts_of(at(body, "link"));
  }
  const auto profile = text_of(at(at(body, "networkmanager"), "name"));
  entry.automatic = section == "ethernets" && profile.starts_with(kAutomaticName);
  return entry;
}

bool matches_any(const std::vector<std::string>& patterns, const std::string& text) {
  return std::ranges::any_of(patterns, [&](const std::string& pattern) {
    return fnmatch(pattern.c_str(), text.c_str(), 0) == 0;
  });
}

}  // namespace

Result<std::vector<NetplanEntry>> read_netplan(const std::string& text) {
  std::vector<NetplanEntry> entries;
  try {
    const auto root = YAML::Load(text);
    if (!root.IsMap() || !root["network"].IsDefined()) {
      return fail(ErrorCode::kInvalid, "no netplan file: it has no `network`");
    }
    for (const auto* section : kSections) {
      const auto devices = at(root["network"], section);
      if (!devices.IsDefined() || !devices.IsMap()) {
        continue;
      }
      for (const auto& device : devices) {
        entries.push_back(read_entry(section, device.first, device.second));
      }
    }
  } catch (const YAML::Exception& error) {
    return fail(ErrorCode::kInvalid, fmt::format("no YAML: {}", error.what()));
  }
  std::ranges::sort(entries, {}, &NetplanEntry::line);
  return entries;
}

bool claims(const NetplanEntry& entry, const std::string& name, const std::string& mac) {
  const bool is_member = std::ranges::find(entry.members, name) != entry.members.end();
  if (is_member) {
    return true;
  }
  // A match by driver alone may mean any port of the card: ours are among them. One by nothing
  // means all devices (netplan(5)).
  return (entry.names.empty() || matches_any(entry.names, name)) &&
         (entry.mac.empty() || entry.mac == ascii_lower(mac));
}

}  // namespace spark::config
