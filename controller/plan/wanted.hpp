#pragma once
// wanted_resources: what the file asks of this node, resource by resource, as a plan compares it.

#include <string>
#include <string_view>
#include <vector>

#include "config/node.hpp"
#include "host/view.hpp"
#include "kinds/common/kind.hpp"

namespace spark::plan {

struct WantedResource {
  std::string_view kind;
  std::string key;
  std::string value;
  config::Where where;        ///< the line that asks for it
  bool compare_only = false;  ///< `owner: host`: a difference is reported and never corrected
};

/// In the order of the kinds, then of the keys. Reads only.
std::vector<WantedResource> wanted_resources(const config::Node& node, host::View& view,
                                             const kinds::Ledger& ledger);

/// The names of all kinds.
std::vector<std::string_view> kind_names();

}  // namespace spark::plan
