#pragma once
// What goes over the cables without a connection, as bytes. What comes in was sent by anybody.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "helpers/peers/own_key.hpp"
#include "protocol/discover.hpp"
#include "protocol/peers.hpp"
#include "protocol/records.hpp"

namespace spark::helpers {

// A hello as the bytes of a frame: a magic and JSON. With a key the JSON ends with a MAC over all
// bytes before it.

/// Without the Ethernet header. `key` null: without a MAC. Empty: it would be longer than
/// kMostHelloBytes.
std::string encode_hello(const protocol::Hello& hello, const Secret* key = nullptr);

/// Whether the bytes of a hello are those of a node with that key; null: of one without.
protocol::KeyFault key_fault(std::string_view bytes, const Secret* key);

/// Empty: it is no hello, or one that a node would not send. Zeros at the end are passed over:
/// Ethernet pads short frames. Texts of the result are printable ASCII.
std::optional<protocol::Hello> decode_hello(std::string_view bytes);

// Documents of a peer, their texts printable ASCII, cut to what people read. Errors: kInvalid.

Result<protocol::NodeDetails> decode_details(const std::string& text);
/// That of another node is an error too, and a sign that this version does not know: it may be a
/// fault.
Result<protocol::RecordTold> decode_record(const std::string& text, const std::string& node);

// A frame of discovery as bytes: a magic and JSON.

/// Without the Ethernet header. Empty: it would be longer than kMostDiscoverBytes.
std::string encode_discover(const protocol::DiscoverFrame& frame);

/// Empty: it is no such frame, or one that a node would not send. Zeros at the end are passed over:
/// Ethernet pads short frames. Names in the result are valid host names, lists are bounded.
std::optional<protocol::DiscoverFrame> decode_discover(std::string_view bytes);

// A file in pieces that fit into frames, and the file again from the pieces.

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
