#pragma once
// causes_of: which finding of an examination goes with which other one.

#include <map>

#include "cli/doctor/examination.hpp"

namespace spark::cli {

/// Of a finding that goes once another one is fixed, that other one. Those that it leaves out stand
/// alone.
using Causes = std::map<const Finding*, const Finding*>;

/// By diagnose() over all problems of the examination. A finding with several problems goes with
/// another one only where all of them do. The pointers are into `examination`.
Causes causes_of(const Examination& examination);

/// A finding has this problem.
bool has_row(const diagnosis::Problem& problem, const Examination& examination);

}  // namespace spark::cli
