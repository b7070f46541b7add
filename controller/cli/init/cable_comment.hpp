#pragma once
// write_cable_comment: the cables that can take the place of the `links` of rails, once somebody
// knows their other ends.

#include <string>
#include <vector>

#include "cli/init/host_rails.hpp"
#include "cli/init/rails_here.hpp"
#include "cli/init/yaml_text.hpp"

namespace spark::cli {

/// Nothing, where no cage has rails with one lasting address each.
void write_cable_comment(const std::string& node, const HostRails& rails,
                         const std::vector<Neighbour>& neighbours, YamlText& yaml);

}  // namespace spark::cli
