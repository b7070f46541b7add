#include "base/json_document.hpp"
#include "helpers/peers/frames.hpp"

namespace spark::helpers {
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

}  // namespace spark::helpers
