#pragma once
// FileCommit: the commit of the followed repository that a file came from, as it was when the file
// was applied.

#include <cstdint>
#include <string>

#include "base/fields.hpp"

namespace spark::state {

struct FileCommit {
  std::string id;         ///< 40 hexadecimal digits
  std::string subject;    ///< of its message; printable
  std::string principal;  ///< who signed it, by the signers' file; empty: `verify: none`
  std::string tag;        ///< `verify: tag`; else empty
  std::int64_t time = 0;  ///< the committer's, seconds since 1970
  bool operator==(const FileCommit&) const = default;
};

template <EitherConst<FileCommit> T, class Visit>
void each_field(T& commit, Visit visit) {
  visit("id", commit.id);
  visit("subject", commit.subject);
  visit("principal", unless_empty(commit.principal));
  visit("tag", unless_empty(commit.tag));
  visit("time", commit.time);
}

}  // namespace spark::state
