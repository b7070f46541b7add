#include "helpers/web/page_token.hpp"

#include <stdexcept>

#include <fmt/format.h>
#include <sodium.h>

#include "host/process/file_io.hpp"
#include "host/process/key_file.hpp"

namespace spark::helpers {
namespace {

/// It stays as it is: another one would end all cookies.
constexpr std::string_view kOfCookie = "spark-web cookie v1";

static_assert(TokenDigest::kBytes == crypto_auth_hmacsha256_BYTES);

void need_sodium() {
  if (sodium_init() < 0) throw std::runtime_error("libsodium does not start");
}

}  // namespace

TokenDigest TokenDigest::of(std::string_view token) {
  need_sodium();
  TokenDigest digest;
  crypto_auth_hmacsha256_state state;
  crypto_auth_hmacsha256_init(&state, reinterpret_cast<const unsigned char*>(token.data()),
                              token.size());
  crypto_auth_hmacsha256_update(&state, reinterpret_cast<const unsigned char*>(kOfCookie.data()),
                                kOfCookie.size());
  crypto_auth_hmacsha256_final(&state, digest.bytes_.data());
  sodium_memzero(&state, sizeof state);
  return digest;
}

std::optional<TokenDigest> TokenDigest::parse(std::string_view text) {
  TokenDigest digest;
  std::size_t count = 0;
  if (text.size() != 2 * kBytes || sodium_hex2bin(digest.bytes_.data(), kBytes, text.data(),
                                                  text.size(), nullptr, &count, nullptr) != 0) {
    return std::nullopt;
  }
  return count == kBytes ? std::optional(digest) : std::nullopt;
}

std::string TokenDigest::text() const {
  std::string text(2 * kBytes + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), bytes_.data(), kBytes);
  text.pop_back();  // its end
  return text;
}

bool TokenDigest::operator==(const TokenDigest& other) const {
  return sodium_memcmp(bytes_.data(), other.bytes_.data(), kBytes) == 0;
}

const PageToken& TokenFile::look() {
  const auto now = host::file_stamp(top_ + path_);
  // What keeps it from being used may be elsewhere: a folder on the way, a user that is missing.
  if (token_.digest && now == stamp_) return token_;
  stamp_ = now;
  token_ = {};
  const auto passwd = host::read_proc(top_ + "/etc/passwd").value_or("");
  const auto fault =
      host::read_token_file(top_, path_, host::token_reader(path_, passwd),
                            [this](auto token) { token_.digest = TokenDigest::of(token); });
  if (fault) token_.failed = fmt::format("{}: {}", fault->what, fault->remedy);
  return token_;
}

}  // namespace spark::helpers
