#include "kinds/other_managers/foreign_setup.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <ranges>
#include <string_view>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/units.hpp"
#include "config/nm_keys.hpp"
#include "kinds/common/conf_files.hpp"
#include "kinds/other_managers/manager_files.hpp"

namespace spark::kinds {
namespace {

/// Where profiles are (NetworkManager.conf(5), `keyfile`): what is gone at the next boot, among it
/// netplan's, what is kept, and what packages ship. Of two with the same UUID, the first counts
/// (NMS_KEYFILE_STORAGE_TYPE_RUN and the others of nms-keyfile-utils.h).
constexpr std::array kProfileFolders{"/run/NetworkManager/system-connections",
                                     "/etc/NetworkManager/system-connections",
                                     "/usr/lib/NetworkManager/system-connections"};

/// Stands before the name of a key that is not of a device.
constexpr char kUnknown = '?';

config::NmKey nm_key_in(const KeyFileLine& line) { return {line.group, line.key, line.value}; }

/// Such as NetworkManager's own. Others may have the keys of peers in them.
bool is_plain(std::string_view name) {
  return std::ranges::all_of(name, [](char one) {
    return (one >= 'a' && one <= 'z') || (one >= '0' && one <= '9') || one == '-';
  });
}

std::string kept_of(const KeyFileLine& line) {
  const bool is_known_group = config::is_nm_group_of_a_device(line.group);
  if (line.key.empty()) {
    return fmt::format("[{}]", is_known_group || is_plain(line.group) ? line.group : "");
  }
  const auto key = nm_key_in(line);
  if (config::is_nm_key_to_read(key)) return fmt::format("{}={}", line.key, line.value);
  // The line that begins its group names all of another one.
  if (!is_known_group || config::is_of_a_device(key)) return "";
  return fmt::format("{}{}=", kUnknown, is_plain(line.key) ? line.key : "");
}

/// Those of one line, with ';' between. Behind a comma stands a gateway.
void add_addresses(std::string_view text, std::vector<IpPrefix>& addresses) {
  for (const auto part : std::views::split(text, ';')) {
    const auto one = trim(std::string_view(part.begin(), part.end()));
    if (const auto address = IpPrefix::parse(one.substr(0, one.find(',')))) {
      addresses.push_back(*address);
    }
  }
}

/// Of a list, each with its prefix: "|eth*;!eth9".
void add_patterns(std::string_view text, int line, std::vector<NmProfile::Line>& devices) {
  for (const auto part : std::views::split(text, ';')) {
    auto one = trim(std::string_view(part.begin(), part.end()));
    if (one.starts_with('!')) continue;
    while (one.starts_with('|') || one.starts_with('&')) one.remove_prefix(1);
    if (!one.empty()) devices.push_back({std::string(one), line});
  }
}

void take_line(const KeyFileLine& line, NmProfile& profile) {
  const auto key = line.key;
  const auto value = line.value;
  const bool is_of_device = config::is_of_a_device(nm_key_in(line));
  const auto add_rest = [&](std::string what) {
    profile.rest.push_back({std::move(what), line.number});
  };
  if (key.empty()) {
    if (!config::is_nm_group_of_a_device(line.group)) {
      add_rest(line.group.empty() ? "another section" : fmt::format("`[{}]`", line.group));
    }
  } else if (key.starts_with(kUnknown)) {
    add_rest(key.size() == 1 ? "a key" : fmt::format("`{}`", key.substr(1)));
  } else if (value.empty()) {
    // As if it were not there.
  } else if (key == "uuid") {
    profile.uuid = value;
  } else if (key == "type") {
    profile.is_ethernet = is_of_device;
  } else if (key == "interface-name" && line.group != "match") {
    profile.link = value;
    profile.devices.push_back({std::string(value), line.number});
  } else if (key == "interface-name" || key == "parent") {
    add_patterns(value, line.number, profile.devices);
  } else if (key == "mac-address") {
    profile.mac = ascii_lower(value);
    profile.devices.push_back({profile.mac, line.number});
  } else if (key == "mtu") {
    std::uint32_t bytes = 0;
    std::from_chars(value.data(), value.data() + value.size(), bytes);
    profile.mtu = bytes == 0 ? std::nullopt : std::optional(bytes);  // 0 is the device's own
  } else if (key == "method") {
    (line.group == "ipv4" ? profile.ipv4_automatic : profile.ipv6_automatic) = value == "auto";
    if (!is_of_device) add_rest(fmt::format("`method={}`", printable(value, 20)));
  } else if (key == "external") {
    profile.external = value == "true";
  } else if (key.starts_with("address")) {
    add_addresses(value, profile.addresses);
    if (!is_of_device) add_rest(fmt::format("the gateway of `{}`", key));
  }
}

}  // namespace

Result<std::string> excerpt_of_profile(const std::string& text) {
  std::string kept;
  int lines = 0;
  each_key(text, [&](const KeyFileLine& line) {
    for (; lines < line.number - 1; ++lines) kept += '\n';
    kept += kept_of(line);
  });
  return kept + '\n';
}

NmProfile read_nm_profile(const std::string& path, const std::string& excerpt) {
  NmProfile profile{.path = path};
  each_key(excerpt, [&](const KeyFileLine& line) { take_line(line, profile); });
  return profile;
}

std::vector<NmProfile> read_nm_profiles(host::View& view) {
  std::vector<NmProfile> profiles;
  for (const auto* directory : kProfileFolders) {
    const auto& names = view.directory(directory);
    for (const auto& name : names ? *names : std::vector<std::string>{}) {
      if (!name.ends_with(".nmconnection")) continue;
      const auto path = fmt::format("{}/{}", directory, name);
      if (const auto& excerpt = view.excerpt(path, excerpt_of_profile); excerpt && *excerpt) {
        profiles.push_back(read_nm_profile(path, **excerpt));
      }
    }
  }
  return profiles;
}

std::optional<NmProfile> active_nm_profile(host::View& view, const host::LinkInfo& link) {
  const auto& memory = view.file(fmt::format("/run/NetworkManager/devices/{}", link.index));
  const auto uuid = memory && *memory ? assigned(**memory, "connection-uuid=") : std::string_view();
  if (uuid.empty()) return std::nullopt;
  auto profiles = read_nm_profiles(view);
  auto active = std::ranges::find(profiles, uuid, &NmProfile::uuid);
  if (active == profiles.end()) {
    // netplan writes none, and NetworkManager makes one of the path.
    active = std::ranges::find_if(profiles, [&](const NmProfile& profile) {
      const bool by_mac = !profile.mac.empty() && profile.mac == link.mac;
      return profile.uuid.empty() && (profile.link == link.name || by_mac);
    });
  }
  return active == profiles.end() || active->external ? std::nullopt : std::optional(*active);
}

namespace {

/// Netplan names what it makes by the id in its own file (netplan-generate(8)):
/// "netplan-ID.nmconnection", "10-netplan-ID.network". Empty: it did not make this one.
std::string_view netplan_id(std::string_view file) {
  constexpr std::string_view kMade = "/run/";
  constexpr std::string_view kMark = "netplan-";
  const auto name = file_name(file);
  const auto mark = name.find(kMark);
  if (!file.starts_with(kMade) || mark == std::string_view::npos) return {};
  const auto id = name.substr(mark + kMark.size());
  return id.substr(0, id.rfind('.'));
}

/// The last file that has the id: where two do, it has the last word.
std::string netplan_line(host::View& view, std::string_view id) {
  std::string line;
  const auto read = id.empty() ? NetplanFiles{} : read_netplan_files(view);
  for (const auto& file : read.files) {
    const auto entry = std::ranges::find(file.text.entries, id, &config::NetplanEntry::id);
    if (entry != file.text.entries.end()) line = fmt::format("{}:{}", file.path, entry->line);
  }
  return line;
}

bool manages(host::View& view, Manager manager, const host::LinkInfo& link) {
  const auto state = state_of_manager(view, manager, &link, link.name);
  return state && state->runs && state->manages;
}

/// DHCP= of systemd.network(5).
void take_dhcp(std::string_view value, ForeignSetup& setup) {
  const bool both = value == "yes" || value == "true" || value == "both";
  setup.ipv4_automatic = both || value == "ipv4" || value == "v4";
  setup.ipv6_automatic = both || value == "ipv6" || value == "v6";
}

void take_network_line(std::string_view line, ForeignSetup& setup) {
  const auto equals = line.find('=');
  if (equals == std::string_view::npos) return;
  const auto key = trim(line.substr(0, equals));
  const auto value = trim(line.substr(equals + 1));
  if (key == "MTUBytes") {
    setup.mtu = number_in<std::uint32_t>(value);
  } else if (key == "DHCP") {
    take_dhcp(value, setup);
  } else if (key == "Address") {
    if (const auto address = IpPrefix::parse(value)) setup.addresses.push_back(*address);
  }
}

std::optional<ForeignSetup> of_networkmanager(host::View& view, const host::LinkInfo& link) {
  if (!manages(view, Manager::kNetworkManager, link)) return std::nullopt;
  auto profile = active_nm_profile(view, link);
  if (!profile) return std::nullopt;
  return ForeignSetup{.manager = Manager::kNetworkManager,
                      .file = std::move(profile->path),
                      .mtu = profile->mtu,
                      .addresses = std::move(profile->addresses),
                      .ipv4_automatic = profile->ipv4_automatic,
                      .ipv6_automatic = profile->ipv6_automatic};
}

std::optional<ForeignSetup> of_networkd(host::View& view, const host::LinkInfo& link) {
  if (!manages(view, Manager::kNetworkd, link)) return std::nullopt;
  const auto& memory = view.file(fmt::format("/run/systemd/netif/links/{}", link.index));
  ForeignSetup setup{
      .manager = Manager::kNetworkd,
      .file = memory && *memory ? std::string(assigned(**memory, "NETWORK_FILE=")) : std::string()};
  if (setup.file.empty()) return std::nullopt;
  std::string files = setup.file;
  files += ':';
  std::ranges::remove_copy(assigned(**memory, "NETWORK_FILE_DROPINS="), std::back_inserter(files),
                           '"');
  for (const auto file : std::views::split(files, ':')) {
    const std::string path(std::string_view{file});
    if (const auto& text = view.file(path); text && *text) {
      each_conf_line(**text, [&](std::string_view line, int) { take_network_line(line, setup); });
    }
  }
  return setup;
}

}  // namespace

std::optional<ForeignSetup> foreign_setup(host::View& view, const host::LinkInfo& link) {
  auto setup = of_networkmanager(view, link);
  if (!setup) setup = of_networkd(view, link);
  if (setup) setup->netplan = netplan_line(view, netplan_id(setup->file));
  return setup;
}

}  // namespace spark::kinds
