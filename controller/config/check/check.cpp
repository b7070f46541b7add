#include "config/check/check.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/units.hpp"
#include "config/check/check_sections.hpp"

namespace spark::config {

Checked::Checked(const Cluster& file) : cluster(file) {
  for (const Segment& segment : file.fabric.segments) {
    for (const CageEnd& end : segment.ends) segments.try_emplace({end.node, end.cage}, &segment);
  }
}

const Segment* Checked::segment_at(std::string_view node, int cage) const {
  const auto found = segments.find({node, cage});
  return found == segments.end() ? nullptr : found->second;
}

std::size_t rail_count(const Segment& segment) {
  std::size_t count = segment.subnets.size();
  for (const CageEnd& end : segment.ends) count = std::max(count, end.addresses.size());
  return count;
}

std::optional<At<std::uint32_t>> mtu_of(const Cluster& cluster, const Segment& segment) {
  return segment.mtu ? segment.mtu : cluster.fabric.mtu;
}

std::optional<Rail> rail_of(const NodeSpec& node, std::string_view interface) {
  for (const auto& [cage, names] : node.cages) {
    const auto found = std::ranges::find(names, interface, &At<std::string>::value);
    if (found != names.end()) return Rail{cage, static_cast<int>(found - names.begin())};
  }
  const auto rail = rail_of_dgx_name(interface);
  return rail && node.cages.contains(rail->cage) ? std::nullopt : rail;
}

std::string name_of(const Segment& segment) {
  return segment.kind == Segment::Kind::kCable ? "this cable"
                                               : fmt::format("switch {}", in_quotes(segment.name));
}

namespace {

std::string without_digits(std::string name) {
  std::erase_if(name, is_ascii_digit);
  return name;
}

}  // namespace

std::uint64_t free_number(const Cluster& cluster, std::string_view name) {
  const auto is_taken = [&](std::uint64_t number) {
    return std::ranges::any_of(cluster.nodes, [&](const auto& node) {
      return node.second.number && node.second.number->value == number;
    });
  };
  constexpr std::size_t kMostDigits = 2;
  const auto digits = name.size() - std::min(name.size(), name.find_last_not_of("0123456789") + 1);
  auto number = digits > 0 && digits <= kMostDigits
                    ? parse_decimal(name.substr(name.size() - digits)).value_or(0)
                    : 0;
  for (number = std::max<std::uint64_t>(number, 1); is_taken(number);) ++number;
  return number;
}

const NodeSpec* known_node(const Cluster& cluster, Findings& findings, const std::string& name,
                           Where where) {
  const auto found = cluster.nodes.find(name);
  if (found != cluster.nodes.end()) return &found->second;
  // What is wrong with 'nodes' is reported already. It may be the second of two of one name.
  const bool has_twins = std::ranges::any_of(cluster.nodes, [&](const auto& node) {
    return findings.has_beside(SpecId::kDuplicateKey, node.second.where);
  });
  if (cluster.nodes.empty() || has_twins) return nullptr;

  std::vector<std::string_view> names;
  if (!findings.is_full()) {
    for (const auto& [known, node] : cluster.nodes) {
      // spark2 is no misspelling of spark1, but a node that is not in the file yet.
      if (without_digits(known) != without_digits(name)) names.push_back(known);
    }
  }
  const auto meant = closest(name, names);
  findings.add(SpecId::kUnknownNode, where,
               meant ? fmt::format("unknown node {}, did you mean '{}'?", in_quotes(name), *meant)
                     : fmt::format("unknown node {}", in_quotes(name)),
               fmt::format("only what stands under 'nodes' can be named here: correct the name, or "
                           "add the node: {}: {{ number: {} }}",
                           printable(name), free_number(cluster, name)));
  return nullptr;
}

void check_mtu_for_ipv6(const At<std::uint32_t>& mtu, const At<IpPrefix>& prefix,
                        Findings& findings) {
  constexpr std::uint32_t kLeast = 1280;  // RFC 8200, section 5
  if (mtu.value >= kLeast || prefix.value.ip.is_v4()) return;
  findings.add(SpecId::kMtuTooSmall, mtu.where,
               fmt::format("mtu {} is too small for IPv6", mtu.value),
               "IPv6 needs 1280 bytes at least; 9000 is usual on the fabric",
               {{prefix.where, "IPv6 is used here"}});
}

void check(const Cluster& cluster, Findings& findings) {
  const Checked checked(cluster);
  check_nodes(checked, findings);
  check_fabric(checked, findings);
  check_external(checked, findings);
  check_addresses(checked, findings);
  check_subnets(checked, findings);
  check_links(checked, findings);
  check_routes(checked, findings);
  check_settings(checked, findings);
  check_storage(checked, findings);
  check_ready(checked, findings);
  check_rollout(cluster, findings);
  // What seems to be half may only have been half read.
  if (findings.structure_is_broken()) return;
  warn_about_fabric(checked, findings);
  warn_about_links(checked, findings);
  warn_about_variables(checked, findings);
}

}  // namespace spark::config
