#include "all_nodes/statement.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include "base/json_document.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "protocol/all_nodes.hpp"
#include "protocol/paths.hpp"

namespace spark::all_nodes {
namespace {

constexpr std::size_t kMostTrustedBytes = std::size_t{64} * 1024;
constexpr std::string_view kKeyKind = "ed25519";
constexpr std::size_t kKeyLetters = 44;

/// Before the body in what is signed: consents of discover have another beginning, so neither can
/// be taken for the other.
constexpr std::string_view kPurpose = "spark-reconcile all-nodes v1\n";
/// As Statement has them.
constexpr std::array<std::string_view, std::variant_size_v<Statement>> kSchemas = {
    "spark-reconcile/offer/v1", "spark-reconcile/offer-status/v1", "spark-reconcile/offer-order/v1",
    "spark-reconcile/presence/v1"};

constexpr std::size_t kIdDigits = 32;
constexpr std::size_t kDigestDigits = 64;
constexpr std::size_t kMostNodes = 256;
constexpr std::size_t kLongestName = 64;  ///< code points
constexpr std::size_t kLongestHostKey = 1000;

bool is_hex(std::string_view text, std::size_t digits) {
  return text.size() == digits && std::ranges::all_of(text, is_ascii_hex);
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= kLongestName && std::ranges::all_of(text, is_ascii_print);
}

// Each: false: no honest node says it. What people may be shown is made printable.

bool is_good(Offer& offer, const std::string& node) {
  offer.by = printable(offer.by, kLongestName);
  const auto& change = offer.change_id;
  const bool is_change = change.empty() || (is_name(change) && !change.contains(' '));
  const bool is_back = offer.rejects.empty() || is_hex(offer.rejects, kDigestDigits);
  return offer.origin == node && is_change && is_back && is_hex(offer.id, kIdDigits) &&
         is_name(offer.cluster) && offer.text.size() <= kMostOfferBytes &&
         offer.digest == sha256_of(offer.text) && offer.within >= protocol::kLeastWithin &&
         offer.within <= protocol::kMostWithin && offer.nonces.size() <= kMostNodes &&
         offer.nonces.contains(node) && std::ranges::all_of(offer.nonces, [](const auto& entry) {
           return is_name(entry.first) && is_hex(entry.second, kIdDigits);
         });
}

bool is_good(Status& status, const std::string& node) {
  status.why = printable(status.why, kLongestText);
  for (auto* lines : {&status.plan.disturbs, &status.plan.jobs, &status.plan.steps}) {
    if (lines->size() > kMostLinesTold) return false;
    for (auto& line : *lines) line = printable(line, kLongestText);
  }
  return status.node == node && is_hex(status.offer, kIdDigits) &&
         is_hex(status.digest, kDigestDigits);
}

/// Whether the node is the origin, who hears it knows.
bool is_good(Ordered& ordered, const std::string& /*node*/) {
  ordered.why = printable(ordered.why, kLongestText);
  return is_hex(ordered.offer, kIdDigits) && is_hex(ordered.digest, kDigestDigits);
}

bool is_good(Presence& presence, const std::string& node) {
  presence.hindered = printable(presence.hindered, kLongestText);
  return presence.node == node && is_name(presence.cluster) && is_hex(presence.nonce, kIdDigits) &&
         presence.host_keys.size() <= kMostHostKeys &&
         std::ranges::all_of(presence.host_keys, [](const std::string& key) {
           return key.size() <= kLongestHostKey && std::ranges::all_of(key, is_ascii_print);
         });
}

template <std::size_t kKind = 0>
std::optional<Statement> statement_in(const nlohmann::json& document, const std::string& node) {
  if constexpr (kKind < std::variant_size_v<Statement>) {
    if (!check_schema(document, kSchemas[kKind])) return statement_in<kKind + 1>(document, node);
    auto said = value_from<std::variant_alternative_t<kKind, Statement>>(document);
    if (said && is_good(*said, node)) return std::move(*said);
  }
  return std::nullopt;
}

}  // namespace

Result<TrustedKeys> trusted_in(const std::string& text) {
  TrustedKeys keys;
  int number = 0;
  for (const auto line : lines_of(text)) {
    ++number;
    const auto folded = fold_blanks(line.substr(0, line.find('#')));
    if (folded.empty()) continue;
    const auto words = split(folded, ' ');
    const bool is_key = words.size() == 3 && words[1] == kKeyKind && words[2].size() == kKeyLetters;
    if (!is_key || !keys.emplace(words[0], words[2]).second) {
      return fail(ErrorCode::kInvalid,
                  fmt::format("line {} of '{}' {}", number, protocol::kTrustedFile,
                              is_key ? "has a second key of a node: take one of them out"
                                     : "is not 'NAME ed25519 KEY': take it out"));
    }
  }
  return keys;
}

Result<TrustedKeys> read_trusted(host::Files& files) {
  const std::string path = protocol::kTrustedFile;
  if (auto safe = files.check_writers(path.substr(0, path.rfind('/'))); !safe) {
    return std::unexpected(safe.error());
  }
  const auto text = files.read_helpers(path, "root", kMostTrustedBytes);
  if (!text) return std::unexpected(text.error());
  return trusted_in(text->value_or(""));
}

protocol::Signed signed_statement(const std::string& node, const Statement& statement,
                                  const signing::NodeKey& key) {
  auto body = std::visit(
      [&](const auto& said) { return json_text(document_of(kSchemas[statement.index()], said)); },
      statement);
  auto signature = key.sign(std::string(kPurpose) + body);
  return {.node = node, .body = std::move(body), .signature = std::move(signature)};
}

std::optional<Statement> statement_of(const protocol::Signed& said, const TrustedKeys& keys) {
  const auto key = keys.find(said.node);
  if (key == keys.end() || said.body.size() > protocol::kMostBoardBytes ||
      !signing::is_signed_by(key->second, std::string(kPurpose) + said.body, said.signature)) {
    return std::nullopt;
  }
  const auto document = parse_json(said.body);
  return document ? statement_in(*document, said.node) : std::nullopt;
}

}  // namespace spark::all_nodes
