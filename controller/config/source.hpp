#pragma once
// SourceSpec: the `source:` section of agent.yaml: the git repository that this machine follows,
// and whom it trusts there. Local and root's: a cluster's file never says whom to trust.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/yaml/place.hpp"

namespace spark::config {

/// Which signature a commit needs before its file is taken.
enum class Verify : std::uint8_t {
  kHead,   ///< the commit whose file is taken is signed
  kRange,  ///< so is every commit of the first-parent line since the accepted one
  kTag,    ///< an annotated tag is signed, at the branch's head or below it
  kNone,   ///< none
};

struct SourceSpec {
  At<std::string> url;  ///< https://, ssh:// or file://, without a password
  At<std::string> branch{"main", {}};
  At<std::string> path{"cluster.yaml", {}};  ///< in the repository
  At<Verify> verify{Verify::kHead, {}};
  std::optional<At<std::string>> signers;  ///< file in the form of ssh-keygen(1), ALLOWED SIGNERS
  std::optional<At<std::string>> revoked;  ///< file of ssh-keygen(1), KEY REVOCATION LISTS
  At<std::string> tag{"*", {}};            ///< verify: tag: name, or its beginning and '*'
  /// The commit, in 40 hexadecimal digits, at which this machine began to follow, or that somebody
  /// accepted by hand since: what is taken descends from it. Empty: any is the first.
  std::optional<At<std::string>> from;
  std::vector<At<std::string>> host_keys;  ///< ssh: "ssh-ed25519 AAAA…", any of them
  std::optional<At<std::string>> ca;       ///< https: file of certificates; else the system's
  std::optional<At<std::string>> proxy;    ///< https: base URL of a proxy; else none
  At<std::chrono::milliseconds> every{std::chrono::seconds{60}, {}};
  /// So long after an apply nothing that held before may fail until the file counts as good.
  At<std::chrono::milliseconds> settle{std::chrono::minutes{2}, {}};
};

}  // namespace spark::config
