#include "kinds/other_managers/manager_files.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <ranges>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/json_integer.hpp"
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

namespace {

/// Earlier ones hide later ones of the same name (netplan_parser_load_yaml_hierarchy of util.c).
constexpr std::array kNetplanFolders{"/run/netplan", "/etc/netplan", "/usr/lib/netplan",
                                     "/lib/netplan"};

std::vector<std::string> texts_of(const std::vector<IpPrefix>& addresses) {
  std::vector<std::string> texts;
  std::ranges::transform(addresses, std::back_inserter(texts), &IpPrefix::text);
  return texts;
}

std::vector<IpPrefix> addresses_of(const std::vector<std::string>& texts) {
  std::vector<IpPrefix> addresses;
  for (const auto& text : texts) {
    if (const auto address = IpPrefix::parse(text)) addresses.push_back(*address);
  }
  return addresses;
}

/// What a netplan file says of devices, as JSON text: the rest may hold passwords.
Result<std::string> excerpt_of_netplan(const std::string& text) {
  const auto file = config::read_netplan(text);
  if (!file) return std::unexpected(file.error());
  auto list = nlohmann::json::array();
  for (const auto& entry : file->entries) {
    list.push_back({{"id", entry.id},
                    {"line", entry.line},
                    {"names", entry.names},
                    {"mac", entry.mac},
                    {"drivers", entry.drivers},
                    {"addresses", texts_of(entry.addresses)},
                    {"mtu", entry.mtu.value_or(0)},
                    {"members", entry.members},
                    {"automatic", entry.automatic}});
  }
  auto rest = nlohmann::json::array();
  for (const auto& item : file->rest) {
    rest.push_back({{"what", item.what}, {"owner", item.owner}, {"line", item.line}});
  }
  const nlohmann::json excerpt{{"entries", list},
                               {"rest", rest},
                               {"renderer", file->renderer},
                               {"renderer_line", file->renderer_line},
                               {"networkmanager_line", file->networkmanager_line}};
  return excerpt.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

config::NetplanEntry entry_of(const nlohmann::json& json) {
  // Facts of an earlier version have no addresses and no MTU.
  const auto mtu = json.contains("mtu") ? integer_of<std::uint32_t>(json.at("mtu")) : 0;
  return {.id = json.at("id").get<std::string>(),
          .line = integer_of<int>(json.at("line")),
          .names = json.at("names").get<std::vector<std::string>>(),
          .mac = json.at("mac").get<std::string>(),
          .drivers = json.at("drivers").get<std::vector<std::string>>(),
          .addresses = addresses_of(json.value("addresses", std::vector<std::string>{})),
          .mtu = mtu == 0 ? std::nullopt : std::optional(mtu),
          .members = json.at("members").get<std::vector<std::string>>(),
          .automatic = json.at("automatic").get<bool>()};
}

config::Netplan netplan_of_excerpt(const std::string& text) {
  config::Netplan file;
  try {
    const auto json = nlohmann::json::parse(text);
    if (json.is_array()) {
      for (const auto& entry : json) file.entries.push_back(entry_of(entry));
      file.rest.push_back({.what = "what facts of an earlier version do not tell", .line = 0});
      return file;
    }
    for (const auto& entry : json.at("entries")) file.entries.push_back(entry_of(entry));
    for (const auto& item : json.at("rest")) {
      file.rest.push_back({.what = item.at("what").get<std::string>(),
                           .owner = item.at("owner").get<std::string>(),
                           .line = integer_of<int>(item.at("line"))});
    }
    file.renderer = json.at("renderer").get<std::string>();
    file.renderer_line = integer_of<int>(json.at("renderer_line"));
    // Facts of an earlier version do not say.
    const bool says_which = json.contains("networkmanager_line");
    file.networkmanager_line = says_which ? integer_of<int>(json.at("networkmanager_line")) : 0;
  } catch (const nlohmann::json::exception&) {
    file.entries.clear();  // facts that someone edited
  }
  return file;
}

}  // namespace

NetplanFiles read_netplan_files(host::View& view) {
  NetplanFiles read;
  std::vector<std::string> seen;
  for (const auto* directory : kNetplanFolders) {
    const auto& names = view.directory(directory);
    if (!names) {
      read.unreadable.push_back(names.error().what);
      continue;
    }
    for (const auto& name : *names) {
      if (!name.ends_with(".yaml") || std::ranges::find(seen, name) != seen.end()) continue;
      seen.push_back(name);
      const auto path = fmt::format("{}/{}", directory, name);
      const auto& excerpt = view.excerpt(path, excerpt_of_netplan);
      if (!excerpt) {
        const bool damaged = excerpt.error().code == ErrorCode::kInvalid;
        read.unreadable.push_back((damaged ? path + ": " : std::string()) + excerpt.error().what);
        continue;
      }
      read.files.push_back({path, netplan_of_excerpt(excerpt->value_or("[]"))});
    }
  }
  std::ranges::sort(read.files, {}, [](const NetplanFile& file) { return file_name(file.path); });
  return read;
}

}  // namespace spark::kinds
