#pragma once
// read_refs: the refs of a bare repository of our own, from its files: a git for that would be a
// third of what an unchanged fetch costs.

#include <cstddef>
#include <map>
#include <string>

namespace spark::helpers {

/// Name and object of each ref below `folder`, as "refs/offer/"; no more than `most`, and one that
/// shows that there are more. What is no ref with an object's name is left out.
std::map<std::string, std::string> read_refs(const std::string& repository,
                                             const std::string& folder, std::size_t most);

}  // namespace spark::helpers
