#include "kinds/other_managers/netplan_files.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/json_integer.hpp"

namespace spark::kinds {
namespace {

/// Earlier ones hide later ones of the same name (netplan-generate(8)).
constexpr std::array kNetplanFolders{"/etc/netplan", "/run/netplan", "/usr/lib/netplan",
                                     "/lib/netplan"};

/// What a netplan file says of devices, as JSON text: the rest may hold passwords.
Result<std::string> excerpt_of_netplan(const std::string& text) {
  const auto entries = config::read_netplan(text);
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

std::vector<config::NetplanEntry> entries_of_excerpt(const std::string& text) {
  std::vector<config::NetplanEntry> entries;
  try {
    for (const auto& json : nlohmann::json::parse(text)) {
      entries.push_back({.id = json.at("id").get<std::string>(),
                         .line = integer_of<int>(json.at("line")),
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
      if (!name.ends_with(".yaml") || std::ranges::find(seen, name) != seen.end()) {
        continue;
      }
      seen.push_back(name);
      const auto path = fmt::format("{}/{}", directory, name);
      const auto& excerpt = view.excerpt(path, excerpt_of_netplan);
      if (!excerpt) {
        const bool damaged = excerpt.error().code == ErrorCode::kInvalid;
        read.unreadable.push_back((damaged ? path + ": " : std::string()) + excerpt.error().what);
        continue;
      }
      read.files.push_back({path, entries_of_excerpt(excerpt->value_or("[]"))});
    }
  }
  return read;
}

}  // namespace spark::kinds
