#pragma once
// name_each_cause_once: what is wrong in the cluster, beside what is wrong with this node.

#include "cli/doctor/examination.hpp"
#include "cli/told_here.hpp"

namespace spark::cli {

/// A cause in the cluster that a row of this node says too is left out. One that a row says in
/// words of its own follows from that row, and so does the silence of who is behind a cable without
/// a carrier. A closed gate follows from the cause at another node, where that is why.
void name_each_cause_once(const ToldHere& told, Examination& examination);

}  // namespace spark::cli
