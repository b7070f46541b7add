#include "cli/discover/discovered_file.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "all_nodes/statement.hpp"
#include "base/text.hpp"
#include "cli/init/file_parts.hpp"
#include "cli/init/yaml_text.hpp"
#include "protocol/paths.hpp"
#include "signing/node_key.hpp"

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

/// What is on the cables of this node already, and stays.
struct Kept {
  std::map<DiscoveredEnds, SubnetsInUse> segments;
  std::map<std::string, int> numbers;  ///< by node
};

bool has_subnets(const std::vector<NodeRecord>& nodes, const std::string& name,
                 const SubnetsInUse& use) {
  const auto node = std::ranges::find(nodes, name, &NodeRecord::node);
  return node != nodes.end() && std::ranges::all_of(use.subnets, [&](const IpPrefix& subnet) {
           return std::ranges::find(node->subnets, subnet) != node->subnets.end();
         });
}

/// Where all ends say that they have the subnets of this node's rails, and each has one number: its
/// place in all of its subnets, which no other node has.
Kept kept_of(const Wiring& wiring, const std::vector<NodeRecord>& nodes, const OwnRails& own) {
  Kept kept;
  for (const auto& ends : wiring.segments) {
    const auto here = std::ranges::find(ends, own.node, &CageEnd::node);
    const auto found = here == ends.end() ? own.in_use.end() : own.in_use.find(here->cage);
    if (found == own.in_use.end()) continue;
    const auto& use = found->second;
    const bool all_have = std::ranges::all_of(ends, [&](const CageEnd& end) {
      return end.node == own.node || has_subnets(nodes, end.node, use);
    });
    const bool is_elsewhere = std::ranges::any_of(kept.segments, [&](const auto& segment) {
      const auto& subnets = segment.second.subnets;
      return std::ranges::find_first_of(subnets, use.subnets) != subnets.end();
    });
    auto numbers = kept.numbers;
    const auto takes = [&numbers](const std::string& name, int number) {
      const bool is_others = std::ranges::any_of(numbers, [&](const auto& known) {
        return known.first != name && known.second == number;
      });
      return !is_others && numbers.try_emplace(name, number).first->second == number;
    };
    const bool is_heard = is_cable(ends) && use.other;
    const auto& other = ends[here == ends.begin() ? 1 : 0].node;
    if (!all_have || is_elsewhere || !takes(own.node, use.number)) continue;
    if (is_heard && !takes(other, *use.other)) continue;
    kept.numbers = std::move(numbers);
    kept.segments.emplace(ends, use);
  }
  return kept;
}

/// Of each node of the wiring.
std::vector<int> numbers_of(const Wiring& wiring, const Kept& kept) {
  std::vector<int> numbers;
  for (const auto& name : wiring.nodes) {
    const auto known = kept.numbers.find(name);
    numbers.push_back(known == kept.numbers.end() ? 0 : known->second);
  }
  give_numbers(numbers);
  return numbers;
}

