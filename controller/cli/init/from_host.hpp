#pragma once
// host_text: the cluster file of what this machine runs.

#include <string>

#include "base/result.hpp"
#include "host/view.hpp"

namespace spark::cli {

/// One node, this machine, with every value that the kernel has on its rails and a comment that
/// says who set it. Always valid: what the language refuses is compared only (`owner: host`), or
/// stands in a comment with the reason. Errors: kNotFound when there is no rail; those of the view.
Result<std::string> host_text(host::View& view);

}  // namespace spark::cli
