#include "cli/discover/pairing.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "base/json_document.hpp"
#include "base/random.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "base/units.hpp"

namespace spark::cli {
namespace {

constexpr std::string_view kConsonants = "bdfghjklmnprstvz";  // four bits each
constexpr std::string_view kVowels = "aiou";                  // two bits each
constexpr std::size_t kWords = 4;
constexpr std::size_t kDigitsOfWord = 4;  // hexadecimal

std::string letters_of(std::string_view text) {
  auto letters = ascii_lower(text);
  std::erase_if(letters, [](char c) { return !is_ascii_alnum(c); });
  return letters;
}

}  // namespace

std::string proquint(std::uint16_t bits) {
  const auto consonant = [&](unsigned shift) { return kConsonants[(bits >> shift) & 0xFU]; };
  const auto vowel = [&](unsigned shift) { return kVowels[(bits >> shift) & 0x3U]; };
  return {consonant(12), vowel(10), consonant(6), vowel(4), consonant(0)};
}

std::string four_words(std::string_view transcript) {
  std::string words;
  for (std::size_t i = 0; i < kWords; ++i) {
    const auto digits = transcript.substr(kDigitsOfWord * i, kDigitsOfWord);
    words += (i == 0 ? "" : " ") + proquint(number_in<std::uint16_t>(digits, 16).value_or(0));
  }
  return words;
}

bool are_same_words(std::string_view a, std::string_view b) {
  const auto letters = letters_of(a);
  return !letters.empty() && letters == letters_of(b);
}

namespace {

using protocol::NodeRecord;
using protocol::OfferedNode;

constexpr std::size_t kNonceBytes = 32;

bool are_distinct(const std::vector<OfferedNode>& nodes, std::string OfferedNode::* member) {
  std::set<std::string> seen;
  return std::ranges::all_of(
      nodes, [&](const OfferedNode& node) { return seen.insert(node.*member).second; });
}

}  // namespace

Result<OwnOpening> OwnOpening::make(host::Files& files, const std::string& node,
                                    const std::string& run) {
  auto key = signing::NodeKey::load_or_make(files);
  if (!key) return std::unexpected(key.error());
  auto nonce = random_hex(kNonceBytes);
  if (!nonce) return std::unexpected(nonce.error());
  auto half = key->public_half();
  return OwnOpening{.node = node,
                    .key = *std::move(key),
                    .opening = {.run = run, .nonce = *std::move(nonce), .key = std::move(half)}};
}

Result<Pairing> Pairing::begin(const std::string& offer, const std::string& founder,
                               const OwnOpening& own) {
  auto read = value_from_text<protocol::DiscoverOffer>(offer);
  const OfferedNode self{
      .node = own.node, .run = own.opening.run, .commitment = commitment_of(own.node, own.opening)};
  const auto maker = read ? std::ranges::find(read->nodes, founder, &OfferedNode::run)
                          : std::vector<OfferedNode>::iterator();
  if (!read || maker == read->nodes.end() || read->nodes.size() > protocol::kMostDiscovered ||
      !are_distinct(read->nodes, &OfferedNode::node) ||
      !are_distinct(read->nodes, &OfferedNode::run) ||
      std::ranges::find(read->nodes, self) == read->nodes.end()) {
    return fail(
        ErrorCode::kInvalid,
        "what is offered is not for this node as it is now: it was written before this node "
        "was heard; run `init --discover` again there");
  }
  Pairing pairing;
  pairing.founder_ = maker->node;
  pairing.offer_ = *std::move(read);
  pairing.text_ = offer;
  pairing.digest_ = sha256_of(offer);
  pairing.own_run_ = self.run;
  pairing.openings_[self.run] = own.opening;
  return pairing;
}

void Pairing::take(const protocol::DiscoverSeen& seen) {
  for (const auto& opening : seen.openings) take_opening(opening);
  if (is_open()) {
    for (const auto& consent : seen.consents) take_consent(consent);
  }
  for (const auto& record : seen.nodes) {
    // By its name: a `join` that was started again says so too.
    const bool is_asked =
        std::ranges::find(offer_.nodes, record.node, &OfferedNode::node) != offer_.nodes.end();
    if (is_asked && record.run != own_run_ && record.refuses && record.file == digest_) {
      refused_by_ = record.node;
    }
  }
}

void Pairing::take_opening(const protocol::Opening& opening) {
  const auto node = std::ranges::find(offer_.nodes, opening.run, &OfferedNode::run);
  if (node == offer_.nodes.end() || openings_.contains(opening.run)) return;
  if (commitment_of(node->node, opening) == node->commitment) openings_[opening.run] = opening;
}

void Pairing::take_consent(const protocol::Consent& consent) {
  const auto opening = openings_.find(consent.run);
  if (opening == openings_.end() || consented_.contains(consent.run)) return;
  if (signing::is_signed_by(opening->second.key, protocol::consent_text(consent.run, transcript()),
                            consent.signature)) {
    consented_.insert(consent.run);
  }
}

std::string Pairing::transcript() const {
  if (!is_open()) return {};
  std::vector<protocol::Opening> openings;
  std::ranges::transform(offer_.nodes, std::back_inserter(openings),
                         [&](const OfferedNode& node) { return openings_.at(node.run); });
  return transcript_of(text_, openings);
}

std::vector<std::string> Pairing::others() const {
  std::vector<std::string> names;
  for (const auto& node : offer_.nodes) {
    if (node.run != own_run_) names.push_back(node.node);
  }
  return names;
}

std::string Pairing::words() const { return four_words(transcript()); }

std::vector<TrustedKey> Pairing::keys_of_others() const {
  std::vector<TrustedKey> keys;
  for (const auto& node : offer_.nodes) {
    if (node.run != own_run_) keys.push_back({node.node, openings_.at(node.run).key});
  }
  return keys;
}

protocol::Consent Pairing::consent(const OwnOpening& own) const {
  return {.run = own_run_,
          .signature = own.key.sign(protocol::consent_text(own_run_, transcript()))};
}

std::string Pairing::gone(const std::vector<protocol::NodeRecord>& nodes) const {
  for (const auto& node : offer_.nodes) {
    const bool is_there = std::ranges::find(nodes, node.run, &NodeRecord::run) != nodes.end();
    if (!is_there && node.run != own_run_ && !consented_.contains(node.run)) return node.node;
  }
  return {};
}

std::vector<std::string> Pairing::awaited() const {
  std::vector<std::string> names;
  for (const auto& node : offer_.nodes) {
    if (node.run != own_run_ && !consented_.contains(node.run)) names.push_back(node.node);
  }
  return names;
}

}  // namespace spark::cli
