#include "cli/share/keyed_hash.hpp"

#include <sha256.h>

#include "base/random.hpp"

namespace spark::cli {

Result<Salt> make_salt() {
  Salt salt{};
  const auto filled = fill_random(salt);
  return filled ? Result<Salt>(salt) : std::unexpected(filled.error());
}

KeyedHash::KeyedHash(const Salt& salt) : salt_(salt.begin(), salt.end()) {}

std::array<std::uint8_t, 32> KeyedHash::bytes(std::string_view purpose,
                                              std::string_view text) const {
  std::string input = salt_;
  input.append(purpose).push_back('\0');
  input.append(text);
  SHA256_CTX context;
  SHA256Init(&context);
  SHA256Update(&context, reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  std::array<std::uint8_t, 32> digest{};
  SHA256Final(digest.data(), &context);
  return digest;
}

}  // namespace spark::cli
