#include "kinds/other_managers/manager_claims.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "base/text.hpp"
#include "kinds/other_managers/netplan_files.hpp"
#include "kinds/other_managers/nm_profile.hpp"

namespace spark::kinds {
namespace {

constexpr const char* kProfiles = "/etc/NetworkManager/system-connections";

std::string mac_of(host::View& view, const std::string& name) {
  const auto* link = view.link(name);
  return link == nullptr ? std::string() : link->mac;
}

FileClaim claim_of_netplan(host::View& view, const std::string& path,
                           const std::vector<config::NetplanEntry>& entries,
                           const std::vector<std::string>& links) {
  FileClaim claim{.path = path, .automatic = true};
  for (const auto& entry : entries) {
    std::vector<std::string> claimed;
    std::ranges::copy_if(links, std::back_inserter(claimed), [&](const std::string& link) {
      return config::claims(entry, link, mac_of(view, link));
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

/// A profile that names one of the links.
FileClaim claim_of_profile(host::View& view, const std::string& path, const std::string& excerpt,
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

void add(FileClaims& found, FileClaim claim) {
  if (claim.links.empty()) {
    return;
  }
  std::ranges::sort(claim.links);
  const auto again = std::ranges::unique(claim.links);
  claim.links.erase(again.begin(), again.end());
  found.files.push_back(std::move(claim));
}

void look_into_netplan(host::View& view, const std::vector<std::string>& links, FileClaims& found) {
  auto read = read_netplan_files(view);
  for (const auto& file : read.files) {
    add(found, claim_of_netplan(view, file.path, file.entries, links));
  }
  std::ranges::move(read.unreadable, std::back_inserter(found.unreadable));
}

void look_into_profiles(host::View& view, const std::vector<std::string>& links,
                        FileClaims& found) {
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

FileClaims find_claims(host::View& view, const std::vector<std::string>& links) {
  FileClaims found;
  look_into_netplan(view, links, found);
  look_into_profiles(view, links, found);
  return found;
}

}  // namespace spark::kinds
