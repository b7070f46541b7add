#include "helpers/git/fault.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.hpp"

namespace spark::helpers {
namespace {

/// The first that is found counts. Each is of git 2.39 to 2.47, libcurl with GnuTLS or OpenSSL, or
/// OpenSSH 9.
constexpr std::array kWords{
    std::pair{std::string_view("Host key verification failed"), GitId::kHostKey},
    std::pair{std::string_view("HOST IDENTIFICATION HAS CHANGED"), GitId::kHostKey},
    std::pair{std::string_view("server certificate verification failed"), GitId::kCertificate},
    std::pair{std::string_view("server verification failed"), GitId::kCertificate},
    std::pair{std::string_view("SSL certificate problem"), GitId::kCertificate},
    std::pair{std::string_view("SSL: no alternative certificate"), GitId::kCertificate},
    std::pair{std::string_view("error setting certificate"), GitId::kCertificate},
    std::pair{std::string_view("does not match target host name"), GitId::kCertificate},
    std::pair{std::string_view("returned error: 30"), GitId::kRedirect},
    std::pair{std::string_view("from redirection"), GitId::kRedirect},
    std::pair{std::string_view("redirect"), GitId::kRedirect},
    std::pair{std::string_view("Permission denied"), GitId::kNoAccess},
    std::pair{std::string_view("could not read Username"), GitId::kNoAccess},
    std::pair{std::string_view("unable to read askpass"), GitId::kNoAccess},
    std::pair{std::string_view("Authentication failed"), GitId::kNoAccess},
    std::pair{std::string_view("returned error: 401"), GitId::kNoAccess},
    std::pair{std::string_view("returned error: 403"), GitId::kNoAccess},
    std::pair{std::string_view("couldn't find remote ref"), GitId::kNoBranch},
    std::pair{std::string_view("File too large"), GitId::kTooLarge},
    std::pair{std::string_view("Operation too slow"), GitId::kTooSlow},
    std::pair{std::string_view("timed out"), GitId::kTooSlow},
    std::pair{std::string_view("Out of memory"), GitId::kTooLarge},
    std::pair{std::string_view("out of memory"), GitId::kTooLarge},
    std::pair{std::string_view("Cannot allocate memory"), GitId::kTooLarge},
    std::pair{std::string_view("pack exceeds maximum allowed size"), GitId::kTooLarge},
    // Of the unit's MemoryMax.
    std::pair{std::string_view("died of signal 9"), GitId::kTooLarge},
    std::pair{std::string_view("index-pack"), GitId::kCorrupt},
    std::pair{std::string_view("unpack-objects"), GitId::kCorrupt},
    std::pair{std::string_view("did not send all necessary objects"), GitId::kCorrupt},
    std::pair{std::string_view("missing blob"), GitId::kCorrupt},
    std::pair{std::string_view("missing tree"), GitId::kCorrupt},
    std::pair{std::string_view("missing commit"), GitId::kCorrupt},
    std::pair{std::string_view("bad pack"), GitId::kCorrupt},
    std::pair{std::string_view("fsck error"), GitId::kCorrupt},
    std::pair{std::string_view("inflate"), GitId::kCorrupt},
    std::pair{std::string_view("object file"), GitId::kCorrupt},
};

/// The last line that says something; git's own closing advice does not.
std::string_view last_words(std::string_view text) {
  std::string_view last;
  for (const auto line : lines_of(text)) {
    const bool is_advice = line.empty() || line.starts_with("Please make sure you have") ||
                           line.starts_with("and the repository exists") ||
                           line.starts_with("fatal: Could not read from remote") ||
                           line.starts_with("fatal: fetch-pack: invalid") ||
                           line.starts_with("hint:") || line.starts_with("warning:");
    if (!is_advice) last = line;
  }
  return last;
}

}  // namespace

Fault fault_of_fetch(std::string_view text, std::string_view url) {
  constexpr std::size_t kMostWords = 300;
  const auto known = std::ranges::find_if(
      kWords, [&](const auto& row) { return text.find(row.first) != std::string_view::npos; });
  const auto words = last_words(text);
  return {known == kWords.end() ? GitId::kUnreachable : known->second,
          fmt::format("could not fetch from {}: {}", in_quotes(url),
                      words.empty() ? "git says nothing" : printable(words, kMostWords))};
}

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
