#pragma once
// Examination: what all checks of `doctor` found, section by section.

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

}  // namespace spark::cli
