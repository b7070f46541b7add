#pragma once
// PlanFile: a plan saved by `plan --out`, to be applied as it was shown or not at all.

#include <string>

#include "base/fields.hpp"
#include "base/result.hpp"
#include "plan/plan.hpp"

namespace spark::cli {

struct PlanFile {
  std::string node;
  std::string file;         ///< what the cluster file was called
  std::string text;         ///< all of the cluster file
  std::string fingerprint;  ///< of the plan, see fingerprint()
};

template <EitherConst<PlanFile> T, class Visit>
void each_field(T& file, Visit visit) {
  visit("node", file.node);
  visit("file", file.file);
  visit("text", file.text);
  visit("fingerprint", file.fingerprint);
}

inline constexpr const char* kPlanFileSchema = "spark-reconcile/plan-file/v1";

/// What the file of a saved plan holds.
std::string plan_file_text(const PlanFile& saved);

/// Writes a text of `plan_file_text`. Errors: those of open(2) and write(2); kInvalid for a link to
/// a file, which is neither followed nor replaced. An existing file is replaced in one rename, a
/// device or a pipe written into.
Result<> write_plan_file(const std::string& path, const std::string& text);

/// Errors: kInvalid when it is no saved plan, or others than root and the one who asks could have
/// written it.
Result<PlanFile> read_plan_file(const std::string& path);

}  // namespace spark::cli
