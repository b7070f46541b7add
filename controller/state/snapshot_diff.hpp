#pragma once
// table_difference: the differences between two snapshots of the kernel's tables, in words.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "host/view.hpp"

namespace spark::state {

/// What the kernel's tables say of one link, in words: its state, MTU and link-local mode, its
/// addresses and routes: "address enp1s0f0np0 192.168.177.11/24 flags 0x80 ...". Counters, indexes
/// and lifetimes are not in it. Sorted.
struct LinkTables {
  int index = 0;  ///< of the link: another index is another device of the same name
  std::vector<std::string> lines;

  bool operator==(const LinkTables&) const = default;
};

/// By the link's name.
using Tables = std::map<std::string, LinkTables>;

/// The tables of those `links` that are there. Tables that cannot be read are left out.
Tables read_tables(host::View& view, const std::set<std::string>& links);

/// The lines that only one of the two has: "address enp1s0f0np0 192.168.177.11/24 ... is gone".
std::vector<std::string> table_difference(const Tables& before, const Tables& after);

/// The same for devices that are still there, with the lines that are gone and none that are new.
std::vector<std::string> gone_from_tables(const Tables& before, const Tables& after);

}  // namespace spark::state
