#pragma once
// PageToken: what everybody off this machine shows before spark-web tells anything.

#include <array>
#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ip.hpp"
#include "host/process/trusted_file.hpp"

namespace spark::helpers {

/// HMAC-SHA-256 of a fixed text, with the token as the key. It is the value of the cookie, and what
/// a token is compared by, so that nothing keeps the token itself. Another token, another digest.
class TokenDigest {
 public:
  static constexpr std::size_t kBytes = 32;

  static TokenDigest of(std::string_view token);
  /// From text(). Empty: it is none.
  static std::optional<TokenDigest> parse(std::string_view text);

  /// 64 hexadecimal digits.
  [[nodiscard]] std::string text() const;
  /// Takes as long wherever they differ.
  [[nodiscard]] bool operator==(const TokenDigest& other) const;

 private:
  std::array<unsigned char, kBytes> bytes_{};
};

/// The token as it is now.
struct PageToken {
  std::optional<TokenDigest> digest;  ///< empty: there is none that can be used
  std::string failed;                 ///< why, and what to do; else empty
};

/// The file that `token_file` of agent.yaml names.
class TokenFile {
 public:
  /// `path`: absolute, below `top`, where /etc/passwd is too.
  explicit TokenFile(std::string path, std::string top = "/")
      : top_(std::move(top)), path_(std::move(path)) {}

  [[nodiscard]] const std::string& path() const { return path_; }

  /// Reads the file again where it has changed, or could not be used.
  const PageToken& look();

 private:
  std::string top_;
  std::string path_;
  std::optional<host::FileStamp> stamp_;  ///< of the file that was read; empty: there was none
  PageToken token_;
};

// WrongTries: how often who tried a wrong token, so that nobody guesses one.

/// Counts by address. A /64 of IPv6 has a count of its own beside, since a single stranger may have
/// it whole; it is far larger, since all machines of a LAN are in one.
///
/// A stranger locks nobody out from another address, but where that is of the same /64 and tries
/// very often. Where the owner has shown the right token from an IPv6 address, that one is counted
/// by itself alone. Behind one address of IPv4, all are one.
class WrongTries {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kMost = 5;
  static constexpr std::size_t kMostOfNetwork = 100;
  static constexpr std::chrono::seconds kWithin{60};
  /// Places in the table. A full one forgets who tried longest ago: who has that many addresses to
  /// try from has five tries a minute from each in any case, and a token has 16 characters at
  /// least.
  static constexpr std::size_t kMostPlaces = 1024;
  static constexpr std::size_t kMostKnown = 64;

  /// How long nothing of what `from` shows is compared, a right one neither; 0: it is.
  [[nodiscard]] std::chrono::seconds wait(const IpAddress& from, Clock::time_point now) const;
  void was_wrong(const IpAddress& from, Clock::time_point now);
  /// It forgives nothing: a stranger of the same place would begin again with each page that the
  /// owner loads.
  void was_right(const IpAddress& from);

  [[nodiscard]] std::size_t places() const { return tries_.size(); }

 private:
  /// The last tries of one place, in a ring.
  struct Tries {
    std::array<Clock::time_point, kMost> at;
    std::size_t count = 0;
    [[nodiscard]] Clock::time_point last() const { return at.at((count - 1) % kMost); }
  };

  /// Those of a /64 in one minute, which begins with the first of them.
  struct NetworkTries {
    Clock::time_point begin;
    std::size_t count = 0;
    [[nodiscard]] Clock::time_point last() const { return begin; }
  };

  /// Empty: it is counted by its address alone.
  [[nodiscard]] std::optional<IpPrefix> network_of(const IpAddress& from) const;

  std::map<IpAddress, Tries> tries_;
  std::map<IpPrefix, NetworkTries> networks_;
  std::vector<IpAddress> known_;  ///< IPv6 alone; the one seen last at the end
};

}  // namespace spark::helpers
