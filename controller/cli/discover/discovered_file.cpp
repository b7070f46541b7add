#include "cli/discover/discovered_file.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "cli/init/fabric_parts.hpp"
#include "cli/init/yaml_text.hpp"

namespace spark::cli {
namespace {

using protocol::CageEnd;
using protocol::NodeRecord;
using DiscoveredEnds = std::vector<CageEnd>;

bool is_cable(const DiscoveredEnds& ends) { return ends.size() == 2; }

std::string_view cluster_name(const Wiring& wiring) {
  if (!std::ranges::all_of(wiring.segments, is_cable)) return "switched";
  return wiring.nodes.size() == 2 ? "pair" : "ring";
}

void write_discovered_nodes(const Wiring& wiring, const std::vector<NodeRecord>& nodes,
                            YamlText& yaml) {
  yaml.comment(
      "The key is the host name of the machine, `number` its place in every subnet below, "
      "`management` the link of its default route.");
  yaml.line("nodes:");
  yaml.indent();
  for (std::size_t i = 0; i < wiring.nodes.size(); ++i) {
    const auto& name = wiring.nodes[i];
    const auto node = std::ranges::find(nodes, name, &NodeRecord::node);
    const auto management = node == nodes.end() || node->lan.empty()
                                ? std::string()
                                : fmt::format(", management: {}", yaml_word(node->lan));
    yaml.line(fmt::format("{}: {{ number: {}{} }}", yaml_word(name), i + 1, management));
  }
  yaml.outdent();
}

using Subnets = std::array<std::string, 2>;

void write_cable(const DiscoveredEnds& ends, const Subnets& subnets, YamlText& yaml) {
  yaml.line(fmt::format("- ends: [{}, {}]", cage_end(ends[0].node, ends[0].cage),
                        cage_end(ends[1].node, ends[1].cage)));
  yaml.line(fmt::format("  subnets: {}", yaml_list({subnets[0], subnets[1]})));
}

void write_discovered_switch(std::size_t number, const DiscoveredEnds& ends, const Subnets& subnets,
                             YamlText& yaml) {
  yaml.line(fmt::format("- name: switch{}", number));
  yaml.line("  ports:");
  for (const auto& end : ends) yaml.line("    - " + cage_end(end.node, end.cage));
  yaml.line(fmt::format("  subnets: {}", yaml_list({subnets[0], subnets[1]})));
}

/// The segments that are cables, or those that are not, below their title.
Result<> write_segments(const Wiring& wiring, bool cables, std::vector<IpPrefix>& taken,
                        YamlText& yaml) {
  std::size_t number = 0;
  for (const auto& ends : wiring.segments) {
    if (is_cable(ends) != cables) continue;
    if (number++ == 0) {
      yaml.line(cables ? "cables:" : "switches:");
      yaml.indent();
    }
    const auto subnets = take_subnets(taken);
    if (!subnets) return std::unexpected(subnets.error());
    if (cables) {
      write_cable(ends, *subnets, yaml);
    } else {
      write_discovered_switch(number, ends, *subnets, yaml);
    }
  }
  if (number > 0) yaml.outdent();
  return {};
}

}  // namespace

Result<std::string> discovered_text(const Wiring& wiring, const std::vector<NodeRecord>& nodes,
                                    std::vector<IpPrefix> taken) {
  for (const auto& node : nodes) {
    taken.insert(taken.end(), node.subnets.begin(), node.subnets.end());
  }
  const bool has_switch = !std::ranges::all_of(wiring.segments, is_cable);
  YamlText yaml;
  yaml.comment("`init --discover` wrote this of the cables as they are plugged.");
  yaml.line("version: 1");
  yaml.line(fmt::format("cluster: {}", cluster_name(wiring)), "a name for people");
  yaml.blank();
  write_discovered_nodes(wiring, nodes, yaml);
  yaml.blank();
  begin_fabric(yaml, "No address or route of any of these nodes uses them.", has_switch);
  for (const bool cables : {true, false}) {
    if (auto written = write_segments(wiring, cables, taken, yaml); !written) {
      return std::unexpected(written.error());
    }
  }
  end_fabric(yaml);
  return yaml.text();
}

}  // namespace spark::cli
