#include "host/process/passwd.hpp"

#include <charconv>
#include <string>

#include "base/text.hpp"

namespace spark::host {
namespace {

struct Entry {
  std::string_view name;
  std::string_view number;
};

/// NAME:PASSWORD:UID:…
std::optional<Entry> entry_in(std::string_view line) {
  const auto name_end = line.find(':');
  const auto word_end = line.find(':', name_end + 1);
  if (name_end == std::string_view::npos || word_end == std::string_view::npos) return std::nullopt;
  return Entry{.name = line.substr(0, name_end),
               .number = line.substr(word_end + 1, line.find(':', word_end + 1) - word_end - 1)};
}

}  // namespace

std::optional<std::string_view> user_name(std::string_view number, std::string_view passwd) {
  for (const auto line : lines_of(passwd)) {
    const auto entry = entry_in(line);
    if (entry && entry->number == number) return entry->name;
  }
  return std::nullopt;
}

std::optional<uid_t> user_number(std::string_view name, std::string_view passwd) {
  for (const auto line : lines_of(passwd)) {
    const auto entry = entry_in(line);
    if (!entry || entry->name != name) continue;
    uid_t number = 0;
    const std::string text(entry->number);
    const auto* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, number);
    return error == std::errc{} && end == last ? std::optional(number) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace spark::host
