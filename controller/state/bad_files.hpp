#pragma once
// BadFiles: files from git that failed on this node, by their digests: also where another commit or
// another repository offers one again.

#include <string>
#include <vector>

#include "base/fields.hpp"
#include "base/moment.hpp"
#include "base/result.hpp"
#include "host/files.hpp"

namespace spark::state {

struct BadFile {
  std::string digest;  ///< SHA-256
  std::string why;
  std::string at;  ///< UTC
  bool operator==(const BadFile&) const = default;
};

template <EitherConst<BadFile> T, class Visit>
void each_field(T& bad, Visit visit) {
  visit("digest", bad.digest);
  visit("why", bad.why);
  visit("at", bad.at);
}

/// At most the last hundred, the oldest first. What is damaged is as good as nothing: a bad file is
/// then tried once more.
std::vector<BadFile> read_bad_files(host::Files& files);

/// Adds a file. Errors: those of the files port.
Result<> add_bad_file(host::Files& files, BadFile bad);

/// Forgets all: each may be tried again. Errors: those of the files port.
Result<> forget_bad_files(host::Files& files);

}  // namespace spark::state
