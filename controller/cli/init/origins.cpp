#include "cli/init/origins.hpp"

#include <algorithm>
#include <ranges>

#include <fmt/format.h>

#include "cli/init/setup_commands.hpp"
#include "kinds/common/conf_files.hpp"
#include "kinds/network/address_origin.hpp"
#include "kinds/other_managers/foreign_setup.hpp"
#include "kinds/other_managers/manager_files.hpp"

namespace spark::cli {
namespace {

bool is_lasting(const host::AddressInfo& address) {
  return address.valid_seconds == host::kForeverSeconds;
}

/// What netplan makes there, it makes again.
bool is_gone_after_a_boot(std::string_view path) {
  return path.starts_with("/run/") && !file_name(path).starts_with("netplan-");
}

}  // namespace

std::string writer_of(std::string_view path) {
  if (!path.contains("/netplan/")) return "NetworkManager";
  if (path.contains("nvidia-sync")) return "NVIDIA Sync";
  return path.starts_with("/etc/netplan/40-cx7.yaml") ? "netplan (the name of NVIDIA's playbook)"
                                                      : "netplan";
}

Origins::Origins(host::View& view, const std::vector<RailHere>& rails) {
  for (const auto& rail : rails) add_managers(view, rail);
  add_netplan(view, rails);
  add_profiles(view, rails);
  add_setup(view, rails);
}

void Origins::add_managers(host::View& view, const RailHere& rail) {
  const auto setup = kinds::foreign_setup(view, rail.link);
  if (!setup) return;
  const auto* const manager = kinds::name_of(setup->manager);
  sources_.push_back({.link = rail.link.name,
                      .text = setup->netplan.empty()
                                  ? fmt::format("{}: {}", manager, setup->file)
                                  : fmt::format("{}, by {}: {}", writer_of(setup->netplan), manager,
                                                setup->netplan),
                      .addresses = setup->addresses,
                      .mtu = setup->mtu,
                      .automatic = setup->ipv4_automatic || setup->ipv6_automatic});
}

void Origins::add_netplan(host::View& view, const std::vector<RailHere>& rails) {
  const auto read = kinds::read_netplan_files(view);
  // Of two files that set a value, the later one has the last word.
  for (const auto& file : std::views::reverse(read.files)) {
    for (const auto& entry : file.text.entries) {
      for (const auto& rail : rails) {
        if (config::claims(entry, rail.link.name, rail.link.mac)) {
          auto text = fmt::format("{}: {}:{}", writer_of(file.path), file.path, entry.line);
          if (entry.addresses.empty() && !entry.mtu) setup_files_.push_back(text);
          sources_.push_back({.link = rail.link.name,
                              .text = std::move(text),
                              .addresses = entry.addresses,
                              .mtu = entry.mtu});
        }
      }
    }
  }
}

void Origins::add_profiles(host::View& view, const std::vector<RailHere>& rails) {
  for (const auto& profile : kinds::read_nm_profiles(view)) {
    for (const auto& rail : rails) {
      const bool is_of_rail =
          profile.link == rail.link.name || (!profile.mac.empty() && profile.mac == rail.link.mac);
      if (is_of_rail && !profile.external) {
        sources_.push_back(
            {.link = rail.link.name,
             .text = fmt::format(
                 "NetworkManager: {}{}", profile.path,
                 is_gone_after_a_boot(profile.path) ? ", which is gone after a reboot" : ""),
             .addresses = profile.addresses,
             .mtu = profile.mtu});
      }
    }
  }
}

void Origins::add_setup(host::View& view, const std::vector<RailHere>& rails) {
  for (const auto& command : setup_commands(view).of_links) {
    const bool is_of_rail = std::ranges::any_of(
        rails, [&](const auto& rail) { return rail.link.name == command.link; });
    if (!is_of_rail) {
      continue;
    }
    const auto run_by = command.unit.empty() ? "" : ", run by " + command.unit;
    sources_.push_back({.link = command.link,
                        .text = command.place() + run_by,
                        .addresses = command.address ? std::vector<IpPrefix>{*command.address}
                                                     : std::vector<IpPrefix>{},
                        .mtu = command.mtu,
                        .up = command.up});
    auto whole = command.path + run_by;
    if (std::ranges::find(setup_files_, whole) == setup_files_.end()) {
      setup_files_.push_back(std::move(whole));
    }
  }
}

std::string Origins::of_address(const RailHere& rail, const host::AddressInfo& address) const {
  if (address.protocol == kinds::kOurAddressProtocol) return "set by spark-reconcile";
  for (const auto& source : sources_) {
    const bool is_named =
        std::ranges::find(source.addresses, address.address) != source.addresses.end();
    if (source.link == rail.link.name && (is_named || (source.automatic && !is_lasting(address)))) {
      return "from " + source.text;
    }
  }
  return "from the kernel; no file was found that sets it";
}

std::string Origins::of_mtu(const RailHere& rail) const {
  const Source* agrees = nullptr;
  const Source* differs = nullptr;
  for (const auto& source : sources_) {
    if (source.link != rail.link.name || !source.mtu) continue;
    const auto*& found = source.mtu == rail.link.mtu ? agrees : differs;
    if (found == nullptr) found = &source;
  }
  const auto but = differs == nullptr ? std::string()
                                      : fmt::format("; {} says {}", differs->text, *differs->mtu);
  if (agrees != nullptr) return fmt::format("from {}{}", agrees->text, but);
  if (differs != nullptr) return "from the kernel" + but;
  return rail.link.mtu == kEthernetMtu ? "from the kernel: its default; 9000 is usual on the fabric"
                                       : "from the kernel; no file was found that sets it";
}

std::string Origins::of_down(const RailHere& rail) const {
  for (const auto& source : sources_) {
    if (source.link == rail.link.name && source.up == false) return "from " + source.text;
  }
  return {};
}

}  // namespace spark::cli
