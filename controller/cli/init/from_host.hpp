#pragma once
// host_text: the cluster file of what this machine runs.

#include <string>

#include "base/result.hpp"
#include "host/files.hpp"
#include "host/view.hpp"

namespace spark::cli {

/// One node, this machine, with every value that the kernel has on its rails, its sysctls and its
/// limit of locked memory, and a comment that says who set each. Always valid: what the language
/// refuses is compared only (`owner: host`), or stands in a comment with the reason. Errors:
/// kNotFound when there is no rail; those of the view.
Result<std::string> host_text(host::View& view, host::Files& files);

}  // namespace spark::cli
