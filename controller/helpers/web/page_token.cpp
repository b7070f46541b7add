#include "helpers/web/page_token.hpp"

#include <algorithm>
#include <cstdint>
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

namespace {

using Clock = WrongTries::Clock;

/// Makes room for one more. What is a minute old counts no more, and goes first.
template <class Places>
void make_room(Places& places, Clock::time_point now) {
  if (places.size() < WrongTries::kMostPlaces) return;
  std::erase_if(places,
                [&](const auto& one) { return now - one.second.last() >= WrongTries::kWithin; });
  if (places.size() < WrongTries::kMostPlaces) return;
  places.erase(
      std::ranges::min_element(places, {}, [](const auto& one) { return one.second.last(); }));
}

std::chrono::seconds until(Clock::time_point end, Clock::time_point now) {
  return std::max(std::chrono::ceil<std::chrono::seconds>(end - now), std::chrono::seconds(0));
}

}  // namespace

std::optional<IpPrefix> WrongTries::network_of(const IpAddress& from) const {
  constexpr std::uint8_t kNetworkBits = 64;
  if (from.is_v4() || std::ranges::find(known_, from) != known_.end()) return std::nullopt;
  return IpPrefix{from, kNetworkBits}.network();
}

std::chrono::seconds WrongTries::wait(const IpAddress& from, Clock::time_point now) const {
  std::chrono::seconds left{0};
  const auto found = tries_.find(from);
  if (found != tries_.end() && found->second.count >= kMost) {
    const auto& tries = found->second;
    left = until(tries.at.at(tries.count % kMost) + kWithin, now);
  }
  const auto place = network_of(from);
  const auto network = place ? networks_.find(*place) : networks_.end();
  if (network != networks_.end() && network->second.count >= kMostOfNetwork) {
    left = std::max(left, until(network->second.begin + kWithin, now));
  }
  return left;
}

void WrongTries::was_wrong(const IpAddress& from, Clock::time_point now) {
  if (!tries_.contains(from)) make_room(tries_, now);
  auto& tries = tries_[from];
  tries.at.at(tries.count % kMost) = now;
  ++tries.count;
  const auto place = network_of(from);
  if (!place) return;
  if (!networks_.contains(*place)) make_room(networks_, now);
  auto& network = networks_[*place];
  if (network.count == 0 || now - network.begin >= kWithin) network = {.begin = now, .count = 0};
  ++network.count;
}

void WrongTries::was_right(const IpAddress& from) {
  if (from.is_v4()) return;
  std::erase(known_, from);
  if (known_.size() == kMostKnown) known_.erase(known_.begin());
  known_.push_back(from);
}

}  // namespace spark::helpers
