#pragma once
// table_difference: what two looks at the kernel's tables do not agree on, in words.

#include <set>
#include <string>
#include <vector>

#include "host/view.hpp"

namespace spark {

/// Links (state, MTU, link-local mode), addresses and routes that one view has and the other lacks:
/// "address enp1s0f0np0 192.168.177.11/24 is gone". Only what concerns one of `links` by name;
/// counters, indexes and lifetimes do not count.
/// Tables that one of the views did not or could not read are left out.
std::vector<std::string> table_difference(View& before, View& after,
                                          const std::set<std::string>& links);

}  // namespace spark