void write_discovered_nodes(const Wiring& wiring, const std::vector<NodeRecord>& nodes,
                            const std::vector<int>& numbers, YamlText& yaml) {
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
    yaml.line(fmt::format("{}: {{ number: {}{} }}", yaml_word(name), numbers[i], management));
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
Result<> write_segments(const Wiring& wiring, bool cables, const Kept& kept,
                        std::vector<IpPrefix>& taken, YamlText& yaml) {
  std::size_t number = 0;
  for (const auto& ends : wiring.segments) {
    if (is_cable(ends) != cables) continue;
    if (number++ == 0) {
      yaml.line(cables ? "cables:" : "switches:");
      yaml.indent();
    }
    const auto same = kept.segments.find(ends);
    const auto subnets =
        same == kept.segments.end()
            ? take_subnets(taken)
            : Result<Subnets>({same->second.subnets[0].text(), same->second.subnets[1].text()});
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
                                    std::vector<IpPrefix> taken, const OwnRails& own) {
  const auto kept = kept_of(wiring, nodes, own);
  for (const auto& node : nodes) {
    taken.insert(taken.end(), node.subnets.begin(), node.subnets.end());
  }
  const bool has_switch = !std::ranges::all_of(wiring.segments, is_cable);
  YamlText yaml;
  yaml.comment("`init --discover` wrote this of the cables as they are plugged.");
  yaml.line("version: 1");
  yaml.line(fmt::format("cluster: {}", cluster_name(wiring)), "a name for people");
  yaml.blank();
  write_discovered_nodes(wiring, nodes, numbers_of(wiring, kept), yaml);
  yaml.blank();
  begin_fabric(yaml,
               kept.segments.empty() ? "No address or route of any of these nodes uses them."
                                     : "Rails that are in some of them already stay there.",
               has_switch);
  for (const bool cables : {true, false}) {
    if (auto written = write_segments(wiring, cables, kept, taken, yaml); !written) {
      return std::unexpected(written.error());
    }
  }
  end_fabric(yaml);
  return yaml.text();
}

namespace {

constexpr unsigned kTrustedMode = 0644;  // public halves
/// What one of them says would be the other's word too.
std::string where_copied() {
  return fmt::format(
      "Where a disk was copied, make another on one of the two: sudo mv {0} {0}.copied",
      protocol::kNodeKeyFile);
}

Result<std::string> extended(host::Files& files, const std::vector<TrustedKey>& keys,
                             std::string& present) {
  const auto own = signing::NodeKey::load_or_make(files);
  if (!own) return std::unexpected(own.error());
  const auto copy = std::ranges::find(keys, own->public_half(), &TrustedKey::key);
  if (copy != keys.end()) {
    return fail(ErrorCode::kBusy,
                fmt::format("{} has the key of this node. {}", copy->node, where_copied()));
  }
  const auto text = files.read(protocol::kTrustedFile);
  if (!text) return std::unexpected(text.error());
  present = text->value_or("");
  return with_keys(present, keys);
}

}  // namespace

Result<std::string> with_keys(const std::string& text, const std::vector<TrustedKey>& keys) {
  const auto present = all_nodes::trusted_in(text);
  if (!present) return std::unexpected(present.error());
  auto whole = text;
  if (!whole.empty() && !whole.ends_with('\n')) whole += '\n';
  for (const auto& [node, key] : keys) {
    const auto known = present->find(node);
    const auto same = std::ranges::find_if(
        *present, [&](const auto& one) { return one.second == key && one.first != node; });
    if (same != present->end()) {
      return fail(ErrorCode::kBusy,
                  fmt::format("{0} has the key of {1} in '{2}'. Where {1} has that name now: sudo "
                              "spark-reconcile join --forget {1}. {3}",
                              node, same->first, protocol::kTrustedFile, where_copied()));
    }
    if (known == present->end()) {
      whole += fmt::format("{} ed25519 {}\n", node, key);
    } else if (known->second != key) {
      return fail(ErrorCode::kBusy,
                  fmt::format("'{0}' has another key of {1}, and none is replaced. Where {1} was "
                              "installed again, drop that one and run this again: sudo "
                              "spark-reconcile join --forget {1}",
                              protocol::kTrustedFile, node));
    }
  }
  return whole;
}

Result<> check_trusted(host::Files& files, const std::vector<TrustedKey>& keys) {
  std::string present;
  const auto text = extended(files, keys, present);
  return text ? Result<>{} : std::unexpected(text.error());
}

Result<> place_trusted(host::Files& files, const std::vector<TrustedKey>& keys) {
  std::string present;
  const auto text = extended(files, keys, present);
  if (!text) return std::unexpected(text.error());
  return *text == present ? Result<>{}
                          : files.write_durably(protocol::kTrustedFile, *text, kTrustedMode);
}

Result<> forget_trusted(host::Files& files, const std::string& node) {
  const auto text = files.read(protocol::kTrustedFile);
  if (!text) return std::unexpected(text.error());
  std::string kept;
  std::vector<std::string> others;
  bool is_there = false;
  const auto whole = text->value_or("");
  for (const auto line : lines_of(whole)) {
    const auto words = fold_blanks(line);
    const auto name = words.substr(0, words.find(' '));
    if (name == node) {
      is_there = true;
      continue;
    }
    kept.append(line).append("\n");
    if (!name.empty() && !name.starts_with('#')) others.push_back(printable(name));
  }
  if (!is_there) {
    return fail(ErrorCode::kNotFound,
                fmt::format("'{}' has no key of {}: {}", protocol::kTrustedFile, in_quotes(node),
                            others.empty() ? "it has none" : "it has those of " + listed(others)));
  }
  return files.write_durably(protocol::kTrustedFile, kept, kTrustedMode);
}

namespace {

Result<Placed> find_no_other(host::Files& files, const std::string& text) {
  auto placed = find_placed(files, text);
  if (!placed || *placed != Placed::kDifferent) return placed;
  return fail(
      ErrorCode::kBusy,
      fmt::format("'{0}' is there already and says something else than what is offered, and "
                  "no file is replaced: move it away (sudo mv {0} {0}.before) and run this "
                  "again. Where every node has a file, `join` on all exchanges keys alone",
                  protocol::kDefaultFile));
}

}  // namespace

Result<Placed> find_placed(host::Files& files, const std::string& text) {
  const auto present = files.read(protocol::kDefaultFile);
  if (!present) return std::unexpected(present.error());
  if (!*present) return Placed::kAbsent;
  return **present == text ? Placed::kSame : Placed::kDifferent;
}

Result<> check_no_other_file(host::Files& files, const std::string& text) {
  const auto placed = find_no_other(files, text);
  return placed ? Result<>{} : std::unexpected(placed.error());
}

Result<Placed> place_file(host::Files& files, const std::string& text) {
  const auto placed = find_no_other(files, text);
  if (!placed) return placed;
  constexpr unsigned kMode = 0644;  // `plan` needs no root
  if (*placed == Placed::kAbsent) {
    if (auto written = files.write_durably(protocol::kDefaultFile, text, kMode); !written) {
      return std::unexpected(written.error());
    }
  }
  return placed;
}

}  // namespace spark::cli
