// `nodes:` - who they are, their links by name, and the names of their cages. `external:` - hosts
// that are no nodes.

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/units.hpp"
#include "config/parse/parse_sections.hpp"
#include "config/yaml/advice.hpp"

namespace spark::config {
namespace {

/// IpPrefix::host() counts no further.
constexpr std::uint64_t kHighestNumber = (std::uint64_t{1} << 63) - 1;

constexpr std::array kLinkLocalModes{
    std::pair{std::string_view{"none"}, LinkLocalMode::kNone},
    std::pair{std::string_view{"eui64"}, LinkLocalMode::kEui64},
    std::pair{std::string_view{"stable_privacy"}, LinkLocalMode::kStablePrivacy},
    std::pair{std::string_view{"random"}, LinkLocalMode::kRandom},
};
constexpr std::array kOwners{std::pair{std::string_view{"host"}, true}};

constexpr std::array kRouteSpecKeys{
    required(key<&RouteSpec::to, prefix>("to"), "to: 192.0.2.0/24"),
    key<&RouteSpec::via, address>("via"),
    key<&RouteSpec::metric, integer<std::uint32_t, 1, UINT32_MAX, 100>>("metric"),
    // The kernel lets no route have more (ip_metrics_convert).
    key<&RouteSpec::mtu, integer<std::uint32_t, 68, 65520, 9000>>("mtu"),
    key<&RouteSpec::source, address>("source"),
};

void read_routes(Findings& findings, const Value& value, std::vector<RouteSpec>& routes) {
  if (!is_list(findings, value)) return;
  for (const Value& item : value.children) {
    RouteSpec& route = routes.emplace_back();
    route.where = item.where;
    read_map(findings, item, route, kRouteSpecKeys);
  }
}

constexpr std::array kLinkKeys{
    key<&LinkSpec::mtu, kMtu>("mtu"),
    key<&LinkSpec::addresses, list_of<prefix>>("addresses"),
    key<&LinkSpec::up, boolean>("up"),
    section<&LinkSpec::routes, read_routes>("routes"),
    key<&LinkSpec::link_local, word<kLinkLocalModes>>("link_local"),
    key<&LinkSpec::exclusive, boolean>("exclusive"),
    key<&LinkSpec::owner_host, word<kOwners>>("owner"),
};

void read_links(Findings& findings, const Value& value, std::map<std::string, LinkSpec>& links) {
  read_open_map(findings, value, kInterfaceName, [&](const Value& entry) {
    LinkSpec& link = links[entry.key];
    link.where = entry.key_where;
    read_map(findings, entry, link, kLinkKeys);
  });
}

using CageNames = std::map<int, std::vector<At<std::string>>>;

template <int kCage>
void read_cage(Findings& findings, const Value& value, CageNames& cages) {
  auto names = list_of<text<kInterfaceName>, 1, 2>(findings, value);
  if (names && !names->empty()) cages[kCage] = *std::move(names);
}

/// A Spark has two cages; other machines have more (a DGX H100 eight ports for GPUs, and others).
constexpr std::array<std::string_view, 16> kCageNumbers{
    "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15"};

constexpr auto kCageKeys = []<int... kCage>(std::integer_sequence<int, kCage...> /*cages*/) {
  return std::array{Key<CageNames>{kCageNumbers.at(kCage), read_cage<kCage>}...};
}(std::make_integer_sequence<int, kCageNumbers.size()>{});

void read_cages(Findings& findings, const Value& value, CageNames& cages) {
  read_map(findings, value, cages, kCageKeys);
}

constexpr std::array kMatchKeys{
    key<&Match::machine_id, text<kMachineId>>("machine_id"),
    key<&Match::hostname, text<kName>>("hostname"),
};

void read_match(Findings& findings, const Value& value, Match& match) {
  read_map(findings, value, match, kMatchKeys);
}

/// "192.168.177.11" is what 11 makes.
std::optional<At<std::uint64_t>> number_of_node(Findings& findings, const Value& value) {
  const bool is_too_large = value.plain && !value.text.starts_with('0') &&
                            std::ranges::all_of(value.text, is_ascii_digit) &&
                            parse_decimal(value.text).value_or(UINT64_MAX) > kHighestNumber;
  if (is_too_large) {
    findings.add(
        SpecId::kOutOfRange, value.where,
        fmt::format("{} is out of range", printable(value.text, 30)),
        "each address of the node is its subnet with this number: in a /24 it is 1 to 254");
    return std::nullopt;
  }
  const auto advice = advice_on_address_of_node(value.text);
  if (!advice) return integer<std::uint64_t, 0, kHighestNumber, 11>(findings, value);
  findings.add(SpecId::kNotInteger, value.where,
               fmt::format("{} is not a whole number", in_quotes(value.text)), *advice);
  return std::nullopt;
}

constexpr std::array kNodeKeys{
    key<&NodeSpec::number, number_of_node>("number"),
    key<&NodeSpec::management, text<kInterfaceName>>("management"),
    section<&NodeSpec::match, read_match>("match"),
    section<&NodeSpec::links, read_links>("links"),
    section<&NodeSpec::cages, read_cages>("cages"),
    section<&NodeSpec::ready, read_ready>("ready"),
    section<&NodeSpec::environment, read_environment>("environment"),
    key<&NodeSpec::away, boolean>("away"),
};

constexpr std::array kExternalKeys{
    required(key<&ExternalSpec::addresses, list_of<address, 1>>("addresses"),
             "addresses: [192.168.177.50]"),
};

}  // namespace

void read_external(Findings& findings, const Value& value,
                   std::map<std::string, ExternalSpec>& external) {
  read_open_map(findings, value, kName, [&](const Value& entry) {
    ExternalSpec& host = external[entry.key];
    host.where = entry.key_where;
    read_map(findings, entry, host, kExternalKeys);
  });
}

void read_nodes(Findings& findings, const Value& value, std::map<std::string, NodeSpec>& nodes) {
  read_open_map(findings, value, kName, [&](const Value& entry) {
    NodeSpec& node = nodes[entry.key];
    node.where = entry.key_where;
    read_map(findings, entry, part_of(node, kNodeKeys), part_of(node.settings, kSettingsKeys));
  });
}

}  // namespace spark::config
