#pragma once
// The keys of other nodes that this one trusts: lines "NAME ed25519 BASE64" of kTrustedFile.

#include <string>
#include <vector>

#include "base/result.hpp"
#include "host/files.hpp"

namespace spark::cli {

struct TrustedKey {
  std::string node;
  std::string key;  ///< the public half, base64
  bool operator==(const TrustedKey&) const = default;
};

/// The text with these keys too; all else in it stays. Errors: kBusy: another key stands there for
/// one of the nodes, which is never replaced.
Result<std::string> with_keys(const std::string& text, const std::vector<TrustedKey>& keys);

/// They could be put there. Errors: as with_keys(); those of the files port.
Result<> check_trusted(host::Files& files, const std::vector<TrustedKey>& keys);
/// Durably.
Result<> place_trusted(host::Files& files, const std::vector<TrustedKey>& keys);

}  // namespace spark::cli
