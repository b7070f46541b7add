#pragma once
// A file in pieces that fit into frames, and the file again from the pieces.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/discover.hpp"

namespace spark::helpers {

/// Bytes of the file in one piece.
inline constexpr std::size_t kChunkBytes = 720;

/// The file's SHA-256 is in each. None, where it is longer than kMostFileBytes.
std::vector<protocol::FileChunk> chunks_of(std::string_view text);

/// Puts one file together from pieces that anybody may send: the digest has the last word.
class FileAssembly {
 public:
  /// The file that is wanted, by its SHA-256. Another one than before forgets all pieces.
  void want(const std::string& digest);
  /// Pieces of other files are passed over. A file that is whole and has another digest begins
  /// again.
  void take(const protocol::FileChunk& chunk);

  [[nodiscard]] const std::string& wanted() const { return digest_; }
  /// Empty: not whole yet.
  [[nodiscard]] const std::optional<std::string>& text() const { return text_; }

 private:
  std::string digest_;
  std::uint32_t count_ = 0;
  std::map<std::uint32_t, std::string> pieces_;
  std::optional<std::string> text_;
};

}  // namespace spark::helpers
