#pragma once
// drawing_html: cages, rails and cables of a node, as a picture.

#include <string>
#include <vector>

#include "node_state/node_state.hpp"

namespace spark::helpers {

/// One <figure> with an inline SVG for each cage; empty where no link is of a cage. Widths are per
/// cent, so that the text keeps its size on a phone.
std::string drawing_html(const std::vector<node_state::LinkRecord>& links);

/// What the signs at the cables mean.
std::string legend_html();

/// "up, carrier", "up, no carrier", "down", "absent": never by colour alone.
std::string carrier_text(const node_state::LinkRecord& link);

/// "200 Gb/s"; empty where the driver says none.
std::string speed_text(const node_state::LinkRecord& link);

}  // namespace spark::helpers
