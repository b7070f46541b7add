#include "kinds/other_managers/foreign_setup.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <ranges>
#include <string_view>

#include <fmt/format.h>

#include "base/text.hpp"
#include "kinds/common/conf_files.hpp"
#include "kinds/other_managers/manager_files.hpp"
#include "kinds/other_managers/nm_profile.hpp"

namespace spark::kinds {
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
    std::uint32_t bytes = 0;
    const auto read = std::from_chars(value.data(), value.data() + value.size(), bytes);
    setup.mtu = read.ptr == value.data() + value.size() ? std::optional(bytes) : std::nullopt;
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
