#include "base/sha256.hpp"

#include <array>
#include <cstdint>

#include <sha256.h>

namespace spark {
namespace {

const std::uint8_t* data_of(std::string_view text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}

}  // namespace

std::string sha256_bytes(std::string_view text) {
  SHA256_CTX context;
  SHA256Init(&context);
  SHA256Update(&context, data_of(text), text.size());
  std::array<std::uint8_t, SHA256_DIGEST_LENGTH> digest{};
  SHA256Final(digest.data(), &context);
  return {digest.begin(), digest.end()};
}

std::string sha256_of(std::string_view text) {
  std::array<char, SHA256_DIGEST_STRING_LENGTH> digest{};
  SHA256Data(data_of(text), text.size(), digest.data());
  return digest.data();
}

}  // namespace spark
