#include "kinds/other_managers/manager_claims.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fnmatch.h>

#include "base/text.hpp"
#include "kinds/common/conf_files.hpp"
#include "kinds/other_managers/netplan_files.hpp"
#include "kinds/other_managers/nm_profile.hpp"

namespace spark::kinds {
namespace {

constexpr const char* kProfiles = "/etc/NetworkManager/system-connections";

std::string mac_of(host::View& view, const std::string& name) {
  const auto* link = view.link(name);
  return link == nullptr ? std::string() : link->mac;
}

std::string with_line(const std::string& what, int line) {
  return line == 0 ? what : fmt::format("{} (line {})", what, line);
}

/// A link of this machine that the entry stands for beside `links`; null: none. Patterns may.
const host::LinkInfo* claimed_beside(host::View& view, const config::NetplanEntry& entry,
                                     const std::vector<std::string>& links) {
  const auto& all = view.links();
  if (!all) return nullptr;
  const auto found = std::ranges::find_if(*all, [&](const host::LinkInfo& link) {
    return std::ranges::find(links, link.name) == links.end() &&
           config::claims(entry, link.name, link.mac);
  });
  return found == all->end() ? nullptr : &*found;
}

FileClaim claim_of_netplan(host::View& view, const NetplanFile& file,
                           const std::vector<std::string>& links) {
  FileClaim claim{.path = file.path, .automatic = true};
  std::set<std::string> named;
  for (const auto& entry : file.text.entries) {
    std::vector<std::string> claimed;
    std::ranges::copy_if(links, std::back_inserter(claimed), [&](const std::string& link) {
      return config::claims(entry, link, mac_of(view, link));
    });
    const auto* other = claimed.empty() ? nullptr : claimed_beside(view, entry, links);
    if (claimed.empty() || other != nullptr) {
      claim.others.push_back(
          with_line(printable(other == nullptr ? entry.id : other->name), entry.line));
      named.insert(entry.id);
    }
    if (claimed.empty()) continue;
    claim.line = claim.line == 0 ? entry.line : claim.line;
    claim.automatic &= entry.automatic;
    std::ranges::copy(claimed, std::back_inserter(claim.links));
  }
  for (const auto& rest : file.text.rest) {
    if (named.contains(rest.owner)) continue;
    claim.others.push_back(with_line(
        rest.owner.empty() ? rest.what : fmt::format("{} of {}", rest.what, printable(rest.owner)),
        rest.line));
  }
  return claim;
}

/// The file whose `renderer` counts for devices that name none: of all, the last by name
/// (netplan(5)). Null: none has one.
const NetplanFile* last_with_renderer(const std::vector<const NetplanFile*>& files) {
  const NetplanFile* last = nullptr;
  for (const auto* file : files) {
    const bool later = last == nullptr || file_name(file->path) > file_name(last->path);
    if (!file->text.renderer.empty() && later) last = file;
  }
  return last;
}

/// A file stays where its renderer counts for what stays: devices of other files, or, with
/// NetworkManager, all that netplan does not know.
void keep_renderer(const std::vector<NetplanFile>& files, std::vector<FileClaim>& claims) {
  std::vector<const NetplanFile*> all;
  std::vector<const NetplanFile*> staying;
  for (std::size_t i = 0; i < files.size(); ++i) {
    all.push_back(&files[i]);
    if (claims[i].links.empty() || !claims[i].others.empty()) staying.push_back(&files[i]);
  }
  const auto* now = last_with_renderer(all);
  if (now == nullptr || std::ranges::find(staying, now) != staying.end()) return;
  const auto* then = last_with_renderer(staying);
  const std::string left = then == nullptr ? "networkd" : then->text.renderer;
  const bool concerns_others = now->text.renderer == "NetworkManager" ||
                               std::ranges::any_of(staying, [](const NetplanFile* file) {
                                 return !file->text.entries.empty() || !file->text.rest.empty();
                               });
  if (now->text.renderer == left || !concerns_others) return;
  claims[static_cast<std::size_t>(now - files.data())].others.push_back(
      with_line("`renderer`, which counts for other files too", now->text.renderer_line));
}

/// A profile that names one of the links. One of another type than Ethernet only stands on it.
FileClaim claim_of_profile(host::View& view, const NmProfile& profile,
                           const std::vector<std::string>& links) {
  FileClaim claim{.path = profile.path};
  for (const auto& [device, line] : profile.devices) {
    for (const auto& link : links) {
      const bool names_it = fnmatch(device.c_str(), link.c_str(), 0) == 0;
      if (!names_it && ascii_lower(device) != ascii_lower(mac_of(view, link))) continue;
      claim.line = claim.line == 0 ? line : claim.line;
      claim.links.push_back(link);
    }
  }
  if (!profile.is_ethernet) claim.others.emplace_back("something else than an Ethernet device");
  for (const auto& [what, line] : profile.rest) claim.others.push_back(with_line(what, line));
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
  std::vector<FileClaim> claims;
  for (const auto& file : read.files) claims.push_back(claim_of_netplan(view, file, links));
  keep_renderer(read.files, claims);
  for (auto& claim : claims) add(found, std::move(claim));
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
    add(found, claim_of_profile(view, read_nm_profile(path, excerpt->value_or("")), links));
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
