#include "cli/share/replacements.hpp"

#include <algorithm>
#include <array>
#include <ranges>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/share/word_forms.hpp"

namespace spark::cli {
namespace {

/// Stands in names of files, also where a host is called "spark".
constexpr std::string_view kOwnName = "spark-reconcile";

/// A run of characters is taken apart at the first of these that it holds, then at the next.
constexpr std::string_view kSeparators = "/@%+,=:.-";

bool is_word_character(char c) { return is_ascii_alnum(c) || c == '_'; }

bool is_run_character(char c) {
  return is_word_character(c) || kSeparators.find(c) != std::string_view::npos;
}

bool is_public(std::string_view line) {
  if (std::ranges::none_of(line, is_word_character)) return false;
  while (!line.empty()) {
    const auto begin = std::ranges::find_if(line, is_word_character) - line.begin();
    line.remove_prefix(static_cast<std::size_t>(begin));
    const auto end = std::ranges::find_if_not(line, is_word_character) - line.begin();
    const auto word = line.substr(0, static_cast<std::size_t>(end));
    if (!word.empty() && !is_public_word(word)) return false;
    line.remove_prefix(word.size());
  }
  return true;
}

/// Of images and systems, and not of a person.
bool is_user_of_images(std::string_view name) {
  constexpr std::array<std::string_view, 6> kUsersOfImages{"root",   "nvidia", "ubuntu",
                                                           "debian", "spark",  "daemon"};
  return std::ranges::find(kUsersOfImages, name) != kUsersOfImages.end();
}

bool is_part_of_name(char c) { return is_ascii_alnum(c) || c == '_' || c == '-'; }

bool occurs(std::string_view word, std::string_view text) {
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const auto end = at + word.size();
    if ((at == 0 || !is_part_of_name(text[at - 1])) &&
        (end == text.size() || !is_part_of_name(text[end]))) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string Replacements::noted(const std::string& sort, std::string_view original,
                                std::string replacement) {
  if (replacement != original) sorts_[sort].insert_or_assign(std::string(original), replacement);
  return replacement;
}

const std::string& Replacements::numbered(const std::string& sort, std::string_view original,
                                          std::string_view stem) {
  auto& known = sorts_[sort];
  return known.try_emplace(std::string(original), fmt::format("{}{}", stem, known.size() + 1))
      .first->second;
}

void Replacements::add_host(std::string_view name) {
  const auto label = name.substr(0, name.find('.'));
  if (label.empty() || label == "localhost") return;
  numbered(kHosts, label, "host");
  if (label.size() + 1 < name.size()) numbered(kDomains, name.substr(label.size() + 1), "domain");
}

void Replacements::add_device(std::string_view name) {
  const auto plain = name.substr(0, name.find_first_of(".:"));
  if (!plain.empty() && !is_name_of_slot(plain) && !mac_in_name(plain)) {
    numbered(kDevices, plain, "link");
  }
}

void Replacements::add_user(std::string_view name) {
  if (!name.empty() && !is_user_of_images(name)) numbered(kUsers, name, "user");
}

void Replacements::add_name(std::string_view name) {
  // Such a word would be gone from all texts, and gives nothing away.
  if (name.empty() || is_public_word(name)) return;
  numbered(kNames, name, "name");
}

std::string Replacements::host(std::string_view name) {
  add_host(name);
  return run(name);
}

std::string Replacements::device(std::string_view name) {
  add_device(name);
  return run(name);
}

std::string Replacements::mac(std::string_view text) {
  return is_mac(text) ? noted(kMacs, text, addresses_.mac(text)) : run(text);
}

std::string Replacements::ip(std::string_view text) {
  const auto parsed = IpAddress::parse(text);
  return parsed ? noted(kAddresses, text, addresses_.ip(*parsed).text()) : run(text);
}

std::string Replacements::prefix(std::string_view text) {
  const auto parsed = IpPrefix::parse(text);
  return parsed ? noted(kAddresses, text, addresses_.prefix(*parsed).text()) : run(text);
}

std::string Replacements::broadcast(std::string_view text, std::string_view of) {
  const auto parsed = IpAddress::parse(text);
  const auto network = IpPrefix::parse(of);
  return parsed && network && parsed->is_v4()
             ? noted(kAddresses, text, addresses_.broadcast(*parsed, *network).text())
             : ip(text);
}

std::string Replacements::serial(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string result;
  std::array<std::uint8_t, 32> bytes{};
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i % bytes.size() == 0) bytes = hash_.bytes(fmt::format("serial {}", i), ascii_lower(text));
    const auto byte = bytes.at(i % bytes.size());
    const char c = text[i];
    result += is_decimal(text)    ? kDigits[byte % 10]
              : is_ascii_hex(c)   ? kDigits[byte % 16]
              : is_ascii_alnum(c) ? static_cast<char>('g' + byte % 20)
                                  : c;
  }
  return noted(kSerials, text, std::move(result));
}

std::string Replacements::word(std::string_view word) {
  if (const auto mac = mac_in_name(word)) {
    auto other = addresses_.mac(*mac);
    std::erase(other, ':');
    return noted(kDevices, word, std::string(word.substr(0, 3)) + other);
  }
  if (is_serial(word)) return serial(word);
  return word.size() == 1 || is_decimal(word) || is_quantity(word) || is_name_of_slot(word) ||
                 is_variable(word)
             ? std::string(word)
             : numbered(kOtherWords, word, "word");
}

std::string Replacements::sysctl_key(std::string_view key, char separator) {
  std::string result;
  std::string_view before;
  while (!key.empty()) {
    const auto end = std::min(key.find(separator), key.size());
    const auto part = key.substr(0, end);
    const bool is_device = before == "conf" || before == "neigh";
    result += is_device ? device(part) : std::string(part);
    if (end < key.size()) result += separator;
    key.remove_prefix(std::min(end + 1, key.size()));
    before = part;
  }
  return result;
}

std::string Replacements::run(std::string_view run, std::size_t separator) {
  if (run.empty()) return "";
  for (const auto* sort : {kHosts, kDevices, kUsers, kNames}) {
    const auto& known = sorts_[sort];
    if (const auto found = known.find(std::string(run)); found != known.end()) return found->second;
  }
  if (IpAddress::parse(run)) return ip(run);
  if (run.find('/') != std::string_view::npos && IpPrefix::parse(run)) return prefix(run);
  if (is_mac(run)) return mac(run);
  if (is_serial(run)) return serial(run);
  if (const auto at = run.find(kOwnName); at != std::string_view::npos) {
    return this->run(run.substr(0, at)) + std::string(kOwnName) +
           this->run(run.substr(at + kOwnName.size()));
  }
  for (const char between : {'.', '/'}) {
    if (run.starts_with(fmt::format("net{}ipv", between))) return sysctl_key(run, between);
  }
  for (const auto& [name, replacement] : sorts_[kDomains]) {
    if (run == name) return replacement;
    if (run.ends_with("." + name)) {
      return this->run(run.substr(0, run.size() - name.size() - 1)) + "." + replacement;
    }
  }
  for (const auto& [name, replacement] : sorts_[kHosts]) {
    if (run.starts_with(name + "-")) {
      return replacement + "-" + this->run(run.substr(name.size() + 1), separator);
    }
  }
  while (separator < kSeparators.size() &&
         run.find(kSeparators[separator]) == std::string_view::npos) {
    ++separator;
  }
  if (separator == kSeparators.size()) return word(run);
  const char between = kSeparators[separator];
  std::string result;
  std::string_view before;
  for (;;) {
    const auto end = run.find(between);
    const auto part = run.substr(0, end);
    // A user's name, also where it is a public word.
    result += between == '/' && before == "home" && !part.empty()
                  ? numbered(kOtherWords, part, "word")
                  : this->run(part, separator + 1);
    if (end == std::string_view::npos) return result;
    result += between;
    run.remove_prefix(end + 1);
    before = part;
  }
}

std::string Replacements::line(std::string_view line) {
  std::string result;
  for (std::size_t at = 0; at < line.size();) {
    const auto begin = at;
    const bool is_run = is_run_character(line[at]);
    while (at < line.size() && is_run_character(line[at]) == is_run) ++at;
    const auto part = line.substr(begin, at - begin);
    if (is_run) {
      result += run(part);
      continue;
    }
    // Letters of other languages are words too; no format that is read here has them.
    for (const char c : part) {
      const bool is_ascii = static_cast<unsigned char>(c) < 0x80;
      result += is_ascii ? c : '?';
    }
  }
  return result;
}

std::string Replacements::json_text(std::string_view text) {
  auto json = nlohmann::json::parse(text, nullptr, false);
  const auto replace = [this](auto&& self, nlohmann::json& value) -> void {
    if (value.is_string()) {
      value = this->text(value.get<std::string>());
    } else if (value.is_array()) {
      for (auto& item : value) self(self, item);
    } else if (value.is_object()) {
      auto other = nlohmann::json::object();
      for (auto& [key, item] : value.items()) {
        self(self, item);
        other[this->text(key)] = std::move(item);
      }
      value = std::move(other);
    }
  };
  replace(replace, json);
  return json.dump();
}

std::string Replacements::text(std::string_view text) {
  if (text.starts_with('{') || text.starts_with("[{")) {
    if (nlohmann::json::accept(text)) return json_text(text);
  }
  std::string result;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    auto one = text.substr(0, end);
    const bool ends = end < text.size();
    text.remove_prefix(std::min(end + 1, text.size()));
    const auto first = one.find_first_not_of(" \t");
    const bool is_comment =
        first != std::string_view::npos && (one[first] == '#' || one[first] == ';');
    if (is_comment) {
      // This program knows its own files by their comments, which are of public words alone.
      if (is_public(one)) result += std::string(one) + (ends ? "\n" : "");
      continue;
    }
    const auto comment = std::min(one.find(" #"), one.size());
    result += line(one.substr(0, comment));
    if (ends) result += '\n';
  }
  return result;
}

