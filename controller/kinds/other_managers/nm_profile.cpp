#include "kinds/other_managers/nm_profile.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <ranges>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "base/text.hpp"
#include "kinds/common/conf_files.hpp"
#include "kinds/common/key_file.hpp"

namespace spark::kinds {
namespace {

/// Where profiles are (NetworkManager.conf(5), `keyfile`): what is kept, what is gone at the next
/// boot, among it netplan's, and what packages ship.
constexpr std::array kProfileFolders{"/etc/NetworkManager/system-connections",
                                     "/run/NetworkManager/system-connections",
                                     "/usr/lib/NetworkManager/system-connections"};

struct KnownKey {
  std::string_view group;  ///< empty: any. [802-3-ethernet] is [ethernet]'s older name
  std::string_view key;
};
/// What this program looks at.
constexpr std::array kRead{
    KnownKey{"", "interface-name"}, KnownKey{"", "mac-address"},       KnownKey{"", "parent"},
    KnownKey{"connection", "uuid"}, KnownKey{"connection", "type"},    KnownKey{"ethernet", "mtu"},
    KnownKey{"ipv4", "method"},     KnownKey{"802-3-ethernet", "mtu"}, KnownKey{"ipv4", "address"},
    KnownKey{"ipv6", "method"},     KnownKey{".nmmeta", "external"},   KnownKey{"ipv6", "address"},
};
/// What may go together with an Ethernet device: how it is brought up, and what this program sets
/// itself (nm-settings-keyfile(5)). All else makes the file stay.
constexpr std::array kOfADevice{
    KnownKey{"connection", "id"},
    KnownKey{"connection", "timestamp"},
    KnownKey{"connection", "autoconnect"},
    KnownKey{"connection", "autoconnect-priority"},
    KnownKey{"connection", "autoconnect-retries"},
    KnownKey{"connection", "permissions"},
    KnownKey{"ethernet", "wake-on-lan"},
    KnownKey{"ethernet", "auto-negotiate"},
    KnownKey{"802-3-ethernet", "wake-on-lan"},
    KnownKey{"802-3-ethernet", "auto-negotiate"},
    KnownKey{"ipv4", "may-fail"},
    KnownKey{"ipv4", "never-default"},
    KnownKey{"ipv4", "ignore-auto-dns"},
    KnownKey{"ipv4", "ignore-auto-routes"},
    KnownKey{"ipv6", "may-fail"},
    KnownKey{"ipv6", "never-default"},
    KnownKey{"ipv6", "ignore-auto-dns"},
    KnownKey{"ipv6", "ignore-auto-routes"},
    KnownKey{"ipv6", "addr-gen-mode"},
    KnownKey{"ipv6", "ip6-privacy"},
    KnownKey{"proxy", ""},
    KnownKey{".nmmeta", "nm-generated"},
    KnownKey{".nmmeta", "volatile"},
};
/// Stands before the name of a key that is in neither list.
constexpr char kUnknown = '?';

/// "address" of "address1" and "addresses".
std::string_view plain_key(std::string_view key) {
  constexpr std::string_view kAddress = "address";
  return key.starts_with(kAddress) ? kAddress : key;
}

bool has(std::span<const KnownKey> known, const KeyFileLine& line) {
  return std::ranges::any_of(known, [&](const KnownKey& one) {
    return one.key == plain_key(line.key) && (one.group.empty() || one.group == line.group);
  });
}

bool is_known_group(std::string_view group) {
  return !group.empty() &&
         (std::ranges::find(kRead, group, &KnownKey::group) != kRead.end() ||
          std::ranges::find(kOfADevice, group, &KnownKey::group) != kOfADevice.end());
}

/// Such as NetworkManager's own. Others may have the keys of peers in them.
bool is_plain(std::string_view name) {
  return std::ranges::all_of(name, [](char one) {
    return (one >= 'a' && one <= 'z') || (one >= '0' && one <= '9') || one == '-';
  });
}

/// What an Ethernet device of ours may do; `shared` gives others DHCP and a way out.
constexpr std::array<std::string_view, 5> kMethods{"auto", "manual", "disabled", "ignore",
                                                   "link-local"};

std::string kept_of(const KeyFileLine& line) {
  if (line.key.empty()) {
    const bool is_named = is_known_group(line.group) || is_plain(line.group);
    return fmt::format("[{}]", is_named ? line.group : "");
  }
  if (has(kRead, line)) return fmt::format("{}={}", line.key, line.value);
  const bool says_nothing =
      line.value.empty() || has(kOfADevice, line) || !is_known_group(line.group);
  return says_nothing ? "" : fmt::format("{}{}=", kUnknown, is_plain(line.key) ? line.key : "");
}

/// "10.0.0.1/24", or several of them with ';' between. Behind a comma, or alone, stands a gateway;
/// false: there is one, or something else.
bool add_addresses(std::string_view text, std::vector<IpPrefix>& addresses) {
  bool are_all = true;
  for (const auto part : std::views::split(text, ';')) {
    const auto one = trim(std::string_view(part.begin(), part.end()));
    if (one.empty()) continue;
    const auto address = IpPrefix::parse(one.substr(0, one.find(',')));
    if (address) addresses.push_back(*address);
    are_all = are_all && address && one.contains('/') && !one.contains(',');
  }
  return are_all;
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
  const auto key = plain_key(line.key);
  const auto value = line.value;
  const auto add_rest = [&](std::string what) {
    profile.rest.push_back({std::move(what), line.number});
  };
  if (line.key.empty()) {
    const bool is_known = is_known_group(line.group);
    if (!is_known)
      add_rest(line.group.empty() ? "another section" : fmt::format("`[{}]`", line.group));
  } else if (line.key.starts_with(kUnknown)) {
    add_rest(line.key.size() == 1 ? "a key" : fmt::format("`{}`", line.key.substr(1)));
  } else if (value.empty()) {
    // As if it were not there.
  } else if (key == "uuid") {
    profile.uuid = value;
  } else if (key == "type") {
    profile.is_ethernet = value == "ethernet" || value == "802-3-ethernet";
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
    const bool is_of_device = std::ranges::find(kMethods, value) != kMethods.end();
    if (!is_of_device) add_rest(fmt::format("`method={}`", printable(value, 20)));
  } else if (key == "external") {
    profile.external = value == "true";
  } else if (key == "address") {
    if (!add_addresses(value, profile.addresses)) {
      add_rest(fmt::format("the gateway of `{}`", line.key));
    }
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
      if (!name.ends_with(".nmconnection")) {
        continue;
      }
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
  if (uuid.empty()) {
    return std::nullopt;
  }
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

}  // namespace spark::kinds
