#include "cli/share/replacements.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "cli/share/public_words.hpp"

namespace spark::cli {
namespace {

/// A run of characters is taken apart at the first of these that it holds, then at the next.
constexpr std::string_view kSeparators = "/@%+,=:.-";

/// Stands in names of files, also where a host is called "spark".
constexpr std::string_view kOwnName = "spark-reconcile";

bool is_hex_digit(char c) {
  return is_ascii_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

bool is_word_character(char c) { return is_ascii_alnum(c) || c == '_'; }

bool is_run_character(char c) {
  return is_word_character(c) || kSeparators.find(c) != std::string_view::npos;
}

bool is_decimal(std::string_view text) { return std::ranges::all_of(text, is_ascii_digit); }

/// Long enough to be one machine's: ten digits are still a size or a time.
bool is_serial(std::string_view text) {
  constexpr std::string_view kNoLimit = "18446744073709551615";
  constexpr std::size_t kLongestNumber = 10;
  constexpr std::size_t kShortestHex = 12;
  if (text == kNoLimit) return false;
  if (is_decimal(text)) return text.size() > kLongestNumber;
  const auto digits = static_cast<std::size_t>(std::ranges::count_if(text, is_hex_digit));
  const auto dashes = static_cast<std::size_t>(std::ranges::count(text, '-'));
  return digits + dashes == text.size() && digits >= kShortestHex && (dashes == 0 || dashes == 4) &&
         std::ranges::any_of(text, is_ascii_digit);
}

/// `stem` and a number of three digits at most.
bool is_numbered(std::string_view name, std::string_view stem) {
  return name.starts_with(stem) && name.size() > stem.size() && name.size() <= stem.size() + 3 &&
         is_decimal(name.substr(stem.size()));
}

/// "200G", "30s", "64KiB".
bool is_quantity(std::string_view word) {
  constexpr std::array kUnits{"s",  "ms", "us", "m",  "h",   "d",   "k",   "K",   "M",    "G",
                              "T",  "B",  "b",  "kB", "KB",  "MB",  "GB",  "TB",  "Gb",   "Mb",
                              "Ki", "Mi", "Gi", "Ti", "KiB", "MiB", "GiB", "TiB", "Gbps", "Gbit"};
  const auto unit = word.find_first_not_of("0123456789");
  return unit != 0 && unit != std::string_view::npos &&
         std::ranges::find(kUnits, word.substr(unit)) != kUnits.end();
}

/// A name that the kernel or udev gives by slot or number (systemd.net-naming-scheme(7)); not what
/// is made of a MAC address.
bool is_name_of_slot(std::string_view name) {
  constexpr std::array kStems{"eth", "wlan", "ifb",   "dummy",  "bond",   "br",     "veth", "tun",
                              "tap", "wg",   "virbr", "docker", "usb",    "ib",     "rxe",  "mlx5_",
                              "gre", "sit",  "tunl",  "erspan", "gretap", "ip6tnl", "teql"};
  constexpr std::array kBySlot{"en", "wl", "ww", "roce", "ib", "rocep"};
  if (is_public_word(name) ||
      std::ranges::any_of(kStems, [&](const char* stem) { return is_numbered(name, stem); })) {
    return true;
  }
  return std::ranges::any_of(kBySlot, [&](std::string_view stem) {
    if (!name.starts_with(stem) || name.size() == stem.size()) return false;
    const auto rest = name.substr(stem.size());
    return std::string_view("pPsoc").find(rest.front()) != std::string_view::npos &&
           std::ranges::any_of(rest, is_ascii_digit) && std::ranges::all_of(rest, [](char c) {
             return is_ascii_digit(c) ||
                    std::string_view("pPsofncdubvri").find(c) != std::string_view::npos;
           });
  });
}

/// "enxa088c2010203": the MAC address that such a name is made of, with colons.
std::optional<std::string> mac_in_name(std::string_view name) {
  constexpr std::size_t kStem = 3;
  constexpr std::size_t kDigits = 12;
  if (name.size() != kStem + kDigits || (!name.starts_with("enx") && !name.starts_with("wlx")) ||
      !std::ranges::all_of(name.substr(kStem), is_hex_digit)) {
    return std::nullopt;
  }
  std::string mac;
  for (std::size_t i = kStem; i < name.size(); i += 2) {
    mac += (mac.empty() ? "" : ":") + std::string(name.substr(i, 2));
  }
  return mac;
}

bool is_variable(std::string_view word) {
  constexpr std::array kOwners{"NCCL_", "UCX_", "GLOO_", "OMPI_", "TP_"};
  return std::ranges::any_of(kOwners,
                             [&](std::string_view owner) { return word.starts_with(owner); });
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
  if (label.size() + 1 < name.size()) {
    numbered(kDomains, name.substr(label.size() + 1), "domain");
  }
}

void Replacements::add_device(std::string_view name) {
  const auto plain = name.substr(0, name.find_first_of(".:"));
  if (!plain.empty() && !is_name_of_slot(plain) && !mac_in_name(plain)) {
    numbered(kDevices, plain, "link");
  }
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
    if (i % bytes.size() == 0) {
      bytes = hash_.bytes(fmt::format("serial {}", i), ascii_lower(text));
    }
    const auto byte = bytes.at(i % bytes.size());
    const char c = text[i];
    result += is_decimal(text)    ? kDigits[byte % 10]
              : is_hex_digit(c)   ? kDigits[byte % 16]
              : is_ascii_alnum(c) ? static_cast<char>('g' + byte % 20)
                                  : c;
  }
  return noted(kSerials, text, std::move(result));
}

std::string Replacements::word(std::string_view word) {
  for (const auto* sort : {kHosts, kDevices}) {
    const auto& known = sorts_[sort];
    if (const auto found = known.find(std::string(word)); found != known.end()) {
      return found->second;
    }
  }
  if (const auto mac = mac_in_name(word)) {
    auto other = addresses_.mac(*mac);
    std::erase(other, ':');
    return noted(kDevices, word, std::string(word.substr(0, 3)) + other);
  }
  if (is_serial(word)) return serial(word);
  return word.size() == 1 || is_decimal(word) || is_quantity(word) || is_name_of_slot(word) ||
                 is_variable(word)
             ? std::string(word)
             : numbered(kWords, word, "word");
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
    if (run == name) return replacement;
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
    // Whoever's home it is: also where the name is a public word.
    result += between == '/' && before == "home" && !part.empty() ? numbered(kWords, part, "word")
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

}  // namespace spark::cli
