#pragma once
// The store of spark-git-fetch: the bare repository that it fetches into, as files.

#include <filesystem>
#include <set>
#include <string>

#include "base/result.hpp"

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

}  // namespace spark::helpers
