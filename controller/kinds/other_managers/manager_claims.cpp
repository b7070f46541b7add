#include "kinds/other_managers/manager_claims.hpp"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fnmatch.h>

#include "base/text.hpp"
#include "kinds/other_managers/foreign_setup.hpp"
#include "kinds/other_managers/manager_files.hpp"

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

using FilePointers = std::vector<const NetplanFile*>;
constexpr std::string_view kNmRenderer = "NetworkManager";

/// The file whose `renderer` counts for devices that name none: of all, the last (netplan(5)).
/// Null: none has one.
const NetplanFile* last_with_renderer(const FilePointers& files) {
  const auto in_reverse = std::views::reverse(files);
  const auto found = std::ranges::find_if(
      in_reverse, [](const NetplanFile* file) { return !file->text.renderer.empty(); });
  return found == in_reverse.end() ? nullptr : *found;
}

bool gives_networkmanager_a_device(const NetplanFile* file) {
  return file->text.networkmanager_line != 0;
}

/// The file whose `renderer` is missed by what stays: devices of other files, or, with
/// NetworkManager, all that netplan does not know. Null: none is.
const NetplanFile* missed_renderer(const FilePointers& all, const FilePointers& staying) {
  const auto* now = last_with_renderer(all);
  if (now == nullptr || std::ranges::find(staying, now) != staying.end()) return nullptr;
  const auto* then = last_with_renderer(staying);
  const std::string left = then == nullptr ? "networkd" : then->text.renderer;
  const bool concerns_others = now->text.renderer == kNmRenderer ||
                               std::ranges::any_of(staying, [](const NetplanFile* file) {
                                 return !file->text.entries.empty() || !file->text.rest.empty();
                               });
  return now->text.renderer == left || !concerns_others ? nullptr : now;
}

/// The last file that gives NetworkManager a device, where none that stays has NetworkManager as
/// a renderer: without any, netplan removes the file that hides Ubuntu's
/// 10-globally-managed-devices.conf, by which NetworkManager has no Ethernet, the LAN included
/// (main of generate.c). Null: one stays, or there is none now.
const NetplanFile* missed_networkmanager(const FilePointers& all, const FilePointers& staying) {
  const auto* then = last_with_renderer(staying);
  const bool is_global = then != nullptr && then->text.renderer == kNmRenderer;
  if (is_global || std::ranges::any_of(staying, gives_networkmanager_a_device)) return nullptr;
  const auto in_reverse = std::views::reverse(all);
  const auto found = std::ranges::find_if(in_reverse, gives_networkmanager_a_device);
  return found == in_reverse.end() ? nullptr : *found;
}

/// What is below /run is gone at the next boot.
FilePointers lasting(FilePointers files) {
  std::erase_if(files, [](const NetplanFile* file) { return file->path.starts_with("/run/"); });
  return files;
}

/// A file stays where what stays misses its `renderer`, now or after the next boot.
void keep_renderer(const std::vector<NetplanFile>& files, std::vector<FileClaim>& claims) {
  FilePointers all;
  std::ranges::transform(files, std::back_inserter(all),
                         [](const NetplanFile& file) { return &file; });
  const auto claim_of = [&](const NetplanFile* file) -> FileClaim& {
    return claims[static_cast<std::size_t>(file - files.data())];
  };
  const auto staying = [&] {
    FilePointers some;
    std::ranges::copy_if(all, std::back_inserter(some), [&](const NetplanFile* file) {
      return claim_of(file).links.empty() || !claim_of(file).others.empty();
    });
    return some;
  };
  if (const auto* file = missed_renderer(all, staying())) {
    claim_of(file).others.push_back(
        with_line("`renderer`, which counts for other files too", file->text.renderer_line));
  }
  const auto keep = [&](const NetplanFile* file) {
    if (file == nullptr) return;
    claim_of(file).others.push_back(
        with_line("the last `renderer: NetworkManager`, without which NetworkManager may have no "
                  "Ethernet at all",
                  file->text.networkmanager_line));
  };
  keep(missed_networkmanager(lasting(all), lasting(staying())));
  keep(missed_networkmanager(all, staying()));
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
  if (claim.links.empty()) return;
  std::ranges::sort(claim.links);
  const auto again = std::ranges::unique(claim.links);
  claim.links.erase(again.begin(), again.end());
  found.files.push_back(std::move(claim));
}

void look_into_netplan(host::View& view, const std::vector<std::string>& links, FileClaims& found) {
  auto read = read_netplan_files(view);
  std::vector<FileClaim> claims;
  claims.reserve(read.files.size());
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
    if (name.starts_with('.') || name.ends_with('~')) continue;
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
