#pragma once
// NodeKey: the Ed25519 key of this node (RFC 8032), by which others know that something is said by
// it. Made once; libsodium's crypto_sign.

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "host/files.hpp"

namespace spark::signing {

class NodeKey {
 public:
  /// That of kNodeKeyFile, which is made where there is none.
  /// Errors: kInvalid: the file is damaged, and is left as it is; those of the files port.
  static Result<NodeKey> load_or_make(host::Files& files);

  /// 44 letters of base64.
  [[nodiscard]] std::string public_half() const;
  /// 88 letters of base64.
  [[nodiscard]] std::string sign(std::string_view text) const;

 private:
  explicit NodeKey(std::string secret) : secret_(std::move(secret)) {}

  std::string secret_;  ///< seed and public half, as crypto_sign has it: 64 bytes
};

/// False too where the key or the signature is none.
bool is_signed_by(std::string_view public_half, std::string_view text, std::string_view signature);

}  // namespace spark::signing
