#include "cli/doctor/checks.hpp"
#include "host/process/helper_program.hpp"

namespace spark::cli {

Findings check_helpers(const Command& /*command*/) {
  Findings findings;
  for (const auto helper :
       {host::Helper::kBusCall, host::Helper::kVerbsProbe, host::Helper::kStorage}) {
    if (const auto starts = host::check_helper(helper); !starts) {
      findings.push_back({"helper", Severity::kPrevents, starts.error().what,
                          "until then apply refuses what needs it: SR-HELPER-001 in "
                          "docs/reference/errors.md"});
    }
  }
  if (findings.empty()) {
    findings.push_back({"helpers", Severity::kGood, "all three start", ""});
  }
  return findings;
}

}  // namespace spark::cli
