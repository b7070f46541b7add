#include "helpers/peers/machine_id.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include <sodium.h>

namespace spark::helpers {
namespace {

using Id = std::array<unsigned char, 16>;

/// Of this program; another one makes another id of the same machine.
constexpr Id kApplication{0x2b, 0x9f, 0x5c, 0x0d, 0x8e, 0x71, 0x4a, 0xc6,
                          0xa3, 0xf1, 0xd4, 0x47, 0x0b, 0x6c, 0x9e, 0x58};
constexpr std::size_t kDigits = 32;

}  // namespace

std::string machine_of(std::string_view machine_id) {
  Id machine{};
  std::size_t size = 0;
  const char* end = nullptr;
  if (machine_id.size() < kDigits ||
      sodium_hex2bin(machine.data(), machine.size(), machine_id.data(), kDigits, nullptr, &size,
                     &end) != 0 ||
      size != machine.size()) {
    return {};
  }
  std::array<unsigned char, crypto_auth_hmacsha256_BYTES> mac{};
  crypto_auth_hmacsha256_state state;
  crypto_auth_hmacsha256_init(&state, machine.data(), machine.size());
  crypto_auth_hmacsha256_update(&state, kApplication.data(), kApplication.size());
  crypto_auth_hmacsha256_final(&state, mac.data());
  Id id{};
  std::copy_n(mac.begin(), id.size(), id.begin());
  // Version 4 and variant 1 of RFC 4122, as systemd marks all of its ids.
  id[6] = static_cast<unsigned char>((id[6] & 0x0FU) | 0x40U);
  id[8] = static_cast<unsigned char>((id[8] & 0x3FU) | 0x80U);
  std::array<char, kDigits + 1> text{};
  sodium_bin2hex(text.data(), text.size(), id.data(), id.size());
  return text.data();
}

}  // namespace spark::helpers
