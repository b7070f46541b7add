#include "helpers/git/fetch_retry.hpp"

#include <algorithm>
#include <utility>

namespace spark::helpers {
namespace {

constexpr std::chrono::milliseconds kLongestWait = std::chrono::hours(1);

}  // namespace

bool is_put_off(const std::optional<protocol::FetchRetry>& retry, const std::string& references,
                WallTime asked, WallTime now) {
  if (!retry || retry->references != references || asked > retry->at) return false;
  // A clock that was set back puts nothing off.
  return now >= retry->at && now - retry->at < retry->wait;
}

protocol::FetchRetry retry_after(const std::optional<protocol::FetchRetry>& former,
                                 std::string references, std::chrono::milliseconds every,
                                 WallTime now) {
  const bool is_same = former && former->references == references;
  const auto wait = is_same ? 2 * std::min(former->wait, kLongestWait) : every;
  return {.references = std::move(references), .at = now, .wait = std::min(wait, kLongestWait)};
}

}  // namespace spark::helpers
