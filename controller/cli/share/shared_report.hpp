#pragma once
// SharedReport: the facts of a machine for others to read, without what tells whose machine it is.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.hpp"

namespace spark::cli {

struct SharedReport {
  std::string text;     ///< JSON that `plan --facts` reads
  std::string listing;  ///< what was replaced, by its sort, with examples as they stand in `text`
};

/// `facts`: what the verb prints, with the text of the cluster file as "cluster_file" where there
/// is one; `names`: the nodes of that file. Each report has a salt of its own, so two reports of
/// one machine cannot be told to be of one. Errors: kUnsupported for a field that nobody has
/// classed (fact_fields.hpp); kInvalid where an original would be left in the text.
Result<SharedReport> make_shared_report(const nlohmann::json& facts,
                                        const std::vector<std::string>& names);

}  // namespace spark::cli
