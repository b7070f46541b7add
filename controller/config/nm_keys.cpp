#include "config/nm_keys.hpp"

#include <algorithm>
#include <array>
#include <ranges>
#include <span>

#include "base/ip.hpp"
#include "base/text.hpp"

namespace spark::config {
namespace {

struct NmTableKey {
  std::string_view group;  ///< empty: any. [802-3-ethernet] is [ethernet]'s older name
  std::string_view key;
};
constexpr std::array kNmRead{
    NmTableKey{"", "interface-name"},  NmTableKey{"", "mac-address"},
    NmTableKey{"", "parent"},          NmTableKey{"connection", "uuid"},
    NmTableKey{"connection", "type"},  NmTableKey{"ethernet", "mtu"},
    NmTableKey{"ipv4", "method"},      NmTableKey{"802-3-ethernet", "mtu"},
    NmTableKey{"ipv4", "address"},     NmTableKey{"ipv6", "method"},
    NmTableKey{".nmmeta", "external"}, NmTableKey{"ipv6", "address"},
};
constexpr std::array kNmOfADevice{
    NmTableKey{"connection", "id"},
    NmTableKey{"connection", "timestamp"},
    NmTableKey{"connection", "autoconnect"},
    NmTableKey{"connection", "autoconnect-priority"},
    NmTableKey{"connection", "autoconnect-retries"},
    NmTableKey{"connection", "permissions"},
    NmTableKey{"ethernet", "wake-on-lan"},
    NmTableKey{"ethernet", "auto-negotiate"},
    NmTableKey{"802-3-ethernet", "wake-on-lan"},
    NmTableKey{"802-3-ethernet", "auto-negotiate"},
    NmTableKey{"ipv4", "may-fail"},
    NmTableKey{"ipv4", "never-default"},
    NmTableKey{"ipv4", "ignore-auto-dns"},
    NmTableKey{"ipv4", "ignore-auto-routes"},
    NmTableKey{"ipv6", "may-fail"},
    NmTableKey{"ipv6", "never-default"},
    NmTableKey{"ipv6", "ignore-auto-dns"},
    NmTableKey{"ipv6", "ignore-auto-routes"},
    NmTableKey{"ipv6", "addr-gen-mode"},
    NmTableKey{"ipv6", "ip6-privacy"},
    NmTableKey{"proxy", ""},
    NmTableKey{".nmmeta", "nm-generated"},
    NmTableKey{".nmmeta", "volatile"},
};
constexpr std::array<std::string_view, 2> kNmTypes{"ethernet", "802-3-ethernet"};
/// `shared` gives others DHCP and a way out.
constexpr std::array<std::string_view, 5> kNmMethods{"auto", "manual", "disabled", "ignore",
                                                     "link-local"};

/// "address" of "address1" and "addresses".
std::string_view plain_nm_key(std::string_view key) {
  constexpr std::string_view kAddress = "address";
  return key.starts_with(kAddress) ? kAddress : key;
}

bool stands_in(std::span<const NmTableKey> table, const NmKey& key) {
  return std::ranges::any_of(table, [&](const NmTableKey& one) {
    return one.key == plain_nm_key(key.key) && (one.group.empty() || one.group == key.group);
  });
}

bool is_nm_word(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

/// "10.0.0.1/24", or several of them with ';' between. Behind a comma, or alone, stands a gateway.
bool are_addresses_alone(std::string_view text) {
  return std::ranges::all_of(std::views::split(text, ';'), [](const auto& part) {
    const auto one = fold_blanks(std::string_view(part.begin(), part.end()));
    return one.empty() || IpPrefix::parse(one);
  });
}

}  // namespace

NmKey nm_key_of(std::string_view passthrough, std::string_view value) {
  const auto dot = passthrough.rfind('.');
  if (dot == std::string_view::npos) return {.key = passthrough, .value = value};
  return {.group = passthrough.substr(0, dot), .key = passthrough.substr(dot + 1), .value = value};
}

bool is_nm_group_of_a_device(std::string_view group) {
  return !group.empty() &&
         (std::ranges::find(kNmRead, group, &NmTableKey::group) != kNmRead.end() ||
          std::ranges::find(kNmOfADevice, group, &NmTableKey::group) != kNmOfADevice.end());
}

bool is_nm_key_to_read(const NmKey& key) { return stands_in(kNmRead, key); }

bool is_of_a_device(const NmKey& key) {
  if (!is_nm_group_of_a_device(key.group)) return false;
  // As if it were not there; so is "_", netplan's word for a group without keys.
  if (key.value.empty() || stands_in(kNmOfADevice, key)) return true;
  if (!stands_in(kNmRead, key)) return false;
  const auto name = plain_nm_key(key.key);
  if (name == "type") return is_nm_word(kNmTypes, key.value);
  if (name == "method") return is_nm_word(kNmMethods, key.value);
  return name != "address" || are_addresses_alone(key.value);
}

}  // namespace spark::config
