#pragma once
// Why the environment of a node is not rendered, and what a rendered one cannot promise.

#include <optional>
#include <vector>

#include "host/view.hpp"
#include "kinds/common/kind.hpp"

namespace spark {

/// Why nothing is rendered: a file that names half of the rails, or none, would make jobs run at
/// half the speed or over TCP. Empty: it is rendered.
std::optional<Skipped> why_not_rendered(View& view, const Node& node);

/// What the rendered file leaves open, or what on this machine defeats it. Only for a `node` that
/// can be rendered.
std::vector<Skipped> shortfalls_of(View& view, const Node& node);

}  // namespace spark
