#pragma once
// GitId: why nothing new is taken from a git repository. Each has a number that never changes its
// meaning, and an entry for the reference and for `status`.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/id_text.hpp"
#include "protocol/source.hpp"

namespace spark::protocol {

/// The NNN of SR-GIT-NNN. Below 20: fetching. From 21: judging.
enum class GitId : std::uint16_t {
  kUnreachable = 1,
  kTooSlow = 2,
  kHostKey = 3,
  kCertificate = 4,
  kRedirect = 5,
  kTooLarge = 6,
  kCorrupt = 7,
  kNoBranch = 8,
  kNoAccess = 9,
  kTooManyTags = 10,
  kSettings = 11,

  kNotWhatItsNameSays = 21,
  kRewound = 22,
  kForked = 23,
  kUnsigned = 24,
  kUnknownSigner = 25,
  kSignerOutOfTime = 26,
  kRevoked = 27,
  kNotSsh = 28,
  kBadSignature = 29,
  kBackdated = 30,
  kFromTheFuture = 31,
  kNoFile = 32,
  kNotAFile = 33,
  kFileTooLarge = 34,
  kNoTag = 35,
  kTagNamedOtherwise = 36,
  kTagMoved = 37,
  kSignersUnusable = 38,
  kNoLongerSigned = 39,
  kLineTooLong = 40,
  kSignersLine = 41,
};

/// protocol/git_ids.txt, which is in the program as a string (CMakeLists.txt).
std::string_view git_ids_text();

/// All of them, in order of their numbers.
const std::vector<IdText>& git_ids();

/// What "SR-GIT-022" means; null: there is no such id.
const IdText* git_id(std::string_view text);

/// "SR-GIT-022".
std::string text_of(GitId id);

/// What is not taken and why, with its id; behind `before_fix` the way out. Printable.
std::string fault_text(const SourceFault& fault, std::string_view before_fix);

}  // namespace spark::protocol
