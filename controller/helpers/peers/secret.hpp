#pragma once
// Secret: the key of a cluster's nodes, or of one conversation; and what is made with it.

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace spark::helpers {

struct WipeAndFree {
  void operator()(unsigned char* bytes) const;
};
/// Locked into memory, in no core, and wiped at the end.
using LockedBytes = std::unique_ptr<unsigned char[], WipeAndFree>;
LockedBytes locked_bytes(std::size_t count);

/// Letters of a MAC, and of a nonce.
inline constexpr std::size_t kMacLetters = 22;
inline constexpr std::size_t kNonceLetters = 43;

class Secret {
 public:
  static constexpr std::size_t kBytes = 32;
  using Parts = std::initializer_list<std::string_view>;

  /// From 32 bytes as base64 or as hexadecimal digits, with blanks around them. Errors: kInvalid,
  /// in words that hold nothing of the text.
  static Result<Secret> parse(std::string_view text);

  /// Of all parts with their lengths: the first 16 bytes of HMAC-SHA-256, as base64 without "=".
  [[nodiscard]] std::string mac(Parts parts) const;
  /// Another secret that follows from this one and the parts, and tells nothing of it.
  [[nodiscard]] Secret derive(Parts parts) const;

  /// Takes as long wherever they differ.
  [[nodiscard]] bool operator==(const Secret& other) const;

 private:
  explicit Secret(LockedBytes bytes) : bytes_(std::move(bytes)) {}
  void hmac(Parts parts, unsigned char* into) const;

  LockedBytes bytes_;
};

/// Takes as long wherever they differ.
bool is_same_mac(std::string_view one, std::string_view other);

/// 32 random bytes, as base64 without "=".
std::string new_nonce();
bool is_nonce(std::string_view text);

}  // namespace spark::helpers
