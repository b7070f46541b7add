#include "cli/init/topology.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/init/file_parts.hpp"
#include "cli/init/yaml_text.hpp"
#include "protocol/paths.hpp"

namespace spark::cli {
namespace {

std::string_view name_of(Topology topology) {
  switch (topology) {
    case Topology::kPair:
      return "pair";
    case Topology::kRing:
      return "ring";
    case Topology::kSwitch:
      return "switched";
  }
  return "pair";
}

/// The cage that the file names for this machine, where one cage is enough, and why.
struct CageChoice {
  int cage = 0;
  std::string why;
};

CageChoice choose_cage(const NodeNames& nodes, const MachineHere& machine) {
  const auto& carriers = machine.carriers;
  if (!nodes.own) {
    return {0, "cage 0 is next to the RJ45 socket; write the cages that the cables are in"};
  }
  const auto& own = nodes.names[*nodes.own];
  if (carriers.empty()) {
    const int cage = machine.lan_cages.contains(0) ? 1 : 0;
    return {cage,
            fmt::format("no cage of {} has a carrier: write the cages that the cables are in, "
                        "0 is next to the RJ45 socket",
                        own)};
  }
  if (carriers.size() > 1) {
    return {carriers.front(),
            fmt::format("both cages of {} have a carrier: write the one that is meant, here and "
                        "for the other nodes",
                        own)};
  }
  return {carriers.front(),
          fmt::format("cage {} of {} has a carrier; those of the other nodes are not seen from "
                      "here: correct them where they differ",
                      carriers.front(), own)};
}

/// What the rails of the one cage have already; null: the file gives them something new.
const SubnetsInUse* kept_subnets(Topology topology, const NodeNames& nodes,
                                 const MachineHere& machine) {
  if (topology == Topology::kRing || !nodes.own) return nullptr;
  const auto known = machine.in_use.find(choose_cage(nodes, machine).cage);
  return known == machine.in_use.end() ? nullptr : &known->second;
}

/// One for each node, from 1 on. Who has one already keeps it.
std::vector<int> numbers_of(const NodeNames& nodes, const SubnetsInUse* kept) {
  std::vector<int> numbers(nodes.names.size());
  if (kept != nullptr) {
    numbers[*nodes.own] = kept->number;
    if (numbers.size() == 2 && kept->other) numbers[1 - *nodes.own] = *kept->other;
  }
  give_numbers(numbers);
  return numbers;
}

Result<std::array<std::string, 2>> subnets_of(const SubnetsInUse* kept, MachineHere& machine) {
  if (kept == nullptr) return take_subnets(machine.taken);
  return std::array{kept->subnets[0].text(), kept->subnets[1].text()};
}

void write_nodes(const NodeNames& nodes, const std::vector<int>& numbers,
                 const MachineHere& machine, YamlText& yaml) {
  yaml.comment(
      "The key is the host name of the machine, `number` its place in every subnet below.");
  yaml.line("nodes:");
  yaml.indent();
  for (std::size_t i = 0; i < nodes.names.size(); ++i) {
    const bool is_own = nodes.own == i;
    const bool has_lan = is_own && !machine.lan.empty();
    const auto management =
        has_lan ? fmt::format(", management: {}", yaml_word(machine.lan)) : std::string();
    const auto* const comment = has_lan  ? "this machine; management: link of its default route"
                                : is_own ? "this machine"
                                : nodes.are_derived ? "a placeholder: write the host name"
                                                    : "";
    yaml.line(
        fmt::format("{}: {{ number: {}{} }}", yaml_word(nodes.names[i]), numbers[i], management),
        comment);
  }
  yaml.outdent();
}

Result<> write_pair(const NodeNames& nodes, const SubnetsInUse* kept, MachineHere& machine,
                    YamlText& yaml) {
  const auto subnets = subnets_of(kept, machine);
  if (!subnets) return std::unexpected(subnets.error());
  const auto [cage, why] = choose_cage(nodes, machine);
  yaml.line("cables:");
  yaml.indent();
  yaml.comment(why);
  yaml.line(fmt::format("- ends: [{}, {}]", cage_end(nodes.names[0], cage),
                        cage_end(nodes.names[1], cage)));
  yaml.line(fmt::format("  subnets: {}", yaml_list({(*subnets)[0], (*subnets)[1]})),
            "one for each rail");
  yaml.outdent();
  return {};
}

Result<> write_ring(const NodeNames& nodes, const SubnetsInUse* /*kept*/, MachineHere& machine,
                    YamlText& yaml) {
  yaml.line("cables:");
  yaml.indent();
  yaml.comment("From cage 0 (next to the RJ45 socket) of each node to cage 1 of the next.");
  if (nodes.own && machine.carriers.size() < 2) {
    for (int cage = 0; cage <= 1; ++cage) {
      if (std::ranges::find(machine.carriers, cage) == machine.carriers.end()) {
        yaml.comment(fmt::format("Cage {} of {} has no carrier: plug the cable in.", cage,
                                 nodes.names[*nodes.own]));
      }
    }
  }
  const auto count = nodes.names.size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto subnets = take_subnets(machine.taken);
    if (!subnets) return std::unexpected(subnets.error());
    yaml.line(fmt::format("- ends: [{}, {}]", cage_end(nodes.names[i], 0),
                          cage_end(nodes.names[(i + 1) % count], 1)));
    yaml.line(fmt::format("  subnets: {}", yaml_list({(*subnets)[0], (*subnets)[1]})));
  }
  yaml.outdent();
  return {};
}

Result<> write_switch(const NodeNames& nodes, const SubnetsInUse* kept, MachineHere& machine,
                      YamlText& yaml) {
  const auto subnets = subnets_of(kept, machine);
  if (!subnets) return std::unexpected(subnets.error());
  const auto [cage, why] = choose_cage(nodes, machine);
  yaml.line("switches:");
  yaml.indent();
  yaml.line("- name: switch1", "for people");
  yaml.indent();
  yaml.line("ports:");
  yaml.indent();
  yaml.comment(why);
  for (const auto& name : nodes.names) yaml.line("- " + cage_end(name, cage));
  yaml.outdent();
  yaml.line(fmt::format("subnets: {}", yaml_list({(*subnets)[0], (*subnets)[1]})),
            "rail 0 of all, rail 1 of all");
  yaml.outdent();
  yaml.outdent();
  return {};
}

}  // namespace

