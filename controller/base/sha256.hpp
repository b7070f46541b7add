#pragma once
// SHA-256 of a text.

#include <string>
#include <string_view>

namespace spark {

/// The 32 bytes.
std::string sha256_bytes(std::string_view text);

/// In 64 hexadecimal digits: the digest of a file.
std::string sha256_of(std::string_view text);

}  // namespace spark
