#include "helpers/peers/discover_frame.hpp"

#include <algorithm>
#include <cstddef>

#include "base/base64.hpp"
#include "base/json_document.hpp"
#include "base/text.hpp"

namespace spark::helpers {
namespace {

using protocol::CageEnd;
using protocol::CageSeen;
using protocol::Consent;
using protocol::DiscoverFrame;
using protocol::FileChunk;
using protocol::NodeRecord;
using protocol::Opening;

constexpr std::size_t kLongestHostName = 63;
constexpr std::size_t kLongestLinkName = 15;  // IFNAMSIZ
constexpr std::size_t kRunDigits = 16;
constexpr std::size_t kDigestDigits = 64;
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

bool is_host_name(std::string_view text) {
  return !text.empty() && text.size() <= kLongestHostName && is_ascii_alnum(text.front()) &&
         std::ranges::all_of(text,
                             [](char c) { return is_ascii_alnum(c) || c == '-' || c == '.'; });
}

bool is_link_name(std::string_view text) {
  return text.size() <= kLongestLinkName && std::ranges::all_of(text, [](char c) {
           return is_ascii_alnum(c) || c == '-' || c == '.' || c == '_';
         });
}

bool is_cage(int cage) { return cage >= 0 && cage < protocol::kMostDiscoverCages; }

bool is_end(const CageEnd& end) { return is_host_name(end.node) && is_cage(end.cage); }

bool is_seen(const CageSeen& cage) {
  return is_cage(cage.cage) && cage.hears.size() <= protocol::kMostEndsHeard &&
         std::ranges::all_of(cage.hears, is_end);
}

bool is_digest(const std::string& text) { return text.empty() || is_hex(text, kDigestDigits); }

bool is_record(const NodeRecord& record) {
  return is_host_name(record.node) && is_hex(record.run, kRunDigits) &&
         is_hex(record.commitment, kDigestDigits) && is_link_name(record.lan) &&
         record.cages.size() <= protocol::kMostDiscoverCages &&
         std::ranges::all_of(record.cages, is_seen) &&
         record.subnets.size() <= protocol::kMostSubnetsTold && is_digest(record.file);
}

bool is_chunk(const FileChunk& chunk) {
  return is_hex(chunk.file, kDigestDigits) && chunk.index < chunk.count &&
         chunk.count <= protocol::kMostFileBytes;
}

bool is_opening(const Opening& opening) {
  return is_hex(opening.run, kRunDigits) && is_hex(opening.nonce, kDigestDigits) &&
         is_base64(opening.key, kKeyLetters);
}

bool is_consent(const Consent& consent) {
  return is_hex(consent.run, kRunDigits) && is_base64(consent.signature, kSignatureLetters);
}

bool is_frame(const DiscoverFrame& frame) {
  const auto& [run, cage, record, opening, consent, chunk] = frame;
  const int parts = int{record.has_value()} + int{opening.has_value()} + int{consent.has_value()} +
                    int{chunk.has_value()};
  return is_hex(run, kRunDigits) && is_cage(cage) && parts == 1 &&
         (!record || is_record(*record)) && (!opening || is_opening(*opening)) &&
         (!consent || is_consent(*consent)) && (!chunk || is_chunk(*chunk));
}

}  // namespace

std::string encode_discover(const DiscoverFrame& frame) {
  auto bytes = std::string(protocol::kDiscoverMagic) + json_text(TextJsonWriter::write(frame));
  if (bytes.size() > protocol::kMostDiscoverBytes) return {};
  return bytes;
}

std::optional<DiscoverFrame> decode_discover(std::string_view bytes) {
  if (bytes.size() > protocol::kMostDiscoverBytes || !bytes.starts_with(protocol::kDiscoverMagic)) {
    return std::nullopt;
  }
  bytes.remove_prefix(protocol::kDiscoverMagic.size());
  const auto last = bytes.find_last_not_of('\0');
  if (last == std::string_view::npos) return std::nullopt;
  auto frame = value_from_text<DiscoverFrame>(std::string(bytes.substr(0, last + 1)));
  if (!frame || !is_frame(*frame)) return std::nullopt;
  return *std::move(frame);
}

}  // namespace spark::helpers
