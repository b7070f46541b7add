#pragma once
// Bundle: what helps somebody else to judge this machine, in one file: documents that this program
// prints, and nothing else.

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/result.hpp"

namespace spark::cli {

/// Names that stand in texts, and that no form gives away.
struct NamesHere {
  std::vector<std::string> hosts;
  std::vector<std::string> devices;
  std::vector<std::string> users;
  std::vector<std::string> others;  ///< of clusters and targets; NQNs
};

/// What becomes of names, addresses and ids.
enum class BundleNames : std::uint8_t { kReplaced, kKept };

struct Bundle {
  std::string text;     ///< JSON
  std::string listing;  ///< what is in it, how long each document is, what was replaced
};

/// `documents`: by name, as the verbs print them; what has no row in bundle_fields.cpp is left out.
/// Each bundle has a salt of its own, which is written nowhere. Errors: kInvalid where an original
/// would be left in the text.
Result<Bundle> make_bundle(const nlohmann::json& documents, const NamesHere& names,
                           BundleNames what);

}  // namespace spark::cli