std::string Replacements::user(std::string_view name) {
  if (name.empty() || is_user_of_images(name)) return std::string(name);
  return numbered(kUsers, name, "user");
}

std::optional<std::string> Replacements::value(std::string_view text) {
  std::string result;
  for (const auto part : std::views::split(text, ' ')) {
    const std::string_view word(part);
    const bool is_key = word.starts_with("net.") || word.starts_with("vm.");
    const bool is_length = word.starts_with('/') && is_decimal(word.substr(1));
    const bool is_plain =
        is_length || is_decimal(word) || is_quantity(word) || word == "up" || word == "down";
    const bool is_address = is_mac(word) || IpAddress::parse(word) || IpPrefix::parse(word);
    if (!is_key && !is_plain && !is_address && !is_name_of_slot(word)) return std::nullopt;
    result += (result.empty() ? "" : " ") + (is_plain ? std::string(word) : run(word));
  }
  return result;
}

std::string find_original(const Replacements& replacements, std::string_view text,
                          Originals which) {
  const auto is_looked_for = [&](std::string_view sort) {
    const bool is_name = sort != kMacs && sort != kAddresses && sort != kSerials;
    return sort != kOtherWords && (which == Originals::kAll || !is_name);
  };
  for (const auto& [sort, known] : replacements.sorts()) {
    if (!is_looked_for(sort)) continue;
    for (const auto& [original, replacement] : known) {
      if (original.find('/') == std::string::npos && !is_public_word(original) &&
          occurs(original, text)) {
        return original;
      }
    }
  }
  return "";
}

std::string counts_of(const Replacements& replacements) {
  constexpr std::size_t kExamples = 3;
  std::string text;
  for (const auto& [sort, known] : replacements.sorts()) {
    if (known.empty()) continue;
    std::vector<std::string> examples;
    for (const auto& [original, replacement] : known) {
      if (examples.size() < kExamples) examples.push_back(replacement);
    }
    text += fmt::format("  {:>4} {} → {}{}\n", known.size(), sort, fmt::join(examples, ", "),
                        known.size() > kExamples ? ", …" : "");
  }
  return text;
}

}  // namespace spark::cli
