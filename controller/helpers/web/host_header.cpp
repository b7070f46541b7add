// Which names in a request's Host are this machine's.

#include <algorithm>

#include "base/text.hpp"
#include "helpers/web/http_server.hpp"

namespace spark::helpers {
namespace {

/// Without ":port"; empty where what is behind the colon is none.
std::string_view without_port(std::string_view host) {
  const auto colon = host.rfind(':');
  // The colons of "[2001:db8::1]" are not in front of a port.
  if (colon == std::string_view::npos || host.ends_with(']')) return host;
  const auto port = host.substr(colon + 1);
  return port.size() <= 5 && std::ranges::all_of(port, is_ascii_digit) ? host.substr(0, colon) : "";
}

}  // namespace

bool is_own_host(std::string_view host, const std::vector<std::string>& names) {
  auto name = without_port(host);
  if (name.starts_with('[') && name.ends_with(']')) {
    const auto ip = IpAddress::parse(name.substr(1, name.size() - 2));
    return ip && !ip->is_v4();
  }
  if (const auto ip = IpAddress::parse(name)) return ip->is_v4();
  if (name.ends_with('.')) name.remove_suffix(1);
  const auto lower = ascii_lower(name);
  return lower == "localhost" ||
         (!lower.empty() &&
          std::ranges::any_of(names, [&](const auto& own) { return ascii_lower(own) == lower; }));
}

std::vector<std::string> names_of_machine(const std::string& hostname) {
  const auto label = hostname.substr(0, hostname.find('.'));
  if (label.empty()) return {};
  return {hostname, label, label + ".local"};
}

}  // namespace spark::helpers
