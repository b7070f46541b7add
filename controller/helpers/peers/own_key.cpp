#include "helpers/peers/own_key.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>

#include <fmt/format.h>
#include <sodium.h>
#include <unistd.h>

#include "host/process/file_io.hpp"
#include "host/process/key_file.hpp"
#include "protocol/peers.hpp"

namespace spark::helpers {
namespace {

constexpr int kWithPadding = sodium_base64_VARIANT_ORIGINAL;
constexpr int kWithout = sodium_base64_VARIANT_ORIGINAL_NO_PADDING;
constexpr std::size_t kMacBytes = 16;

static_assert(Secret::kBytes == crypto_auth_hmacsha256_KEYBYTES);
static_assert(Secret::kBytes == crypto_auth_hmacsha256_BYTES);
static_assert(kMacLetters + 1 == sodium_base64_ENCODED_LEN(kMacBytes, kWithout));
static_assert(kNonceLetters + 1 == sodium_base64_ENCODED_LEN(Secret::kBytes, kWithout));

/// Any thread, any number of times.
void need_sodium() {
  if (sodium_init() < 0) throw std::runtime_error("libsodium does not start");
}

std::string base64_of(const unsigned char* bytes, std::size_t count) {
  std::string text(sodium_base64_encoded_len(count, kWithout), '\0');
  sodium_bin2base64(text.data(), text.size(), bytes, count, kWithout);
  text.pop_back();  // its end
  return text;
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

/// All of the text, and 32 bytes.
bool decode_secret(std::string_view text, unsigned char* into) {
  std::size_t count = 0;
  const char* end = nullptr;
  const auto is_all = [&](int result) {
    return result == 0 && count == Secret::kBytes && end == text.data() + text.size();
  };
  constexpr std::size_t kHexDigits = 2 * Secret::kBytes;
  if (text.size() == kHexDigits) {
    return is_all(
        sodium_hex2bin(into, Secret::kBytes, text.data(), text.size(), nullptr, &count, &end));
  }
  const int variant = text.ends_with('=') ? kWithPadding : kWithout;
  return is_all(sodium_base642bin(into, Secret::kBytes, text.data(), text.size(), nullptr, &count,
                                  &end, variant));
}

}  // namespace

void WipeAndFree::operator()(unsigned char* bytes) const { sodium_free(bytes); }

LockedBytes locked_bytes(std::size_t count) {
  need_sodium();
  auto* bytes = static_cast<unsigned char*>(sodium_malloc(count));
  if (bytes == nullptr) throw std::bad_alloc();
  return LockedBytes(bytes);
}

Result<Secret> Secret::parse(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  auto bytes = locked_bytes(kBytes);
  if (!decode_secret(text, bytes.get())) {
    return fail(ErrorCode::kInvalid, "it does not hold 32 bytes as base64 or hexadecimal digits");
  }
  return Secret(std::move(bytes));
}

void Secret::hmac(Parts parts, unsigned char* into) const {
  crypto_auth_hmacsha256_state state;
  crypto_auth_hmacsha256_init(&state, bytes_.get(), kBytes);
  for (const auto part : parts) {
    // Else "ab" and "c" would be as "a" and "bc".
    std::array<unsigned char, sizeof(std::uint64_t)> size{};
    for (std::size_t i = 0; i < size.size(); ++i) {
      size.at(i) = static_cast<unsigned char>(std::uint64_t{part.size()} >> (8 * i));
    }
    crypto_auth_hmacsha256_update(&state, size.data(), size.size());
    crypto_auth_hmacsha256_update(&state, reinterpret_cast<const unsigned char*>(part.data()),
                                  part.size());
  }
  crypto_auth_hmacsha256_final(&state, into);
  sodium_memzero(&state, sizeof state);
}

std::string Secret::mac(Parts parts) const {
  std::array<unsigned char, kBytes> whole{};
  hmac(parts, whole.data());
  auto text = base64_of(whole.data(), kMacBytes);
  sodium_memzero(whole.data(), whole.size());
  return text;
}

Secret Secret::derive(Parts parts) const {
  auto bytes = locked_bytes(kBytes);
  hmac(parts, bytes.get());
  return Secret(std::move(bytes));
}

bool Secret::operator==(const Secret& other) const {
  return sodium_memcmp(bytes_.get(), other.bytes_.get(), kBytes) == 0;
}

bool is_same_mac(std::string_view one, std::string_view other) {
  return one.size() == other.size() && sodium_memcmp(one.data(), other.data(), one.size()) == 0;
}

std::string new_nonce() {
  need_sodium();
  std::array<unsigned char, Secret::kBytes> bytes{};
  randombytes_buf(bytes.data(), bytes.size());
  return base64_of(bytes.data(), bytes.size());
}

bool is_nonce(std::string_view text) {
  std::array<unsigned char, Secret::kBytes> bytes{};
  return text.size() == kNonceLetters && decode_secret(text, bytes.data());
}

namespace {

/// A key and blanks around it.
constexpr std::size_t kMostKeyBytes = 256;

/// Errors: in words for people, with what to do.
Result<Secret> read_key(const std::string& top, const std::string& path) {
  const auto passwd = host::read_proc("/etc/passwd");
  const host::KeyReader reader{
      .name = protocol::kPeersUser,
      .ids = passwd ? host::user_ids(protocol::kPeersUser, *passwd) : std::nullopt};
  const auto file = host::open_key_file(top, path, reader);
  if (!file) {
    return fail(ErrorCode::kInvalid, fmt::format("{}: {}", file.error().what, file.error().remedy));
  }
  auto bytes = locked_bytes(kMostKeyBytes + 1);
  std::size_t size = 0;
  while (size <= kMostKeyBytes) {
    const auto got = ::read(file->get(), bytes.get() + size, kMostKeyBytes + 1 - size);
    if (got < 0) return fail_errno(errno, fmt::format("read '{}'", path));
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  Result<Secret> key = fail(ErrorCode::kInvalid, "it is longer than a key");
  if (size <= kMostKeyBytes) {
    key = Secret::parse({reinterpret_cast<const char*>(bytes.get()), size});
  }
  if (key) return key;
  return fail(ErrorCode::kInvalid,
              fmt::format("'{}': {}: copy the file of a node that has the right one", path,
                          key.error().what));
}

}  // namespace

const OwnKey& KeyFile::look() {
  if (path_.empty()) return key_;
  const auto now = host::file_stamp(top_ + path_);
  if (was_read_ && now == stamp_) return key_;
  was_read_ = true;
  stamp_ = now;
  auto read = read_key(top_, path_);
  if (!read) {
    key_ = {.failed = fmt::format("{} [{}]", read.error().what, protocol::kKeyId)};
  } else if (!key_.secret || *key_.secret != *read) {
    key_ = {.secret = std::make_shared<const Secret>(std::move(*read))};
  }
  return key_;
}

}  // namespace spark::helpers
