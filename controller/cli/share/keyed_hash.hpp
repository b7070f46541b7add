#pragma once
// KeyedHash: numbers that belong to a text, and that nobody can compute without the salt.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace spark::cli {

/// 256 random bits, which are never written down: with them, a MAC address could be found by trying
/// them all.
using Salt = std::array<std::uint8_t, 32>;

/// From the kernel (getrandom(2)). Errors: kSystem.
Result<Salt> make_salt();

class KeyedHash {
 public:
  explicit KeyedHash(const Salt& salt);

  /// SHA-256 of the salt, `purpose` and `text`. The salt's fixed length comes first, and `purpose`
  /// holds no NUL, so no two pairs are the same input.
  [[nodiscard]] std::array<std::uint8_t, 32> bytes(std::string_view purpose,
                                                   std::string_view text) const;

 private:
  std::string salt_;
};

}  // namespace spark::cli
