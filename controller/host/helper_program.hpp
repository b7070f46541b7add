#pragma once
// The programs of this project that do what must not happen in its own process: beside it, or in
// ../libexec/spark-reconcile from there.

#include <string>

#include "base/result.hpp"

namespace spark {

/// The path of this program. Errors: kNotFound, where it was deleted or replaced since it began.
Result<std::string> own_program();

/// The path of the one named `name`. Errors: kNotFound, saying where it was looked for.
Result<std::string> find_helper_program(const std::string& name);

}  // namespace spark
