#include "host/linux/netlink/attributes.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

namespace spark::host {

std::string text_of(const nlattr* attribute) {
  return attribute != nullptr ? nla_get_string(attribute) : "";
}

std::uint8_t u8_of(const nlattr* attribute) {
  return attribute != nullptr ? nla_get_u8(attribute) : std::uint8_t{0};
}

std::uint32_t u32_of(const nlattr* attribute, std::uint32_t otherwise) {
  return attribute != nullptr ? nla_get_u32(attribute) : otherwise;
}

int index_of(const nlattr* attribute) { return static_cast<int>(u32_of(attribute)); }

std::span<const std::uint8_t> bytes_of(const nlattr* attribute) {
  if (attribute == nullptr) return {};
  return {static_cast<const std::uint8_t*>(nla_data(attribute)),
          static_cast<std::size_t>(nla_len(attribute))};
}

std::optional<IpFamily> ip_family(int address_family) {
  switch (address_family) {
    case AF_INET:
      return IpFamily::kV4;
    case AF_INET6:
      return IpFamily::kV6;
    default:
      return std::nullopt;
  }
}

bool read_ip(const nlattr* attribute, IpFamily family, std::optional<IpAddress>& field) {
  if (attribute == nullptr) return true;
  field = IpAddress::from_bytes(bytes_of(attribute));
  return field && field->family() == family;
}

std::unexpected<Error> malformed(std::string_view what) {
  return fail(ErrorCode::kInvalid, fmt::format("malformed netlink message: {}", what));
}

}  // namespace spark::host
