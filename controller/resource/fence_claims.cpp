#include "resource/fence_claims.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "spec/netplan.hpp"

namespace spark {
namespace {

/// Earlier ones hide later ones of the same name (netplan-generate(8)).
constexpr std::array kNetplanDirectories{"/etc/netplan", "/run/netplan", "/usr/lib/netplan",
                                         "/lib/netplan"};
constexpr const char* kProfiles = "/etc/NetworkManager/system-connections";

std::string mac_of(View& view, const std::string& name) {
  const auto* link = view.link(name);
  return link == nullptr ? std::string() : link->mac;
}

FileClaim claim_of_netplan(View& view, const std::string& path,
                           const std::vector<NetplanEntry>& entries,
                           const std::vector<std::string>& links) {
  FileClaim claim{.path = path, .automatic = true};
  for (const auto& entry : entries) {
    std::vector<std::string> claimed;
    std::ranges::copy_if(links, std::back_inserter(claimed), [&](const std::string& link) {
      return claims(entry, link, mac_of(view, link));
    });
    if (claimed.empty()) {
      claim.others.push_back(entry.id);
      continue;
    }
    claim.line = claim.line == 0 ? entry.line : claim.line;
    claim.automatic &= entry.automatic;
    std::ranges::copy(claimed, std::back_inserter(claim.links));
  }
  return claim;
}

/// What a NetworkManager profile (nm-settings-keyfile(5)) says of its device, each line in its
/// place: the rest may hold passwords.
Result<std::string> excerpt_of_profile(const std::string& text) {
  std::string kept;
  for (const auto line : lines_of(text)) {
    const bool names_device =
        line.starts_with("interface-name=") || line.starts_with("mac-address=");
    kept += names_device ? line : std::string_view();
    kept += '\n';
  }
  return kept;
}

/// A profile that names one of the links.
FileClaim claim_of_profile(View& view, const std::string& path, const std::string& excerpt,
                           const std::vector<std::string>& links) {
  FileClaim claim{.path = path};
  int number = 0;
  for (const auto line : lines_of(excerpt)) {
    ++number;
    const auto value = ascii_lower(line.substr(std::min(line.find('=') + 1, line.size())));
    for (const auto& link : links) {
      const bool names_it = line.starts_with("interface-name=") && value == ascii_lower(link);
      const bool by_mac =
          line.starts_with("mac-address=") && value == ascii_lower(mac_of(view, link));
      const bool known = std::ranges::find(claim.links, link) != claim.links.end();
      if ((names_it || by_mac) && !known) {
        claim.line = claim.line == 0 ? number : claim.line;
        claim.links.push_back(link);
      }
    }
  }
  return claim;
}

/// What a netplan file says of devices, as JSON text: the rest may hold passwords.
Result<std::string> excerpt_of_netplan(const std::string& text) {
  const auto entries = read_netplan(text);
  if (!entries) return std::unexpected(entries.error());
  auto list = nlohmann::json::array();
  for (const auto& entry : *entries) {
    list.push_back({{"id", entry.id},
                    {"line", entry.line},
                    {"names", entry.names},
                    {"mac", entry.mac},
                    {"drivers", entry.drivers},
                    {"members", entry.members},
                    {"automatic", entry.automatic}});
  }
  return list.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::vector<NetplanEntry> entries_of_excerpt(const std::string& text) {
  std::vector<NetplanEntry> entries;
  try {
    for (const auto& json : nlohmann::json::parse(text)) {
      entries.push_back({.id = json.at("id").get<std::string>(),
                         .line = json.at("line").get<int>(),
                         .names = json.at("names").get<std::vector<std::string>>(),
                         .mac = json.at("mac").get<std::string>(),
                         .drivers = json.at("drivers").get<std::vector<std::string>>(),
                         .members = json.at("members").get<std::vector<std::string>>(),
                         .automatic = json.at("automatic").get<bool>()});
    }
  } catch (const nlohmann::json::exception&) {
    entries.clear();  // facts that someone edited
  }
  return entries;
}

void add(FileClaims& found, FileClaim claim) {
  if (claim.links.empty()) {
    return;
  }
  std::ranges::sort(claim.links);
  const auto again = std::ranges::unique(claim.links);
  claim.links.erase(again.begin(), again.end());
  found.files.push_back(std::move(claim));
}

void look_into_netplan(View& view, const std::vector<std::string>& links, FileClaims& found) {
  std::vector<std::string> seen;
  for (const auto* directory : kNetplanDirectories) {
    const auto& names = view.directory(directory);
    if (!names) {
      found.unreadable.push_back(names.error().what);
      continue;
    }
    for (const auto& name : *names) {
      if (!name.ends_with(".yaml") || std::ranges::find(seen, name) != seen.end()) {
        continue;
      }
      seen.push_back(name);
      const auto path = fmt::format("{}/{}", directory, name);
      const auto& excerpt = view.excerpt(path, excerpt_of_netplan);
      if (!excerpt) {
        const bool damaged = excerpt.error().code == ErrorCode::kInvalid;
        found.unreadable.push_back((damaged ? path + ": " : std::string()) + excerpt.error().what);
        continue;
      }
      add(found, claim_of_netplan(view, path, entries_of_excerpt(excerpt->value_or("[]")), links));
    }
  }
}

void look_into_profiles(View& view, const std::vector<std::string>& links, FileClaims& found) {
  const auto& names = view.directory(kProfiles);
  if (!names) {
    found.unreadable.push_back(names.error().what);
    return;
  }
  for (const auto& name : *names) {
    if (name.starts_with('.') || name.ends_with('~')) {
      continue;
    }
    const auto path = fmt::format("{}/{}", kProfiles, name);
    const auto& excerpt = view.excerpt(path, excerpt_of_profile);
    if (!excerpt) {
      found.unreadable.push_back(excerpt.error().what);
      continue;
    }
    add(found, claim_of_profile(view, path, excerpt->value_or(""), links));
  }
}

}  // namespace

FileClaims find_claims(View& view, const std::vector<std::string>& links) {
  FileClaims found;
  look_into_netplan(view, links, found);
  look_into_profiles(view, links, found);
  return found;
}

}  // namespace spark
