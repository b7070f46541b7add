#pragma once
// KeyFile: the key that all nodes of a cluster have, from the file that ready.key_file names.

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"
#include "host/process/trusted_file.hpp"

namespace spark::helpers {

// Secret: the key of a cluster's nodes, or of one conversation; and what is made with it.

struct WipeAndFree {
  void operator()(unsigned char* bytes) const;
};
/// Locked into memory, in no core, and wiped at the end.
using LockedBytes = std::unique_ptr<unsigned char[], WipeAndFree>;
LockedBytes locked_bytes(std::size_t count);

/// Letters of a MAC, and of a nonce.
inline constexpr std::size_t kMacLetters = 22;
inline constexpr std::size_t kNonceLetters = 43;

class Secret {
 public:
  static constexpr std::size_t kBytes = 32;
  using Parts = std::initializer_list<std::string_view>;

  /// From 32 bytes as base64 or as hexadecimal digits, with blanks around them. Errors: kInvalid,
  /// in words that hold nothing of the text.
  static Result<Secret> parse(std::string_view text);

  /// Of all parts with their lengths: the first 16 bytes of HMAC-SHA-256, as base64 without "=".
  [[nodiscard]] std::string mac(Parts parts) const;
  /// Another secret that follows from this one and the parts, and tells nothing of it.
  [[nodiscard]] Secret derive(Parts parts) const;

  /// Takes as long wherever they differ.
  [[nodiscard]] bool operator==(const Secret& other) const;

 private:
  explicit Secret(LockedBytes bytes) : bytes_(std::move(bytes)) {}
  void hmac(Parts parts, unsigned char* into) const;

  LockedBytes bytes_;
};

/// Takes as long wherever they differ.
bool is_same_mac(std::string_view one, std::string_view other);

/// 32 random bytes, as base64 without "=".
std::string new_nonce();
bool is_nonce(std::string_view text);

/// The key of this node, as it is now.
struct OwnKey {
  std::shared_ptr<const Secret> secret;  ///< null: there is none, or none that can be used
  std::string failed;                    ///< why it cannot be used, and what to do; else empty

  /// Nothing is said to those who have none, and nothing of theirs is taken.
  [[nodiscard]] bool is_wanted() const { return secret != nullptr || !failed.empty(); }
};

class KeyFile {
 public:
  /// An empty path: the file names none. A path is below `top`.
  explicit KeyFile(std::string path = {}, std::string top = "/")
      : top_(std::move(top)), path_(std::move(path)) {}

  [[nodiscard]] const std::string& path() const { return path_; }

  /// Reads the file again where it has changed. Where the key in it is the same, `secret` stays the
  /// same too.
  const OwnKey& look();

 private:
  std::string top_;
  std::string path_;
  bool was_read_ = false;
  std::optional<host::FileStamp> stamp_;  ///< of the file that was read; empty: there was none
  OwnKey key_;
};

}  // namespace spark::helpers
