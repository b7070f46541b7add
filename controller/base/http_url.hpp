#pragma once
// HttpUrl: the parts of an http:// URL.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace spark {

struct HttpUrl {
  std::string host;          ///< name or address; of an IPv6 address without its brackets
  std::uint16_t port = 80;   ///<
  std::string target = "/";  ///< path and query

  /// http:// alone, without user, password and fragment. Empty when it is not that.
  static std::optional<HttpUrl> parse(std::string_view text);
  /// The `Host` header's value: "[::1]:9093", "relay.example".
  [[nodiscard]] std::string authority() const;
  bool operator==(const HttpUrl&) const = default;
};

/// Decimal digits without leading zeros, 1 to 65535.
std::optional<std::uint16_t> parse_port(std::string_view text);

}  // namespace spark
