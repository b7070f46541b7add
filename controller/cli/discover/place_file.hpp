#pragma once
// The cluster file of this machine, where it may have none yet.

#include <cstdint>
#include <string>

#include "base/result.hpp"
#include "host/files.hpp"

namespace spark::cli {

enum class Placed : std::uint8_t {
  kAbsent,     ///< nothing is there
  kSame,       ///< the same text is there
  kDifferent,  ///< another text is there
};

/// What is at kDefaultFile. Errors: it cannot be read.
Result<Placed> find_placed(host::Files& files, const std::string& text);

/// Errors: kBusy: another text is there, and how to move it away; it cannot be read.
Result<> check_no_other_file(host::Files& files, const std::string& text);

/// Puts the text there, durably. A file that is there is never replaced. Errors: as above; it
/// cannot be written.
Result<Placed> place_file(host::Files& files, const std::string& text);

}  // namespace spark::cli
