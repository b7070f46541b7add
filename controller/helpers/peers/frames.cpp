#include "helpers/peers/frames.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/base64.hpp"
#include "base/json_document.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"

namespace spark::helpers {
namespace {

constexpr std::string_view kMagic = "SPARKHI1";
/// A name of a host (RFC 1035).
constexpr std::size_t kLongestName = 63;
constexpr std::size_t kLongestWord = 64;
/// A reason or a fault: a clause.
constexpr std::size_t kLongestClause = 300;
constexpr std::size_t kMostRails = 8;
constexpr std::size_t kMostMacs = 8;
constexpr int kMostCages = 8;
constexpr std::uint32_t kLargestMtu = 65'536;
/// Around the MAC, at the end of the JSON.
constexpr std::string_view kBeforeMac = R"(,"mac":")";
constexpr std::string_view kAfterMac = R"("})";

/// What a stranger says goes to screens: no other bytes than people read.
void tame(std::string& text, std::size_t limit) {
  text = printable(text, limit);
  std::erase_if(text, [](char c) { return static_cast<unsigned char>(c) >= 0x7F; });
  text.resize(std::min(text.size(), limit));  // an escape is longer than what it stands for
}

template <class T>
void keep_first(std::vector<T>& all, std::size_t most) {
  if (all.size() > most) all.resize(most);
}

bool is_name(const std::string& text) {
  return !text.empty() && text.size() <= kLongestName &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7F; });
}

void tame(protocol::Problem& problem) {
  for (auto* word : {&problem.id, &problem.name, &problem.link}) tame(*word, kLongestWord);
  for (auto* clause : {&problem.subject, &problem.measured}) tame(*clause, kLongestClause);
  std::erase_if(problem.peers, [](const auto& peer) { return !is_name(peer); });
  keep_first(problem.peers, protocol::kMostReach);
  if (problem.plug && !is_name(problem.plug->node)) problem.plug.reset();
  keep_first(problem.macs, kMostMacs);
  for (auto& mac : problem.macs) tame(mac, kLongestWord);
}

/// Without what Ethernet pads.
std::string_view without_padding(std::string_view bytes) {
  return bytes.substr(0, bytes.find_last_not_of('\0') + 1);
}

std::string mac_of(std::string_view before, const Secret& key) {
  return key.mac({"spark-peers hello 1", before});
}

bool is_short(const std::string& text) { return text.size() <= kLongestWord; }

}  // namespace

std::string encode_hello(const protocol::Hello& hello, const Secret* key) {
  auto bytes = std::string(kMagic) + json_text(TextJsonWriter::write(hello));
  if (key != nullptr) {
    bytes.pop_back();  // the end of the JSON
    const auto mac = mac_of(bytes, *key);
    bytes.append(kBeforeMac).append(mac).append(kAfterMac);
  }
  if (bytes.size() > protocol::kMostHelloBytes) return {};
  return bytes;
}

protocol::KeyFault key_fault(std::string_view bytes, const Secret* key) {
  using protocol::KeyFault;
  constexpr auto kTail = kBeforeMac.size() + kMacLetters + kAfterMac.size();
  bytes = without_padding(bytes);
  const auto before = bytes.substr(0, bytes.size() - std::min(bytes.size(), kTail));
  auto tail = bytes.substr(before.size());
  const bool has_mac =
      tail.size() == kTail && tail.starts_with(kBeforeMac) && tail.ends_with(kAfterMac);
  if (key == nullptr) return has_mac ? KeyFault::kAsked : KeyFault::kNone;
  if (!has_mac) return KeyFault::kMissing;
  const auto mac = tail.substr(kBeforeMac.size(), kMacLetters);
  return is_same_mac(mac, mac_of(before, *key)) ? KeyFault::kNone : KeyFault::kAnother;
}

std::optional<protocol::Hello> decode_hello(std::string_view bytes) {
  if (bytes.size() > protocol::kMostHelloBytes || !bytes.starts_with(kMagic)) return std::nullopt;
  bytes.remove_prefix(kMagic.size());
  auto hello = value_from_text<protocol::Hello>(std::string(without_padding(bytes)));
  if (!hello) return std::nullopt;
  auto& found = *hello;
  if (!is_name(found.node) || !is_name(found.cluster) || found.cage < 0 ||
      found.cage >= kMostCages || found.rail < 0 || found.rail >= kMostCages ||
      found.mtu > kLargestMtu) {
    return std::nullopt;
  }
  for (auto* text : {&found.boot, &found.file, &found.candidate, &found.verdict, &found.details}) {
    if (!is_short(*text)) return std::nullopt;
    tame(*text, kLongestWord);
  }
  return found;
}

