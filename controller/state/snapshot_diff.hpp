#pragma once
// table_difference: what two looks at the kernel's tables do not agree on, in words.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "host/view.hpp"

namespace spark {

/// What the kernel's tables say of one link, in words: its state, MTU and link-local mode, its
/// addresses and routes: "address enp1s0f0np0 192.168.177.11/24 flags 0x80 ...". Counters, indexes
/// and lifetimes are not in it. Sorted.
struct LinkTables {
  int index = 0;  ///< of the link: another one of that name is another device
  std::vector<std::string> lines;

  bool operator==(const LinkTables&) const = default;
};

/// By the link's name.
using Tables = std::map<std::string, LinkTables>;

/// Of those of `links` that are there. Tables that cannot be read are left out.
Tables read_tables(View& view, const std::set<std::string>& links);

/// Those of one look that the other lacks: "address enp1s0f0np0 192.168.177.11/24 ... is gone".
std::vector<std::string> table_difference(const Tables& before, const Tables& after);

/// Likewise, of devices that are still there: those that are gone, and none that are new.
std::vector<std::string> gone_from_tables(const Tables& before, const Tables& after);

}  // namespace spark
