#pragma once
// Examination: what all checks of `doctor` found, section by section.

#include <vector>

#include "cli/doctor/finding.hpp"
#include "diagnosis/wiring.hpp"

namespace spark::cli {

/// The findings of one section, in the order in which people read them.
struct SectionFindings {
  Section section{};
  Findings findings;
};

struct Examination {
  std::vector<SectionFindings> sections;
  std::vector<diagnosis::Problem> around;  ///< what is wrong with all nodes, as `status` has it
  diagnosis::Wiring wiring;                ///< empty: only this node is known
  /// A check has not answered, and still runs: the process must end without waiting for it.
  bool has_hung = false;
};

/// The findings of that section, which is made where it is not there.
Findings& findings_in(Section section, Examination& examination);

}  // namespace spark::cli
