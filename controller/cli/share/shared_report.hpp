#pragma once
// SharedReport: what a machine tells others to read, without what tells whose machine it is: its
// facts, or the documents that help somebody else to judge it (a bundle).

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.hpp"

namespace spark::cli {

struct SharedReport {
  std::string text;     ///< JSON; of facts, what `plan --facts` reads
  std::string listing;  ///< what is in it, and what was replaced, with examples of `text`
};

/// `facts`: what the verb prints, with the text of the cluster file as "cluster_file" where there
/// is one; `names`: the nodes of that file. Each report has a salt of its own, so two reports of
/// one machine cannot be told to be of one. Errors: kUnsupported for a field that nobody has
/// classed (fact_fields.hpp); kInvalid where an original would be left in the text.
Result<SharedReport> make_shared_report(const nlohmann::json& facts,
                                        const std::vector<std::string>& names);

/// Names that stand in texts, and that no form gives away.
struct NamesHere {
  std::vector<std::string> hosts;
  std::vector<std::string> devices;
  std::vector<std::string> users;
  std::vector<std::string> others;  ///< of clusters and targets; NQNs
};

/// What becomes of names, addresses and ids.
enum class BundleNames : std::uint8_t { kReplaced, kKept };

/// `documents`: by name, as the verbs print them; what has no row in bundle_fields.cpp is left out.
/// Each bundle has a salt of its own, which is written nowhere. Errors: kInvalid where an original
/// would be left in the text.
Result<SharedReport> make_bundle(const nlohmann::json& documents, const NamesHere& names,
                                 BundleNames what);

}  // namespace spark::cli
