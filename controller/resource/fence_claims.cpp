#include "resource/fence_claims.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

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

Claim claim_of_netplan(View& view, const std::string& path,
                       const std::vector<NetplanEntry>& entries,
                       const std::vector<std::string>& links) {
  Claim claim{.path = path, .automatic = true};
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

/// A NetworkManager profile (nm-settings-keyfile(5)) that names one of the links.
Claim claim_of_profile(View& view, const std::string& path, const std::string& text,
                       const std::vector<std::string>& links) {
  Claim claim{.path = path};
  int number = 0;
  for (const auto line : lines_of(text)) {
    ++number;
    const auto value = line.substr(std::min(line.find('=') + 1, line.size()));
    for (const auto& link : links) {
      const bool names_it = line.starts_with("interface-name=") && value == link;
      const bool by_mac = line.starts_with("mac-address=") &&
                          ascii_lower(value) == ascii_lower(mac_of(view, link)) && !value.empty();
      const bool known = std::ranges::find(claim.links, link) != claim.links.end();
      if ((names_it || by_mac) && !known) {
        claim.line = claim.line == 0 ? number : claim.line;
        claim.links.push_back(link);
      }
    }
  }
  return claim;
}

void add(Claims& found, Claim claim) {
  if (claim.links.empty()) {
    return;
  }
  std::ranges::sort(claim.links);
  const auto again = std::ranges::unique(claim.links);
  claim.links.erase(again.begin(), again.end());
  found.files.push_back(std::move(claim));
}

void look_into_netplan(View& view, const std::vector<std::string>& links, Claims& found) {
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
      const auto& text = view.file(path);
      const auto entries = text ? read_netplan(text->value_or("network: {}"))
                                : Result<std::vector<NetplanEntry>>(std::unexpected(text.error()));
      if (!entries) {
        found.unreadable.push_back(text ? fmt::format("{}: {}", path, entries.error().what)
                                        : entries.error().what);
        continue;
      }
      add(found, claim_of_netplan(view, path, *entries, links));
    }
  }
}

void look_into_profiles(View& view, const std::vector<std::string>& links, Claims& found) {
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
    const auto& text = view.file(path);
    if (!text) {
      found.unreadable.push_back(text.error().what);
      continue;
    }
    add(found, claim_of_profile(view, path, text->value_or(""), links));
  }
}

}  // namespace

Claims find_claims(View& view, const std::vector<std::string>& links) {
  Claims found;
  look_into_netplan(view, links, found);
  look_into_profiles(view, links, found);
  return found;
}

}  // namespace spark
