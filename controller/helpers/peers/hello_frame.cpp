#include "helpers/peers/hello_frame.hpp"

#include <algorithm>
#include <cstddef>

#include "base/json_document.hpp"
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
constexpr int kMostCages = 8;
constexpr std::uint32_t kLargestMtu = 65'536;

/// What a stranger says goes to screens: no other bytes than people read.
void tame(std::string& text, std::size_t limit) {
  text = printable(text, limit);
  std::erase_if(text, [](char c) { return static_cast<unsigned char>(c) >= 0x7F; });
  text.resize(std::min(text.size(), limit));  // an escape is longer than what it stands for
}

bool is_name(const std::string& text) {
  return !text.empty() && text.size() <= kLongestName &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7F; });
}

bool is_short(const std::string& text) { return text.size() <= kLongestWord; }

}  // namespace

std::string encode_hello(const protocol::Hello& hello) {
  auto bytes = std::string(kMagic) + json_text(TextJsonWriter::write(hello));
  if (bytes.size() > protocol::kMostHelloBytes) return {};
  return bytes;
}

std::optional<protocol::Hello> decode_hello(std::string_view bytes) {
  if (bytes.size() > protocol::kMostHelloBytes || !bytes.starts_with(kMagic)) return std::nullopt;
  bytes.remove_prefix(kMagic.size());
  const auto last = bytes.find_last_not_of('\0');
  if (last == std::string_view::npos) return std::nullopt;
  auto hello = value_from_text<protocol::Hello>(std::string(bytes.substr(0, last + 1)));
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
  if (details->reasons.size() > protocol::kMostReasons) {
    details->reasons.resize(protocol::kMostReasons);
  }
  for (auto& reason : details->reasons) tame(reason, kLongestClause);
  if (details->rails.size() > kMostRails) details->rails.resize(kMostRails);
  for (auto& rail : details->rails) {
    for (auto* word : {&rail.link, &rail.mac, &rail.device}) tame(*word, kLongestWord);
    tame(rail.fault, kLongestClause);
  }
  return details;
}

}  // namespace spark::helpers
