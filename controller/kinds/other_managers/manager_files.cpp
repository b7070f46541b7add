#include "kinds/other_managers/manager_files.hpp"

#include <algorithm>
#include <ranges>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "kinds/common/conf_files.hpp"
#include "kinds/other_managers/nm_config.hpp"

namespace spark::kinds {
namespace {

constexpr std::string_view kNetworkdFileName = "00-spark-reconcile.network";
constexpr std::string_view kNmKey = "unmanaged-devices+=";
constexpr std::string_view kNmLink = "interface-name:";
constexpr std::string_view kNetworkdKey = "Name=";
constexpr std::string_view kHeader =
    "# Written by spark-reconcile, which sets these links up itself. `spark-reconcile release`\n"
    "# removes this file and hands the links back.\n";

bool is_there(host::View& view, const std::string& directory) {
  const auto& names = view.directory(directory);
  return names && !names->empty();
}

/// The service has processes. D-Bus would say so too, and would be asked at every look.
bool runs(host::View& view, const char* service) {
  return is_there(view, fmt::format("/sys/fs/cgroup/system.slice/{}.service", service));
}

Result<std::string> text_of(host::View& view, const std::string& path) {
  const auto& text = view.file(path);
  if (!text) return std::unexpected(text.error());
  return text->value_or("");
}

/// The line that gives the link back to NetworkManager though our file names it, or will.
Result<std::string> nm_takes_back(host::View& view, const std::string& our_text,
                                  const host::LinkInfo* link, const std::string& name) {
  auto links = unmanaged_links(Manager::kNetworkManager, our_text);
  links.insert(name);
  const auto files = nm_config_files(view, unmanaged_file(Manager::kNetworkManager),
                                     unmanaged_text(Manager::kNetworkManager, links));
  if (!files) return std::unexpected(files.error());
  NmDevice device{.name = name, .driver = [&] {
                    const auto* hardware = view.hardware_of(name);
                    return hardware == nullptr ? std::string() : hardware->driver;
                  }};
  if (link != nullptr) device.mac = link->mac;
  if (link != nullptr && !link->kind.empty()) device.type = link->kind;
  return asked_of_nm_config(*files, device).decided_by;
}

Result<ManagerState> observe_nm(host::View& view, const host::LinkInfo* link,
                                const std::string& name) {
  const auto& etc = view.directory("/etc/NetworkManager");
  if (!etc) return std::unexpected(etc.error());
  ManagerState state{.installed = !etc->empty()};
  if (!state.installed) return state;
  const auto ours = text_of(view, unmanaged_file(Manager::kNetworkManager));
  if (!ours) return std::unexpected(ours.error());
  state.kept_off = unmanaged_links(Manager::kNetworkManager, *ours).contains(name);
  auto taken_by = nm_takes_back(view, ours.value(), link, name);
  if (!taken_by) return std::unexpected(taken_by.error());
  state.overruled_by = *std::move(taken_by);
  state.runs = runs(view, "NetworkManager");
  if (state.runs && link != nullptr) {
    // NetworkManager's own memory of the device (nm_config_device_state_write); without one, it has
    // not touched it.
    const auto memory = text_of(view, fmt::format("/run/NetworkManager/devices/{}", link->index));
    if (!memory) return std::unexpected(memory.error());
    const auto managed = assigned(*memory, "managed=");
    state.manages = managed == "true" || (managed.empty() && !state.kept_off);
  }
  return state;
}

Result<ManagerState> observe_networkd(host::View& view, const host::LinkInfo* link,
                                      const std::string& name) {
  const auto& shipped = view.directory("/usr/lib/systemd/network");
  if (!shipped) return std::unexpected(shipped.error());
  // udev ships .link files there; only networkd ships .network files.
  ManagerState state{.installed = std::ranges::any_of(*shipped, [](const std::string& file) {
                       return file.ends_with(".network");
                     })};
  if (!state.installed) return state;
  const auto ours = text_of(view, unmanaged_file(Manager::kNetworkd));
  if (!ours) return std::unexpected(ours.error());
  state.kept_off = unmanaged_links(Manager::kNetworkd, *ours).contains(name);
  state.runs = runs(view, "systemd-networkd");
  if (state.runs && link != nullptr) {
    // What `networkctl` reads.
    const auto memory = text_of(view, fmt::format("/run/systemd/netif/links/{}", link->index));
    if (!memory) return std::unexpected(memory.error());
    const auto setup = assigned(*memory, "ADMIN_STATE=");
    state.manages = !setup.empty() && setup != "unmanaged";
    const std::string file(assigned(*memory, "NETWORK_FILE="));
    const auto file_name = file.substr(file.rfind('/') + 1);
    if (state.kept_off && state.manages && !file.empty() && file_name < kNetworkdFileName) {
      state.overruled_by = file;
    }
  }
  return state;
}

}  // namespace

const char* name_of(Manager manager) {
  return manager == Manager::kNetworkManager ? "NetworkManager" : "systemd-networkd";
}

const char* unmanaged_file(Manager manager) {
  return manager == Manager::kNetworkManager ? "/etc/NetworkManager/conf.d/90-spark-reconcile.conf"
                                             : "/etc/systemd/network/00-spark-reconcile.network";
}

std::set<std::string> unmanaged_links(Manager manager, const std::string& text) {
  const bool nm = manager == Manager::kNetworkManager;
  const auto list = assigned(text, nm ? kNmKey : kNetworkdKey);
  std::set<std::string> links;
  for (const auto part : std::views::split(list, nm ? ';' : ' ')) {
    std::string_view link(part.begin(), part.end());
    if (nm && link.starts_with(kNmLink)) link.remove_prefix(kNmLink.size());
    if (!link.empty()) links.emplace(link);
  }
  return links;
}

std::string unmanaged_text(Manager manager, const std::set<std::string>& links) {
  if (links.empty()) return {};
  if (manager == Manager::kNetworkd) {
    return fmt::format("{}[Match]\n{}{}\n\n[Link]\nUnmanaged=yes\n", kHeader, kNetworkdKey,
                       fmt::join(links, " "));
  }
  std::vector<std::string> specs;
  std::ranges::transform(links, std::back_inserter(specs), [](const std::string& link) {
    return fmt::format("{}{}", kNmLink, link);
  });
  return fmt::format("{}[keyfile]\n{}{}\n", kHeader, kNmKey, fmt::join(specs, ";"));
}

Result<ManagerState> state_of_manager(host::View& view, Manager manager, const host::LinkInfo* link,
                                      const std::string& name) {
  return manager == Manager::kNetworkManager ? observe_nm(view, link, name)
                                             : observe_networkd(view, link, name);
}

}  // namespace spark::kinds