Result<std::string> topology_text(Topology topology, const NodeNames& nodes, MachineHere machine) {
  if (topology == Topology::kRing && nodes.own && !machine.lan_cages.empty()) {
    return fail(ErrorCode::kInvalid,
                fmt::format("a ring takes both cages of a node, and cage {} of this one is its way "
                            "to the LAN",
                            *machine.lan_cages.begin()));
  }
  const auto* kept = kept_subnets(topology, nodes, machine);
  YamlText yaml;
  yaml.comment(fmt::format("Check the names and the cages. Then put this file on every node as {}.",
                           protocol::kDefaultFile));
  yaml.line("version: 1");
  yaml.line(fmt::format("cluster: {}", name_of(topology)), "a name for people");
  yaml.blank();
  write_nodes(nodes, numbers_of(nodes, kept), machine, yaml);
  yaml.blank();
  begin_fabric(yaml,
               kept == nullptr ? "No address or route of this machine uses them."
                               : "This machine's rails are in these already.",
               topology == Topology::kSwitch);
  const auto write = topology == Topology::kPair   ? write_pair
                     : topology == Topology::kRing ? write_ring
                                                   : write_switch;
  if (auto written = write(nodes, kept, machine, yaml); !written) {
    return std::unexpected(written.error());
  }
  end_fabric(yaml);
  return yaml.text();
}

}  // namespace spark::cli
