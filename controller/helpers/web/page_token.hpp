#pragma once
// PageToken: what everybody off this machine shows before spark-web tells anything.

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

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

}  // namespace spark::helpers
