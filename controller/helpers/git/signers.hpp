#pragma once
// Signers: whose SSH signatures count, now. Judged by ssh-keygen(1) at today's date: git itself
// judges at the date that is written in the commit, which its author chooses.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "config/source.hpp"
#include "helpers/git/fault.hpp"
#include "helpers/git/objects.hpp"

namespace spark::helpers {

// fault_of_line: what is wrong with a line of a signers' file.

/// Why a line of a signers' file (ssh-keygen(1), ALLOWED SIGNERS) counts for no commit, whatever
/// the day is; empty: nothing is known against it.
std::string fault_of_line(std::string_view line);

/// A signature that counts.
struct GoodSignature {
  std::string principal;  ///< as the signers' file has it; printable
  std::string key;        ///< "SHA256:…"
};

class Signers {
 public:
  /// Reads the files of `settings`, which only root may have written. `scratch`: a directory of the
  /// caller's own. Errors: kSignersUnusable. Must not be called where verify is none.
  static OrFault<Signers> read(const config::SourceSpec& settings, const std::string& scratch);

  /// Judges a signature. `what`: what is signed, for the message: "commit 1a2b…". `at`: seconds
  /// since 1970; none: now.
  [[nodiscard]] OrFault<GoodSignature> check(const Signed& is_signed, std::string_view what,
                                             std::optional<std::int64_t> at = {}) const;

 private:
  Signers(std::string signers, bool has_revoked, std::string scratch)
      : signers_(std::move(signers)), has_revoked_(has_revoked), scratch_(std::move(scratch)) {}

  std::string signers_;  ///< the text
  bool has_revoked_;
  std::string scratch_;  ///< ssh-keygen reads copies there: exactly what was read here
};

}  // namespace spark::helpers
