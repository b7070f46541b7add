#pragma once
// Commits, tags and trees, from the bytes of their objects. Pure.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helpers/git/fault.hpp"

namespace spark::helpers {

/// A text, and the signature over it.
struct Signed {
  std::string text;       ///< what was signed
  std::string signature;  ///< armoured; empty: there is none
};

struct Commit {
  std::string tree;
  std::vector<std::string> parents;
  std::int64_t time = 0;  ///< the committer's, seconds since 1970
  std::string subject;    ///< the first line of its message, printable, at most 72 characters
  Signed is_signed;
};

struct Tag {
  std::string commit;
  std::string name;  ///< inside the signed object
  Signed is_signed;
};

struct TreeEntry {
  std::string mode;  ///< "100644", "40000", …
  std::string id;
};

/// Errors: kNotWhatItsNameSays where git would not have made it so.
OrFault<Commit> parse_commit(std::string_view content, const std::string& id);
OrFault<Tag> parse_tag(std::string_view content, const std::string& id);
/// The entry of that name; empty: there is none.
OrFault<std::optional<TreeEntry>> find_entry(std::string_view tree, std::string_view name,
                                             const std::string& id);

}  // namespace spark::helpers
