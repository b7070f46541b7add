#include "protocol/discover.hpp"

#include <algorithm>

#include "base/base64.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"

namespace spark::protocol {
namespace {

constexpr std::size_t kLongestHostName = 63;
constexpr std::size_t kLongestLinkName = 15;  // IFNAMSIZ
constexpr std::size_t kRunDigits = 16;
constexpr std::size_t kDigestDigits = 64;
constexpr std::size_t kOwnFileDigits = 8;
// base64, with padding, of 32 and of 64 bytes
constexpr std::size_t kKeyLetters = 44;
constexpr std::size_t kSignatureLetters = 88;

bool is_hex(std::string_view text, std::size_t size) {
  return text.size() == size && std::ranges::all_of(text, [](char c) {
           return is_ascii_digit(c) || (c >= 'a' && c <= 'f');
         });
}

bool is_base64(std::string_view text, std::size_t size) {
  return text.size() == size && to_base64(from_base64(text)) == text;
}

bool is_link_name(std::string_view text) {
  return text.size() <= kLongestLinkName && std::ranges::all_of(text, [](char c) {
           return is_ascii_alnum(c) || c == '-' || c == '.' || c == '_';
         });
}

bool is_end(const CageEnd& end) { return is_host_name(end.node) && is_cage(end.cage); }

bool is_seen(const CageSeen& cage) {
  return is_cage(cage.cage) && cage.hears.size() <= kMostEndsHeard &&
         std::ranges::all_of(cage.hears, is_end);
}

bool is_digest_or_none(const std::string& text) { return text.empty() || is_digest(text); }

}  // namespace

bool is_run(std::string_view text) { return is_hex(text, kRunDigits); }

bool is_digest(std::string_view text) { return is_hex(text, kDigestDigits); }

bool is_cage(int cage) { return cage >= 0 && cage < kMostDiscoverCages; }

bool is_host_name(std::string_view text) {
  return !text.empty() && text.size() <= kLongestHostName && is_ascii_alnum(text.front()) &&
         std::ranges::all_of(text,
                             [](char c) { return is_ascii_alnum(c) || c == '-' || c == '.'; });
}

bool is_possible(const NodeRecord& record) {
  return is_host_name(record.node) && is_run(record.run) && is_digest(record.commitment) &&
         is_link_name(record.lan) && record.cages.size() <= kMostDiscoverCages &&
         std::ranges::all_of(record.cages, is_seen) && record.subnets.size() <= kMostSubnetsTold &&
         is_digest_or_none(record.file) &&
         (record.own_file.empty() || is_hex(record.own_file, kOwnFileDigits));
}

bool is_possible(const Opening& opening) {
  return is_run(opening.run) && is_digest(opening.nonce) && is_base64(opening.key, kKeyLetters);
}

bool is_possible(const Consent& consent) {
  return is_run(consent.run) && is_base64(consent.signature, kSignatureLetters);
}

std::string own_file_of(const std::string& text) {
  return sha256_of(text).substr(0, kOwnFileDigits);
}

// No name, number or base64 holds a line feed: each part has one place alone.

std::string commitment_of(const std::string& node, const Opening& opening) {
  return sha256_of("spark-reconcile/commitment/2\n" + node + "\n" + opening.run + "\n" +
                   opening.nonce + "\n" + opening.key + "\n");
}

std::string transcript_of(const std::string& offer, const std::vector<Opening>& openings) {
  std::string all = "spark-reconcile/join/2\n" + sha256_of(offer) + "\n";
  for (const auto& [run, nonce, key] : openings) {
    for (const auto* part : {&run, &nonce, &key}) all.append(*part).append("\n");
  }
  return sha256_of(all);
}

std::string consent_text(const std::string& run, const std::string& transcript) {
  return "spark-reconcile/consent/2\n" + run + "\n" + transcript + "\n";
}

}  // namespace spark::protocol
