#pragma once
// Why the environment of a node is not rendered, and what a rendered one cannot promise.

#include <optional>
#include <vector>

#include "host/view.hpp"
#include "kinds/common/kind.hpp"
#include "kinds/environment/job_versions.hpp"

namespace spark::kinds {

/// Why nothing is rendered: a file that names half of the rails, or none, would make jobs run at
/// half the speed or over TCP. Empty: it is rendered.
std::optional<Skipped> why_not_rendered(host::View& view, const config::Node& node);

/// What the rendered file leaves open, or what on this machine or in the job's versions defeats it.
/// Only for a `node` that can be rendered.
std::vector<Skipped> shortfalls_of(host::View& view, const config::Node& node,
                                   const JobVersions& versions = {});

}  // namespace spark::kinds
