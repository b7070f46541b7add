#include "cli/share/word_forms.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace spark::cli {
namespace {

/// `stem` and a number of three digits at most.
bool is_numbered(std::string_view name, std::string_view stem) {
  return name.starts_with(stem) && name.size() > stem.size() && name.size() <= stem.size() + 3 &&
         is_decimal(name.substr(stem.size()));
}

}  // namespace

bool is_decimal(std::string_view text) { return std::ranges::all_of(text, is_ascii_digit); }

bool is_serial(std::string_view text) {
  constexpr std::string_view kNoLimit = "18446744073709551615";
  constexpr std::size_t kLongestNumber = 10;
  constexpr std::size_t kShortestHex = 12;
  if (text == kNoLimit) return false;
  if (is_decimal(text)) return text.size() > kLongestNumber;
  const auto digits = static_cast<std::size_t>(std::ranges::count_if(text, is_ascii_hex));
  const auto dashes = static_cast<std::size_t>(std::ranges::count(text, '-'));
  return digits + dashes == text.size() && digits >= kShortestHex && (dashes == 0 || dashes == 4) &&
         std::ranges::any_of(text, is_ascii_digit);
}

bool is_quantity(std::string_view word) {
  constexpr std::array kUnits{"s",  "ms", "us", "m",  "h",   "d",   "k",   "K",   "M",    "G",
                              "T",  "B",  "b",  "kB", "KB",  "MB",  "GB",  "TB",  "Gb",   "Mb",
                              "Ki", "Mi", "Gi", "Ti", "KiB", "MiB", "GiB", "TiB", "Gbps", "Gbit"};
  const auto unit = word.find_first_not_of("0123456789");
  return unit != 0 && unit != std::string_view::npos &&
         std::ranges::find(kUnits, word.substr(unit)) != kUnits.end();
}

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

std::optional<std::string> mac_in_name(std::string_view name) {
  constexpr std::size_t kStem = 3;
  constexpr std::size_t kDigits = 12;
  if (name.size() != kStem + kDigits || (!name.starts_with("enx") && !name.starts_with("wlx")) ||
      !std::ranges::all_of(name.substr(kStem), is_ascii_hex)) {
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

}  // namespace spark::cli
