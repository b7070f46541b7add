#include "helpers/git/signers_line.hpp"

#include <algorithm>
#include <array>
#include <ranges>
#include <vector>

#include <fmt/format.h>
#include <fnmatch.h>

#include "base/text.hpp"

namespace spark::helpers {
namespace {

bool is_key_type(std::string_view word) {
  constexpr std::array<std::string_view, 8> kTypes{"ssh-ed25519",
                                                   "ssh-rsa",
                                                   "ssh-dss",
                                                   "ecdsa-sha2-nistp256",
                                                   "ecdsa-sha2-nistp384",
                                                   "ecdsa-sha2-nistp521",
                                                   "sk-ssh-ed25519@openssh.com",
                                                   "sk-ecdsa-sha2-nistp256@openssh.com"};
  return word.ends_with("-cert-v01@openssh.com") || std::ranges::find(kTypes, word) != kTypes.end();
}

/// Of patterns as ssh_config(5) has them: "git,!file*".
bool is_for_git(std::string_view patterns) {
  bool is_named = false;
  for (const auto part : std::views::split(patterns, ',')) {
    std::string one(part.begin(), part.end());
    const bool excludes = one.starts_with('!');
    if (excludes) one.erase(0, 1);
    if (fnmatch(one.c_str(), "git", 0) != 0) continue;
    if (excludes) return false;
    is_named = true;
  }
  return is_named;
}

/// Words between blanks; one in quotes may have blanks.
std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r";
  std::vector<std::string_view> words;
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    if (line.empty()) return words;
    bool quoted = false;
    const auto* const end = std::ranges::find_if(line, [&](char one) {
      quoted ^= one == '"';
      return !quoted && kBlanks.contains(one);
    });
    words.emplace_back(line.begin(), end);
    line.remove_prefix(words.back().size());
  }
}

/// Of one option, as "namespaces="git"".
std::string fault_of_option(std::string_view option) {
  const auto equals = option.find('=');
  const auto name = ascii_lower(option.substr(0, equals));
  if (name == "cert-authority") {
    return "the key is a certificate authority's: what it signs itself does not count";
  }
  const bool is_known = name == "namespaces" || name == "valid-after" || name == "valid-before";
  if (equals == std::string_view::npos || !is_known) {
    return fmt::format("'{}' is no option", printable(option, 40));
  }
  const auto value = option.substr(equals + 1);
  if (value.size() < 2 || !value.starts_with('"') || !value.ends_with('"')) {
    return fmt::format("the value of {} needs quotes: {}=\"…\"", name, name);
  }
  return name == "namespaces" && !is_for_git(value.substr(1, value.size() - 2))
             ? fmt::format("its namespaces are {}, without git", printable(value, 40))
             : std::string();
}

}  // namespace

std::string fault_of_line(std::string_view line) {
  const auto words = words_of(line);
  if (words.empty() || words.front().starts_with('#')) return {};
  if (is_key_type(words.front())) return "it has no name before the key";
  for (const auto word : words | std::views::drop(1)) {
    if (is_key_type(word)) return {};
    std::size_t begin = 0;
    bool quoted = false;
    for (std::size_t at = 0; at <= word.size(); ++at) {
      quoted ^= at < word.size() && word[at] == '"';
      if (at < word.size() && (quoted || word[at] != ',')) continue;
      if (auto fault = fault_of_option(word.substr(begin, at - begin)); !fault.empty()) {
        return fault;
      }
      begin = at + 1;
    }
  }
  return "it has no key";
}

}  // namespace spark::helpers
