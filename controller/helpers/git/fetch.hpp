#pragma once
// fetch: brings a bare repository of our own up to date with the followed one, within bounds of
// time, memory and disk, and says what it has.

#include <string>

#include "config/source.hpp"
#include "helpers/git/fault.hpp"
#include "protocol/source.hpp"

namespace spark::helpers {

struct FetchPlace {
  std::string own;      ///< `repository` is below it
  std::string scratch;  ///< what is forgotten: git's settings, the server's keys, our key
  std::string key;      ///< ssh: the text of the deploy key; empty: none
  std::string program;  ///< this program, which git starts in place of ssh
};

/// The variable that makes this program run as ssh, and what it holds: the scratch directory.
inline constexpr const char* kAsSsh = "SPARK_GIT_SSH";

/// Which keys the server of an ssh:// URL shows, instead of a fetch. Never fails, as `fetch`.
protocol::Offer offer_host_keys(const config::SourceSpec& settings);

/// Never fails: what went wrong is in the offer, with the head of `former`. Where that has a fault
/// and the server still shows the same references, nothing is fetched for a time that doubles, up
/// to an hour. `asked`: when somebody asked by hand last, which ends that time.
protocol::Offer fetch(const config::SourceSpec& settings, const FetchPlace& place,
                      const protocol::Offer& former, WallTime asked);

}  // namespace spark::helpers
