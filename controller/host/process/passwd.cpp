#include "host/process/passwd.hpp"

#include <array>
#include <cstddef>
#include <string>

#include "base/text.hpp"
#include "base/units.hpp"

namespace spark::host {
namespace {

struct Entry {
  std::string_view name;
  std::string_view user;
  std::string_view group;
  std::string_view home;
  std::string_view shell;
};

/// NAME:PASSWORD:UID:GID:GECOS:HOME:SHELL
std::optional<Entry> entry_in(std::string_view line) {
  constexpr std::size_t kParts = 7;
  std::array<std::string_view, kParts> parts;
  for (auto& part : parts) {
    const auto end = line.find(':');
    part = line.substr(0, end);
    line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  }
  if (parts[2].empty()) return std::nullopt;
  return Entry{
      .name = parts[0], .user = parts[2], .group = parts[3], .home = parts[5], .shell = parts[6]};
}

}  // namespace

std::optional<std::string_view> user_name(std::string_view number, std::string_view passwd) {
  for (const auto line : lines_of(passwd)) {
    const auto entry = entry_in(line);
    if (entry && entry->user == number) return entry->name;
  }
  return std::nullopt;
}

std::optional<UserIds> user_ids(std::string_view name, std::string_view passwd) {
  for (const auto line : lines_of(passwd)) {
    const auto entry = entry_in(line);
    if (!entry || entry->name != name) continue;
    const auto user = number_in<id_t>(entry->user);
    const auto group = number_in<id_t>(entry->group);
    return user && group ? std::optional(UserIds{.user = *user, .group = *group}) : std::nullopt;
  }
  return std::nullopt;
}

std::vector<Login> logins_of_root(std::string_view passwd) {
  std::vector<Login> found;
  for (const auto line : lines_of(passwd)) {
    const auto entry = entry_in(line);
    const auto number = entry ? number_in<id_t>(entry->user) : std::nullopt;
    const bool has_shell = entry && !entry->shell.ends_with("/nologin") &&
                           !entry->shell.ends_with("/false") && entry->home.starts_with('/');
    if (number && *number == 0 && has_shell) found.push_back({entry->name, entry->home});
  }
  return found;
}

}  // namespace spark::host
