// Nodes: which machine each one is, its management link, and the names of its cages.

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "base/text.hpp"
#include "config/check/check_sections.hpp"

namespace spark::config {
namespace {

/// What one machine could be recognised by, and by which nodes.
class Identities {
 public:
  Identities(Findings& findings, std::string_view what) : findings_(findings), what_(what) {}

  void claim(const std::string& text, Where where) {
    const auto [first, is_new] = first_.try_emplace(ascii_lower(text), where);
    if (is_new) return;
    const auto [earlier, later] = std::minmax(first->second, where);
    findings_.add(SpecId::kSameIdentity, later,
                  fmt::format("two nodes have the {} {}", what_, in_quotes(text)),
                  "one machine would be two nodes: correct one of them", {{earlier, "first here"}});
  }

 private:
  Findings& findings_;
  std::string_view what_;
  std::map<std::string, Where> first_;
};

void check_identities(const Cluster& cluster, Findings& findings) {
  Identities machine_ids(findings, "machine-id");
  Identities host_names(findings, "host name");
  for (const auto& [name, node] : cluster.nodes) {
    if (node.match.machine_id) {
      machine_ids.claim(node.match.machine_id->value, node.match.machine_id->where);
    }
    if (node.match.hostname) {
      host_names.claim(node.match.hostname->value, node.match.hostname->where);
    } else if (!node.match.machine_id) {
      host_names.claim(name, node.where);
    }
  }
}

/// What is remembered of a node is a directory of its name, beside files of this program.
void check_name(const std::string& name, const NodeSpec& node, Findings& findings) {
  constexpr std::array<std::string_view, 3> kEndings{".json", ".yaml", ".sha256"};
  if (std::ranges::any_of(kEndings, [&](std::string_view end) { return name.ends_with(end); })) {
    findings.add(SpecId::kTextForm, node.where,
                 fmt::format("a node cannot be called {}", in_quotes(name)),
                 "files of this program are called so, beside what it remembers of each node: name "
                 "the node after its machine, or give it a 'match'");
  }
}

void check_management(const Checked& checked, const std::string& name, const NodeSpec& node,
                      Findings& findings) {
  if (!node.management) return;
  const auto& [interface, where] = *node.management;
  const auto rail = rail_of(node, interface);
  const Segment* segment = rail ? checked.segment_at(name, rail->cage) : nullptr;
  if (segment != nullptr) {
    findings.add(
        SpecId::kManagementIsOurs, where,
        fmt::format("management link {} is a rail of cage {}", in_quotes(interface), rail->cage),
        "the way in must not depend on the fabric: name the LAN interface, on a Spark "
        "mostly enP7s7",
        {{segment->where, "the cage is used here"}});
  }
  const auto link = node.links.find(interface);
  if (link != node.links.end() && link->second.exclusive) {
    findings.add(SpecId::kManagementIsOurs, where,
                 fmt::format("management link {} is exclusive", in_quotes(interface)),
                 "'exclusive' removes addresses that others gave, the one you log in by among "
                 "them: delete it",
                 {{link->second.where, "'exclusive' is here"}});
  }
}

void check_cages(const NodeSpec& node, Findings& findings) {
  std::map<std::string_view, Where> first;
  for (const auto& [cage, interfaces] : node.cages) {
    for (const auto& [interface, where] : interfaces) {
      const auto [seen, is_new] = first.try_emplace(interface, where);
      if (is_new) continue;
      findings.add(SpecId::kCageNames, where,
                   fmt::format("{} stands in 'cages' twice", in_quotes(interface)),
                   "an interface is one rail of one cage", {{seen->second, "first here"}});
    }
  }
}

/// A cage that no Spark has, and ends with more addresses than their cage has rails.
void check_end(const NodeSpec& node, const CageEnd& end, Findings& findings) {
  constexpr int kCagesOfSpark = 2;
  const auto named = node.cages.find(end.cage);
  if (named == node.cages.end()) {
    if (end.cage < kCagesOfSpark || findings.structure_is_broken()) return;
    findings.add(
        SpecId::kCageNames, end.where,
        fmt::format("{} has no cage {} in the file", in_quotes(end.node), end.cage),
        fmt::format(
            "a Spark has the cages 0 and 1 (seen from the back, 0 is next to the RJ45 "
            "socket); on other hardware name the interfaces: {}: {{ cages: {{ {}: [ens1f0np0] "
            "}} }}",
            end.node, end.cage),
        {{node.where, "the node is here"}});
    return;
  }
  if (end.addresses.size() > named->second.size()) {
    findings.add(SpecId::kCageNames, end.where,
                 fmt::format("cage {} of {} has one rail, and {} addresses here", end.cage,
                             in_quotes(end.node), end.addresses.size()),
                 "list both interfaces of the cage, rail 0 first, or write one address",
                 {{named->second.front().where, "the rail is here"}});
  }
}

}  // namespace

void check_nodes(const Checked& checked, Findings& findings) {
  check_identities(checked.cluster, findings);
  for (const auto& [name, node] : checked.cluster.nodes) {
    check_name(name, node, findings);
    check_management(checked, name, node, findings);
    check_cages(node, findings);
  }
  for (const Segment& segment : checked.cluster.fabric.segments) {
    for (const CageEnd& end : segment.ends) {
      const auto node = checked.cluster.nodes.find(end.node);
      if (node != checked.cluster.nodes.end()) check_end(node->second, end, findings);
    }
  }
}

}  // namespace spark::config
