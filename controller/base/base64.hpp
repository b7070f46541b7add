#pragma once
// Base64 (RFC 4648), as key files and signatures of OpenSSH have it.

#include <string>
#include <string_view>

namespace spark {

/// The bytes of a text; characters that base64 does not have, as line feeds, are passed over.
std::string from_base64(std::string_view text);

/// With padding.
std::string to_base64(std::string_view bytes);

}  // namespace spark
