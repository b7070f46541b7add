#pragma once
// The store of spark-git-fetch: the bare repository that it fetches into, as files.

#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "base/result.hpp"
#include "config/source.hpp"

namespace spark::helpers {

struct StoreContents {
  std::uintmax_t bytes = 0;
  std::set<std::filesystem::path> packs;
};

/// Removes what a git that was killed leaves: half a pack, its mark that it is in use, and locks
/// that would stop every other git. Returns what is there then.
StoreContents tidy_store(const std::string& store);

/// Removes all other packs: what came with a fault would be taken for what is there already.
void keep_packs(const std::string& store, const std::set<std::filesystem::path>& known);

/// When a pack came or went last; zero: there are none.
std::filesystem::file_time_type packs_time(const std::string& store);

/// Of which URL it is; empty: it was never finished, is to be fetched again, or there is none.
std::string url_of_store(const std::string& store);
/// Errors: kSystem.
Result<> note_url_of_store(const std::string& store, const std::string& url);

/// Puts `fresh`, of the same directory, in place of `store` in one step, so that who reads finds
/// the one or the other; the former one is `fresh` then. Errors: kSystem; `store` is as before.
Result<> replace_store(const std::string& store, const std::string& fresh);

/// A file or a directory with all that is in it. What cannot be removed is tried by the next run.
void discard(const std::filesystem::path& path);

// git_config: what git is told for a fetch, so that nothing but what was asked for carries it.

/// The text of a git-config(1) file: children of git read it too, which do not see `-c`.
std::string git_config(const config::SourceSpec& settings);

// read_refs: the refs of a bare repository of our own, from its files: a git for that would be a
// third of what an unchanged fetch costs.

/// Name and object of each ref below `folder`, as "refs/offer/"; no more than `most`, and one that
/// shows that there are more. What is no ref with an object's name is left out.
std::map<std::string, std::string> read_refs(const std::string& repository,
                                             const std::string& folder, std::size_t most);

}  // namespace spark::helpers
