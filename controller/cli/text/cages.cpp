#include "cli/text/cages.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include "base/columns.hpp"
#include "cli/terminal.hpp"
#include "cli/text/layout.hpp"

namespace spark::cli {
namespace {

const config::WantedLink* wanted_in(const config::Node& node, const std::string& link) {
  const auto found = node.links.find(link);
  return found == node.links.end() ? nullptr : &found->second;
}

std::optional<config::Rail> rail_in(const config::Node& node, const std::string& link) {
  const auto* wanted = wanted_in(node, link);
  return wanted == nullptr ? std::nullopt : wanted->rail;
}

}  // namespace

CageEnd end_of(const config::Node& node, int cage) {
  CageEnd end;
  for (const auto& peer : node.peers) {
    const auto ours = rail_in(node, peer.link);
    if (ours && ours->cage == cage && peer.rail == ours->rail) {
      end.first = end.first == nullptr ? &peer : end.first;
      end.peers += peer.rail == end.first->rail ? 1 : 0;
    }
  }
  return end;
}

std::vector<LinkGroup> grouped_links(const config::Node& node, const std::set<std::string>& more) {
  std::map<int, std::map<int, std::string>> cages;
  std::set<std::string> others;
  for (const auto& [name, link] : node.links) {
    if (link.rail) {
      cages[link.rail->cage][link.rail->rail] = name;
    } else {
      others.insert(name);
    }
  }
  std::ranges::copy_if(more, std::inserter(others, others.end()),
                       [&](const std::string& link) { return !node.links.contains(link); });
  std::vector<LinkGroup> groups;
  for (const auto& [cage, rails] : cages) {
    auto& group = groups.emplace_back(LinkGroup{.cage = cage});
    for (const auto& [rail, link] : rails) group.links.push_back(link);
  }
  if (!others.empty()) {
    groups.push_back({.links = {others.begin(), others.end()}});
  }
  return groups;
}

std::string title_of(const LinkGroup& group, const config::Node& node) {
  if (!group.cage) return "other links";
  if (const auto [first, peers] = end_of(node, *group.cage); first != nullptr) {
    if (first->segment.empty() && first->external) {
      return fmt::format("cage {} ══ {}, no node", *group.cage, first->node);
    }
    return first->segment.empty()
               ? fmt::format("cage {} ══ {} cage {}", *group.cage, first->node, first->cage)
               : fmt::format("cage {} ══ switch {}, {}", *group.cage, first->segment,
                             counted(peers, "peer"));
  }
  const bool is_unused = std::ranges::any_of(group.links, [&](const std::string& link) {
    const auto* wanted = wanted_in(node, link);
    return wanted != nullptr && wanted->role == config::LinkRole::kUnused;
  });
  return fmt::format("cage {}{}", *group.cage, is_unused ? ", unused" : "");
}

std::string rail_name(const config::Node& node, const std::string& link) {
  const auto rail = rail_in(node, link);
  return rail ? fmt::format("rail {}", rail->rail) : std::string();
}

std::string link_head(const config::Node& node, const std::string& link, std::size_t name_width,
                      std::size_t width) {
  constexpr std::size_t kWide = 76;
  const auto rail = rail_name(node, link);
  const auto head = fmt::format("  {}{}", rail, rail.empty() ? "" : "  ");
  return width < kWide ? fmt::format("{}{}\n    ", head, printable(link))
                       : fmt::format("{}{}  ", head, padded(printable(link), name_width));
}

std::string links_text(const std::set<std::string>& links, const config::Node& node) {
  std::vector<std::string> whole;
  std::vector<std::string> names;
  std::map<int, std::vector<int>> rails;
  for (const auto& link : links) {
    if (const auto rail = rail_in(node, link)) {
      rails[rail->cage].push_back(rail->rail);
    } else {
      names.push_back(printable(link));
    }
  }
  for (const auto& [cage, numbers] : rails) {
    if (numbers.size() > 1) {
      whole.push_back(std::to_string(cage));
    } else {
      names.insert(names.begin(), fmt::format("rail {} of cage {}", numbers.front(), cage));
    }
  }
  if (!whole.empty()) {
    names.insert(names.begin(), fmt::format("both rails of cage{} {}", whole.size() == 1 ? "" : "s",
                                            listed(whole)));
  }
  return listed(names);
}

config::Where place_of(const LinkGroup& group, const config::Node& node) {
  std::optional<config::Where> place;
  for (const auto& link : group.links) {
    const auto* wanted = wanted_in(node, link);
    if (wanted == nullptr || (place && place->line != wanted->where.line)) return {};
    place = wanted->where;
  }
  return place.value_or(config::Where{});
}

}  // namespace spark::cli
