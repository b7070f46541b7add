#include "signing/node_key.hpp"

#include <cstdint>
#include <vector>

#include <fmt/format.h>
#include <sodium.h>

#include "base/base64.hpp"
#include "base/random.hpp"
#include "protocol/paths.hpp"

namespace spark::signing {
namespace {

constexpr std::string_view kKind = "ed25519 ";
constexpr unsigned kForRootAlone = 0600;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

unsigned char* bytes_of(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

Result<std::string> new_seed() {
  std::vector<std::uint8_t> bytes(crypto_sign_SEEDBYTES);
  if (auto filled = fill_random(bytes); !filled) return std::unexpected(filled.error());
  return std::string(bytes.begin(), bytes.end());
}

/// Empty: the text is of no key.
std::string seed_of(std::string_view text) {
  if (!text.starts_with(kKind)) return {};
  auto seed = from_base64(text.substr(kKind.size()));
  return seed.size() == crypto_sign_SEEDBYTES ? seed : std::string();
}

Result<std::string> read_or_make_seed(host::Files& files) {
  if (auto safe = files.check_writers(protocol::kStateDirectory); !safe) {
    return std::unexpected(safe.error());
  }
  const auto present = files.read(protocol::kNodeKeyFile);
  if (!present) return std::unexpected(present.error());
  if (*present) {
    auto seed = seed_of(**present);
    if (!seed.empty()) return seed;
    // Others may trust it: nobody but a person gives this node another one.
    return fail(
        ErrorCode::kInvalid,
        fmt::format("'{0}' holds no key. Bring it back from a backup, or, for a new one that "
                    "no node knows yet: sudo mv {0} {0}.damaged",
                    protocol::kNodeKeyFile));
  }
  auto seed = new_seed();
  if (!seed) return seed;
  const auto text = fmt::format("{}{}\n", kKind, to_base64(*seed));
  if (auto written = files.write_durably(protocol::kNodeKeyFile, text, kForRootAlone); !written) {
    return std::unexpected(written.error());
  }
  // Another verb may have made one at the same time: what is there counts.
  const auto kept = files.read(protocol::kNodeKeyFile);
  return kept && *kept ? seed_of(**kept) : seed;
}

}  // namespace

Result<NodeKey> NodeKey::load_or_make(host::Files& files) {
  if (sodium_init() < 0) return fail(ErrorCode::kSystem, "libsodium does not start");
  const auto seed = read_or_make_seed(files);
  if (!seed) return std::unexpected(seed.error());
  std::string secret(crypto_sign_SECRETKEYBYTES, '\0');
  std::string key(crypto_sign_PUBLICKEYBYTES, '\0');
  crypto_sign_seed_keypair(bytes_of(key), bytes_of(secret), bytes_of(*seed));
  return NodeKey(std::move(secret));
}

std::string NodeKey::public_half() const {
  return to_base64(std::string_view(secret_).substr(crypto_sign_SEEDBYTES));
}

std::string NodeKey::sign(std::string_view text) const {
  std::string signature(crypto_sign_BYTES, '\0');
  crypto_sign_detached(bytes_of(signature), nullptr, bytes_of(text), text.size(),
                       bytes_of(std::string_view(secret_)));
  return to_base64(signature);
}

bool is_signed_by(std::string_view public_half, std::string_view text, std::string_view signature) {
  const auto key = from_base64(public_half);
  const auto made = from_base64(signature);
  return key.size() == crypto_sign_PUBLICKEYBYTES && made.size() == crypto_sign_BYTES &&
         crypto_sign_verify_detached(bytes_of(std::string_view(made)), bytes_of(text), text.size(),
                                     bytes_of(std::string_view(key))) == 0;
}

}  // namespace spark::signing
