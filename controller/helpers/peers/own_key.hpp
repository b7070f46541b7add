#pragma once
// KeyFile: the key that all nodes of a cluster have, from the file that ready.key_file names.

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "helpers/peers/secret.hpp"
#include "host/process/trusted_file.hpp"

namespace spark::helpers {

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
