#pragma once
// manual_of: the manual of a verb.

#include "cli/input/manual.hpp"
#include "cli/input/verb.hpp"

namespace spark::cli {

VerbManual manual_of(Verb verb);

/// The cluster file, which nearly every verb reads.
UsedFile cluster_file_used();

}  // namespace spark::cli
