#include "kinds/other_managers/nm_profile.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <ranges>
#include <string_view>

#include <fmt/format.h>

#include "base/text.hpp"
#include "kinds/common/conf_files.hpp"

namespace spark::kinds {
namespace {

/// Where profiles are (NetworkManager.conf(5), `keyfile`): what is kept, what is gone at the next
/// boot, among it netplan's, and what packages ship.
constexpr std::array kProfileFolders{"/etc/NetworkManager/system-connections",
                                     "/run/NetworkManager/system-connections",
                                     "/usr/lib/NetworkManager/system-connections"};

/// What this program looks at, by section; "": in any. [802-3-ethernet] is [ethernet]'s older name.
struct KnownKey {
  std::string_view section;
  std::string_view key;
};
constexpr std::array kKnown{
    KnownKey{"", "interface-name"},    KnownKey{"", "mac-address"},
    KnownKey{"[connection]", "uuid"},  KnownKey{"[connection]", "type"},
    KnownKey{"[ethernet]", "mtu"},     KnownKey{"[802-3-ethernet]", "mtu"},
    KnownKey{"[ipv4]", "method"},      KnownKey{"[ipv6]", "method"},
    KnownKey{"[ipv4]", "address"},     KnownKey{"[ipv6]", "address"},
    KnownKey{"[.nmmeta]", "external"},
};

std::string_view key_of(std::string_view line) {
  const auto equals = line.find('=');
  return equals == std::string_view::npos ? std::string_view() : line.substr(0, equals);
}

/// "address" of "address1" and "addresses".
std::string_view plain_key(std::string_view key) {
  constexpr std::string_view kAddress = "address";
  return key.starts_with(kAddress) ? kAddress : key;
}

bool is_known(std::string_view section, std::string_view line) {
  const auto key = plain_key(key_of(line));
  return std::ranges::any_of(kKnown, [&](const KnownKey& known) {
    return known.key == key && (known.section.empty() || known.section == section);
  });
}

/// "10.0.0.1/24,10.0.0.254", or several of them with ';' between.
void add_addresses(std::string_view text, std::vector<IpPrefix>& addresses) {
  for (const auto part : std::views::split(text, ';')) {
    const std::string_view one(part.begin(), part.end());
    if (const auto address = IpPrefix::parse(one.substr(0, one.find(',')))) {
      addresses.push_back(*address);
    }
  }
}

void take_line(std::string_view section, std::string_view line, NmProfile& profile) {
  const auto key = plain_key(key_of(line));
  const auto value = line.substr(std::min(line.find('=') + 1, line.size()));
  if (key == "uuid") {
    profile.uuid = value;
  } else if (key == "interface-name") {
    profile.link = value;
  } else if (key == "mac-address") {
    profile.mac = ascii_lower(value);
  } else if (key == "mtu") {
    std::uint32_t bytes = 0;
    std::from_chars(value.data(), value.data() + value.size(), bytes);
    profile.mtu = bytes == 0 ? std::nullopt : std::optional(bytes);  // 0 is the device's own
  } else if (key == "method") {
    (section == "[ipv4]" ? profile.ipv4_automatic : profile.ipv6_automatic) = value == "auto";
  } else if (key == "external") {
    profile.external = value == "true";
  } else if (key == "address") {
    add_addresses(value, profile.addresses);
  }
}

}  // namespace

Result<std::string> excerpt_of_profile(const std::string& text) {
  std::string kept;
  std::string_view section;
  for (const auto line : lines_of(text)) {
    const bool is_section = line.starts_with('[');
    section = is_section ? line : section;
    const bool names_known = std::ranges::find(kKnown, line, &KnownKey::section) != kKnown.end();
    // Other sections by their place alone: their names may be keys of peers.
    kept += is_section && !names_known              ? std::string_view("[]")
            : is_section || is_known(section, line) ? line
                                                    : std::string_view();
    kept += '\n';
  }
  return kept;
}

NmProfile read_nm_profile(const std::string& path, const std::string& excerpt) {
  NmProfile profile{.path = path};
  std::string_view section;
  for (const auto line : lines_of(excerpt)) {
    if (line.starts_with('[')) {
      section = line;
    } else {
      take_line(section, line, profile);
    }
  }
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