Result<protocol::NodeDetails> decode_details(const std::string& text) {
  if (text.size() > protocol::kMostDetailsBytes) {
    return fail(ErrorCode::kInvalid, "more than a node sends");
  }
  auto details = document_from_text<protocol::NodeDetails>(protocol::kDetailsSchema, text);
  if (!details) return details;
  if (!is_name(details->node) || !is_name(details->cluster)) {
    return fail(ErrorCode::kInvalid, "it names no node");
  }
  for (auto* word :
       {&details->version, &details->boot_id, &details->machine, &details->kernel, &details->file,
        &details->candidate, &details->verdict, &details->firmware, &details->driver,
        &details->dgx_os, &details->gpu_driver, &details->memlock, &details->host_nqn}) {
    tame(*word, kLongestWord);
  }
  keep_first(details->reasons, protocol::kMostReasons);
  for (auto& reason : details->reasons) tame(reason, kLongestClause);
  keep_first(details->problems, protocol::kMostProblems);
  for (auto& problem : details->problems) tame(problem);
  keep_first(details->rails, kMostRails);
  for (auto& rail : details->rails) {
    for (auto* word : {&rail.link, &rail.mac, &rail.device}) tame(*word, kLongestWord);
    tame(rail.fault, kLongestClause);
  }
  keep_first(details->heard, protocol::kMostPassedOn);
  std::erase_if(details->heard, [](const auto& passed) { return !is_name(passed.node); });
  for (auto& passed : details->heard) {
    for (auto* word : {&passed.boot, &passed.file, &passed.candidate, &passed.verdict})
      tame(*word, kLongestWord);
  }
  keep_first(details->reach, protocol::kMostReach);
  std::erase_if(details->reach, [](const auto& peer) { return !is_name(peer.node); });
  keep_first(details->verdicts, protocol::kMostVerdictsTold);
  for (auto& [verdict, since] : details->verdicts) {
    for (auto* word : {&verdict, &since}) tame(*word, kLongestWord);
  }
  return details;
}

Result<protocol::RecordTold> decode_record(const std::string& text, const std::string& node) {
  const auto too_much = fail(ErrorCode::kInvalid, "more than a node sends");
  if (text.size() > protocol::kMostRecordToldBytes) return too_much;
  auto told = document_from_text<protocol::RecordTold>(protocol::kRecordToldSchema, text);
  if (!told) return told;
  // Each fault is compared with all that is recorded.
  const auto& record = told->record;
  if (record.signs.size() > protocol::kMostSigns ||
      record.covered.size() > protocol::kMostSpansCovered) {
    return too_much;
  }
  if (told->record.node != node) return fail(ErrorCode::kInvalid, "it is of another node");
  told->record.ahead.reset();
  for (auto& sign : told->record.signs) {
    for (auto* word : {&sign.link, &sign.peer}) tame(*word, kLongestWord);
    tame(sign.text, kLongestClause);
  }
  if (told->rails) {
    keep_first(told->rails->rails, protocol::kMostRailsTold);
    for (auto& rail : told->rails->rails) tame(rail.link, kLongestWord);
  }
  return told;
}

namespace {

using protocol::DiscoverFrame;
using protocol::FileChunk;

bool is_chunk(const FileChunk& chunk) {
  return protocol::is_digest(chunk.file) && chunk.index < chunk.count &&
         chunk.count <= protocol::kMostFileBytes;
}

bool is_frame(const DiscoverFrame& frame) {
  const auto& [run, cage, record, opening, consent, chunk] = frame;
  const int parts = int{record.has_value()} + int{opening.has_value()} + int{consent.has_value()} +
                    int{chunk.has_value()};
  return protocol::is_run(run) && protocol::is_cage(cage) && parts == 1 &&
         (!record || is_possible(*record)) && (!opening || is_possible(*opening)) &&
         (!consent || is_possible(*consent)) && (!chunk || is_chunk(*chunk));
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

namespace {

constexpr std::uint32_t pieces_for(std::size_t bytes) {
  return static_cast<std::uint32_t>((bytes + kChunkBytes - 1) / kChunkBytes);
}

}  // namespace

std::vector<protocol::FileChunk> chunks_of(std::string_view text) {
  std::vector<protocol::FileChunk> chunks;
  if (text.size() > protocol::kMostFileBytes) return chunks;
  const auto digest = sha256_of(text);
  const auto count = pieces_for(text.size());
  for (std::uint32_t index = 0; index < count; ++index) {
    chunks.push_back({.file = digest,
                      .index = index,
                      .count = count,
                      .data = to_base64(text.substr(index * kChunkBytes, kChunkBytes))});
  }
  return chunks;
}

void FileAssembly::want(const std::string& digest) {
  if (digest == digest_) return;
  *this = FileAssembly();
  digest_ = digest;
}

void FileAssembly::take(const protocol::FileChunk& chunk) {
  if (text_ || digest_.empty() || chunk.file != digest_ || chunk.index >= chunk.count ||
      chunk.count > pieces_for(protocol::kMostFileBytes)) {
    return;
  }
  auto data = from_base64(chunk.data);
  if (data.size() > kChunkBytes) return;
  if (chunk.count != count_) {
    pieces_.clear();
    count_ = chunk.count;
  }
  pieces_[chunk.index] = std::move(data);
  if (pieces_.size() < count_) return;
  std::string whole;
  for (const auto& [index, piece] : pieces_) whole += piece;
  if (sha256_of(whole) == digest_) text_ = std::move(whole);
  pieces_.clear();
}

}  // namespace spark::helpers
