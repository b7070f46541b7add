#include "kinds/other_managers/netplan_files.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json_integer.hpp"
#include "base/text.hpp"
#include "kinds/common/conf_files.hpp"

namespace spark::kinds {
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
      file.rest.push_back(
          {.what = "what facts of an earlier version do not tell", .owner = {}, .line = 0});
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
