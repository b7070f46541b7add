#pragma once
// examine: all checks of `doctor`.

#include <string_view>
#include <vector>

#include "cli/doctor/finding.hpp"

namespace spark::cli {

/// The findings of one section, in the order in which people read them.
struct SectionFindings {
  Section section{};
  Findings findings;
};

struct Examination {
  std::vector<SectionFindings> sections;
  /// A check has not answered, and still runs: the process must end without waiting for it.
  bool has_hung = false;
};

/// Of what only root can see nothing is claimed to others. Where -n names a peer: by what that node
/// told, its section "cluster" alone.
Examination examine(const Command& command);

/// The finding, of those that are not good, from which all that follows from it can be fixed; null:
/// this finding follows from none, and is one of these itself where it is not good.
const Finding* cause_of(const Finding& finding, const Examination& examination);

}  // namespace spark::cli
