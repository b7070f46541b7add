#include "helpers/peers/file_chunks.hpp"

#include <cstdint>
#include <utility>

#include "base/base64.hpp"
#include "base/sha256.hpp"

namespace spark::helpers {
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
