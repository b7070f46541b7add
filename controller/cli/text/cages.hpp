#pragma once
// The links of a node as every screen groups them: by cage, rail 0 first, then the others.

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/node.hpp"

namespace spark::cli {

struct LinkGroup {
  std::optional<int> cage;         ///< empty: links that are in no cage
  std::vector<std::string> links;  ///< of a cage: in the order of the rails
};

/// What is at the other end of a cage.
struct CageEnd {
  const config::Peer* first = nullptr;  ///< null: the file names nothing for it
  std::size_t peers = 0;                ///< more than one on a switch
};

CageEnd end_of(const config::Node& node, int cage);

/// All links of the file, and those of `more` that it does not name.
std::vector<LinkGroup> grouped_links(const config::Node& node,
                                     const std::set<std::string>& more = {});

/// "cage 0 ══ spark2 cage 0", "cage 0 ══ nas, no node", "cage 1 ══ switch sw, 2 peers",
/// "cage 1, unused", "other links".
std::string title_of(const LinkGroup& group, const config::Node& node);

/// "rail 0", or nothing for a link that is no rail.
std::string rail_name(const config::Node& node, const std::string& link);

/// "  rail 0  enp1s0f0np0  ", the name in `name_width` columns. What follows is behind it, or, on a
/// terminal of few columns, below.
std::string link_head(const config::Node& node, const std::string& link, std::size_t name_width,
                      std::size_t width);

/// "both rails of cage 0", "rail 1 of cage 0", "enP7s7".
std::string links_text(const std::set<std::string>& links, const config::Node& node);

/// Where the file asks for the links of the group; line 0: at several places, or nowhere.
config::Where place_of(const LinkGroup& group, const config::Node& node);

}  // namespace spark::cli
