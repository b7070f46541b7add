#include "base/http_url.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.hpp"
#include "base/units.hpp"

namespace spark {
namespace {

constexpr std::string_view kHttp = "http://";
constexpr std::uint16_t kHttpPort = 80;

bool is_host_name(std::string_view text) {
  return !text.empty() && is_ascii_alnum(text.front()) && is_ascii_alnum(text.back()) &&
         std::ranges::all_of(text,
                             [](char c) { return is_ascii_alnum(c) || c == '.' || c == '-'; });
}

bool is_in_ipv6(char c) {
  return is_ascii_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == ':' ||
         c == '.';
}

bool is_target(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7F' && c != '#'; });
}

/// Takes "[2001:db8::1]" or a name off the head.
std::optional<std::string> take_host(std::string_view& authority) {
  if (authority.starts_with('[')) {
    const auto end = authority.find(']');
    if (end == std::string_view::npos || end < 2) return std::nullopt;
    const auto ip = authority.substr(1, end - 1);
    if (!std::ranges::all_of(ip, is_in_ipv6)) return std::nullopt;
    authority.remove_prefix(end + 1);
    return std::string(ip);
  }
  const auto host = authority.substr(0, authority.find(':'));
  if (!is_host_name(host)) return std::nullopt;
  authority.remove_prefix(host.size());
  return std::string(host);
}

}  // namespace

std::optional<std::uint16_t> parse_port(std::string_view text) {
  const auto number = parse_decimal(text);
  if (!number || *number == 0 || *number > UINT16_MAX) return std::nullopt;
  return static_cast<std::uint16_t>(*number);
}

std::optional<HttpUrl> HttpUrl::parse(std::string_view text) {
  if (!text.starts_with(kHttp)) return std::nullopt;
  text.remove_prefix(kHttp.size());
  const auto slash = std::min(text.find('/'), text.size());
  auto authority = text.substr(0, slash);
  HttpUrl url;
  if (slash < text.size()) url.target = text.substr(slash);
  auto host = take_host(authority);
  if (!host || !is_target(url.target)) return std::nullopt;
  url.host = *std::move(host);
  if (!authority.empty()) {
    const auto port = authority.front() == ':' ? parse_port(authority.substr(1)) : std::nullopt;
    if (!port) return std::nullopt;
    url.port = *port;
  }
  return url;
}

std::string HttpUrl::authority() const {
  const auto name = host.find(':') == std::string::npos ? host : fmt::format("[{}]", host);
  return port == kHttpPort ? name : fmt::format("{}:{}", name, port);
}

}  // namespace spark
